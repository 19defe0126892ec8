// What every registered method promises (method.h), checked for each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "contract/script.h"
#include "contract/specs.h"
#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::copy;
using test::on_simplex;
using test::Random;
using test::same_bits;
using test::ShiftingLosses;

class Contract : public ::testing::TestWithParam<std::string> {
 protected:
  static Aggregator make(std::size_t experts) { return make_aggregator(GetParam(), experts); }
};

INSTANTIATE_TEST_SUITE_P(Methods, Contract, ::testing::ValuesIn(test::contract_specs()),
                         test::name_of_spec);

class DefaultContract : public Contract {};

INSTANTIATE_TEST_SUITE_P(Methods, DefaultContract, ::testing::ValuesIn(test::default_specs()),
                         test::name_of_spec);

TEST_P(Contract, IsFeasible) {
  for (std::size_t experts : {1u, 2u, 3u, 8u, 13u}) {
    Aggregator aggregator = make(experts);
    ShiftingLosses losses(experts, experts);
    for (int t = 0; t < 300; ++t) {
      aggregator.learn(losses.next());
      ASSERT_EQ(aggregator.weights().size(), experts);
      ASSERT_TRUE(on_simplex(aggregator.weights())) << experts << " experts, round " << t;
    }
  }
}

TEST_P(Contract, IsCausal) {
  constexpr std::size_t kExperts = 6, kCommon = 40, kRounds = 60;
  Aggregator first = make(kExperts);
  Aggregator second = make(kExperts);
  ShiftingLosses common(kExperts, 1);
  ShiftingLosses one_future(kExperts, 2);
  ShiftingLosses other_future(kExperts, 3);
  for (std::size_t t = 0; t < kRounds; ++t) {
    if (t <= kCommon) {  // the weights of round kCommon were made before its losses differ
      ASSERT_TRUE(same_bits(first.weights(), second.weights())) << "round " << t;
    }
    // What is open, forecast or abandoned has not happened.
    const std::vector<double> forecasts = other_future.next();
    const std::vector<double> before = copy(second.weights());
    second.predict(forecasts);
    second.abandon(second.last_opened());
    ASSERT_TRUE(same_bits(second.weights(), before));

    const std::vector<double> losses = common.next();
    first.learn(t < kCommon ? losses : one_future.next());
    second.learn(t < kCommon ? losses : other_future.next());
  }
}

TEST_P(DefaultContract, LearnsSomething) {
  Aggregator aggregator = make(4);
  const std::vector<double> losses = {0.9, 0.1, 0.8, 1};
  for (int t = 0; t < 50; ++t) aggregator.learn(losses);
  EXPECT_GT(aggregator.weights()[1], 0.5) << "the best expert by far, fifty times over";
}

TEST_P(Contract, IsDeterministic) {
  const auto script = test::make_script(7, 200, 5);
  Aggregator first = make(7);
  Aggregator second = make(7);
  Aggregator bystander = make(3);  // shares nothing with the others
  test::Player first_player, second_player;
  for (const test::Event& event : script) {
    const auto seen = first_player.apply(first, event);
    bystander.learn(std::vector<double>{0, 0.5, 1});
    ASSERT_TRUE(same_bits(second_player.apply(second, event), seen));
    ASSERT_TRUE(same_bits(first.weights(), second.weights()));
  }
  EXPECT_EQ(first.save_bytes(), second.save_bytes());
}

// A permutation changes the order of sums over the experts and nothing else. Each such sum is off
// by at most K epsilon = 7 * 1.1e-16 in relative terms; over 80 rounds, with errors of the
// learner's loss (1e-15) multiplied by learning rates that the losses make (up to some hundreds),
// 1e-10 leaves a reserve of ten or more.
//
// A network works in float, whose epsilon is 6e-8: after some tens of sums of a hundred terms each
// its logits differ by 1e-5 or so, and the controls made from them steer weights for many rounds.
double relabelling_tolerance(const std::string& spec) {
  const bool has_network = method_info(spec).traits.learned && spec != "guard{learned=0}";
  return has_network ? 2e-3 : 1e-10;
}

TEST_P(Contract, IsEquivariantUnderRelabelling) {
  constexpr std::size_t kExperts = 7;
  Random random(9);
  std::vector<std::size_t> label(kExperts);
  std::iota(label.begin(), label.end(), 0);
  for (int repeat = 0; repeat < 4; ++repeat) {
    for (std::size_t i = kExperts - 1; i > 0; --i) std::swap(label[i], label[random.below(i + 1)]);
    Aggregator plain = make(kExperts);
    Aggregator relabelled = make(kExperts);
    ShiftingLosses losses(kExperts, 20 + static_cast<std::uint64_t>(repeat));
    for (int t = 0; t < 80; ++t) {
      const std::vector<double> l = losses.next();
      const std::vector<std::uint8_t> awake = random.awake(kExperts, 0.8);
      std::vector<double> moved(kExperts);
      std::vector<std::uint8_t> moved_awake(kExperts);
      for (std::size_t k = 0; k < kExperts; ++k) {
        moved[label[k]] = l[k];
        moved_awake[label[k]] = awake[k];
      }
      plain.learn(plain.open(awake), l);
      relabelled.learn(relabelled.open(moved_awake), moved);
      for (std::size_t k = 0; k < kExperts; ++k) {
        ASSERT_NEAR(relabelled.weights()[label[k]], plain.weights()[k],
                    relabelling_tolerance(GetParam()))
            << "round " << t;
      }
    }
  }
}

