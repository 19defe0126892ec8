// Learning allocates nothing. This program counts every use of operator new, so it must be an
// executable of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "contract/specs.h"
#include "control/transformer.h"
#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "support/options.h"
#include "support/random.h"
#include "support/random_controller.h"
#include "tokens/token_stream.h"

namespace {

std::size_t allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

constexpr std::size_t kPlain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

// The array and nothrow forms call these two.
void* operator new(std::size_t size) { return counted(size, kPlain); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace pcgs {
namespace {

constexpr std::size_t kExperts = 11;
constexpr int kWarmup = 64, kCounted = 64;

// Runs one round in one way or another; everything it needs exists before it is called.
template <class Play>
void expect_none(Aggregator aggregator, const Play& play) {
  test::ShiftingLosses losses(kExperts, 1);
  std::vector<double> l;
  for (int t = 0; t < kWarmup; ++t) {
    l = losses.next();
    play(aggregator, l);
  }
  for (int t = 0; t < kCounted; ++t) {
    l = losses.next();
    const std::size_t before = allocations;
    play(aggregator, l);
    ASSERT_EQ(allocations - before, 0u) << "round " << t << " after the warm-up";
  }
}

class Allocation : public ::testing::TestWithParam<std::string> {
 protected:
  static Aggregator make() { return make_aggregator(GetParam(), kExperts); }
};

INSTANTIATE_TEST_SUITE_P(Methods, Allocation, ::testing::ValuesIn(test::contract_specs()),
                         test::name_of_spec);

TEST(AllocationCounter, SeesAllocations) {
  const std::size_t before = allocations;
  const std::vector<double> plain(10);
  const AlignedVector aligned(10);
  EXPECT_EQ(allocations - before, 2u) << plain.size() + aligned.size();
}

TEST_P(Allocation, NoneToLearnLosses) {
  expect_none(make(), [](Aggregator& a, const std::vector<double>& l) { a.learn(l); });
}

TEST_P(Allocation, NoneToPredictAndLearnAnOutcome) {
  const std::vector<double> side = {1, 2, 3};
  expect_none(make(), [&](Aggregator& a, const std::vector<double>& l) {
    a.predict(l, side);
    a.learn(0.5);
  });
}

TEST_P(Allocation, NoneWithSleepersAndLateOutcomes) {
  std::vector<std::uint8_t> awake(kExperts, 1);
  awake[3] = awake[7] = 0;
  expect_none(make(), [&](Aggregator& a, const std::vector<double>& l) {
    const std::int64_t first = a.open(awake);
    const std::int64_t second = a.open();
    a.predict(l);
    a.learn(second, l);
    a.abandon(a.last_opened());
    a.learn(first, l);
  });
}

TEST(SideAllocation, NoneToLearnWithSideInformation) {
  const auto model =
      std::make_shared<const TransformerModel>(test::random_controller(3, 1), "a model");
  const std::vector<double> side = {1, 2, 3};
  expect_none(
      Aggregator(std::make_unique<ShareMethod>(kExperts, make_transformer(model, "with side"))),
      [&](Aggregator& a, const std::vector<double>& l) { a.learn(a.open({}, side), l); });
}

TEST(TokenAllocation, NoneToObserve) {
  for (const std::size_t experts : {1u, 11u, 4096u}) {
    tokens::TokenStream stream(experts);
    test::ShiftingLosses losses(experts, 1);
    for (int t = 0; t < 8; ++t) {
      const std::vector<double> l = losses.next();
      const std::size_t before = allocations;
      stream.observe(l);
      ASSERT_EQ(allocations - before, 0u) << experts << " experts, round " << t;
    }
  }
}

TEST_P(Allocation, NoneUnderAScale) {
  for (const LossScale& scale : {LossScale::fixed(0.5), LossScale::following()}) {
    expect_none(make_aggregator(GetParam(), kExperts, test::scaled(scale)),
                [](Aggregator& a, const std::vector<double>& l) { a.learn(l); });
  }
}

}  // namespace
}  // namespace pcgs
