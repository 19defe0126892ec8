// Learning allocates nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "contract/specs.h"
#include "network/error_stream.h"
#include "network/token_stream.h"
#include "network/transformer.h"
#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "support/allocations.h"
#include "support/options.h"
#include "support/random.h"
#include "support/random_controller.h"

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
    const std::size_t before = test::allocations.count;
    play(aggregator, l);
    ASSERT_EQ(test::allocations.count - before, 0u) << "round " << t << " after the warm-up";
  }
}

class Allocation : public ::testing::TestWithParam<std::string> {
 protected:
  static Aggregator make() { return make_aggregator(GetParam(), kExperts); }
};

INSTANTIATE_TEST_SUITE_P(Methods, Allocation, ::testing::ValuesIn(test::contract_specs()),
                         test::name_of_spec);

TEST(AllocationCounter, SeesAllocations) {
  const std::size_t before = test::allocations.count;
  const std::vector<double> plain(10);
  const AlignedVector aligned(10);
  EXPECT_EQ(test::allocations.count - before, 2u) << plain.size() + aligned.size();
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
      const std::size_t before = test::allocations.count;
      stream.observe(l);
      ASSERT_EQ(test::allocations.count - before, 0u) << experts << " experts, round " << t;
    }
  }
}

TEST(ErrorTokenAllocation, NoneToObserve) {
  for (const std::size_t experts : {1u, 11u, 500u}) {
    tokens::ErrorStream stream(experts);
    test::Random random(1);
    for (int t = 0; t < 8; ++t) {
      const std::vector<double> errors = random.losses(experts), l = random.losses(experts);
      const std::size_t before = test::allocations.count;
      stream.observe(errors, l);
      ASSERT_EQ(test::allocations.count - before, 0u) << experts << " experts, round " << t;
    }
  }
}

class ForecastAllocation : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, ForecastAllocation, ::testing::ValuesIn(test::forecast_specs()),
                         test::name_of_spec);

TEST_P(ForecastAllocation, NoneWithSleepersAndLateOutcomes) {
  std::vector<double> some(kExperts);
  expect_none(make_aggregator(GetParam(), kExperts),
              [&](Aggregator& a, const std::vector<double>& l) {
                some = l;
                some[3] = some[7] = std::nan("");
                a.predict(some);
                const std::int64_t first = a.last_opened();
                a.predict(l);
                a.learn(a.last_opened(), 0.5);
                a.predict(l);
                a.abandon(a.last_opened());
                a.learn(first, 0.25);
              });
}

TEST_P(Allocation, NoneUnderAScale) {
  for (const LossScale& scale : {LossScale::fixed(0.5), LossScale::following(),
                                 LossScale::following().bounded_by(LossBound::kCatoni)}) {
    expect_none(make_aggregator(GetParam(), kExperts, test::scaled(scale)),
                [](Aggregator& a, const std::vector<double>& l) { a.learn(l); });
  }
}

}  // namespace
}  // namespace pcgs