TEST_P(Contract, TreatsEqualExpertsEqually) {
  Aggregator aggregator = make(10);
  ShiftingLosses losses(5, 4);
  for (int t = 0; t < 100; ++t) {
    std::vector<double> twice = losses.next();
    twice.insert(twice.end(), twice.begin(), twice.begin() + 5);
    aggregator.learn(twice);
    const auto w = aggregator.weights();
    ASSERT_TRUE(test::all_near(w.first(5), w.last(5), 1e-12)) << "round " << t;
  }
}

TEST_P(Contract, ResumesToTheBit) {
  const test::TempDir dir;
  constexpr std::size_t kEvents = 240;
  for (std::size_t experts : {1u, 6u, 9u}) {
    Random random(experts);
    const auto script = test::make_script(experts, kEvents, 30 + experts);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::size_t stop = repeat == 0 ? 0 : random.below(kEvents);
      Aggregator straight = make(experts);
      test::Player player;
      for (std::size_t i = 0; i < stop; ++i) player.apply(straight, script[i]);

      straight.save(dir / "a.state");
      Aggregator by_path = load_aggregator(dir / "a.state");
      Aggregator by_bytes = Aggregator::load_bytes(straight.save_bytes(), "memory", make_method);
      test::Player path_player = player;
      test::Player bytes_player = player;
      ASSERT_TRUE(same_bits(by_path.weights(), straight.weights()));
      for (std::size_t i = stop; i < kEvents; ++i) {
        const auto seen = player.apply(straight, script[i]);
        ASSERT_TRUE(same_bits(path_player.apply(by_path, script[i]), seen)) << stop << ", " << i;
        ASSERT_TRUE(same_bits(bytes_player.apply(by_bytes, script[i]), seen)) << stop << ", " << i;
        ASSERT_TRUE(same_bits(by_path.weights(), straight.weights())) << stop << ", " << i;
        ASSERT_TRUE(same_bits(by_bytes.weights(), straight.weights())) << stop << ", " << i;
      }
      EXPECT_EQ(by_path.save_bytes(), straight.save_bytes());
      EXPECT_EQ(by_bytes.save_bytes(), straight.save_bytes());
    }
  }
}

// Of those that need forecasts, too.
class EveryContract : public Contract {
 protected:
  // Losses, or the same numbers as forecasts.
  static void learn(Aggregator& aggregator, const std::vector<double>& numbers) {
    if (!aggregator.method().needs_forecasts()) return aggregator.learn(numbers);
    aggregator.predict(numbers);
    aggregator.learn(0.5);
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, EveryContract, ::testing::ValuesIn(test::all_specs()),
                         test::name_of_spec);

TEST_P(EveryContract, StartsUniform) {
  for (std::size_t experts : {1u, 2u, 3u, 10u}) {
    EXPECT_TRUE(test::all_near(make(experts).weights(),
                               std::vector<double>(experts, 1 / static_cast<double>(experts)),
                               1e-15));
  }
}

TEST_P(EveryContract, HasANameThatMakesTheSameMethodAgain) {
  const auto method = make_method(GetParam(), 5);
  EXPECT_EQ(make_method(method->name(), 5)->name(), method->name());
  Aggregator first = make(5), second = make_aggregator(method->name(), 5);
  ShiftingLosses losses(5, 6);
  for (int t = 0; t < 50; ++t) {
    const std::vector<double> l = losses.next();
    learn(first, l);
    learn(second, l);
    ASSERT_TRUE(same_bits(first.weights(), second.weights())) << method->name();
  }
}

TEST_P(EveryContract, HasTheFormThatItsTraitsSay) {
  const auto method = make_method(GetParam(), 5);
  const MethodTraits traits = method_info(GetParam()).traits;
  EXPECT_EQ(method->share() != nullptr, traits.share_form);
  EXPECT_EQ(method->needs_forecasts(), traits.needs_forecasts);
  EXPECT_EQ(method->certify_forecasts() != nullptr, traits.certifies_forecasts);
  EXPECT_EQ(method->side_needed(), 0u) << "only the weights of a file may need side information";
}

// The largest state of the first 500 rounds is the largest for ever: a state may take one form or
// another, but it holds no history.
TEST_P(EveryContract, StateDoesNotGrowWithTheNumberOfRounds) {
  Aggregator aggregator = make(5);
  ShiftingLosses losses(5, 7);
  std::size_t largest_early = 0, largest_late = 0;
  for (int t = 0; t < 1500; ++t) {
    learn(aggregator, losses.next());
    if (t % 10 != 0) continue;
    std::size_t& largest = t < 500 ? largest_early : largest_late;
    largest = std::max(largest, aggregator.save_bytes().size());
  }
  EXPECT_LE(largest_late, largest_early);
}

}  // namespace
}  // namespace pcgs
