#include "methods/side_by_side.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"

namespace pcgs::test {
namespace {

constexpr std::size_t kExperts[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33};

// [K] who is awake. The awake must carry weight: dividing by next to nothing would measure
// rounding, and what is played where they carry none is for the aggregator's own tests.
std::vector<std::uint8_t> some_awake(Random& random, const reference::Learner& learner,
                                     double probability) {
  const std::vector<double> weights = learner.weights();
  std::vector<std::uint8_t> awake = random.awake(weights.size(), probability);
  double carried = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) carried += awake[k] * weights[k];
  if (carried < 0.01) awake.assign(weights.size(), 1);
  return awake;
}

// Calls round(aggregator, reference, random, losses) and compares, for every number of experts.
template <class PlayRound>
void run(const Comparison& comparison, std::uint64_t seed, const PlayRound& round) {
  for (std::size_t experts : kExperts) {
    SCOPED_TRACE(comparison.spec + ", " + std::to_string(experts) + " experts");
    // References know nothing of scales: every loss is in [0,1] as it is.
    Aggregator aggregator = make_aggregator(comparison.spec, experts, scaled(LossScale::unit()));
    const auto slow = comparison.reference(experts);
    Random random(seed + experts);
    ShiftingLosses losses(experts, seed + 100 + experts);
    for (std::size_t t = 1; t <= comparison.rounds; ++t) {
      round(aggregator, *slow, random, losses.next());
      ASSERT_TRUE(all_near(aggregator.weights(), slow->weights(), comparison.tolerance))
          << "after round " << t;
    }
  }
}

}  // namespace

void compare_with_losses(const Comparison& comparison) {
  run(comparison, 1000,
      [](Aggregator& fast, reference::Learner& slow, Random&, const std::vector<double>& losses) {
        fast.learn(losses);
        reference::play_losses(slow, losses, std::vector<std::uint8_t>(losses.size(), 1));
      });
}

void compare_with_sleepers(const Comparison& comparison) {
  run(comparison, 2000,
      [](Aggregator& fast, reference::Learner& slow, Random& random,
         const std::vector<double>& losses) {
        const std::vector<std::uint8_t> awake = some_awake(random, slow, 0.7);
        fast.learn(fast.open(awake), losses);
        reference::play_losses(slow, losses, awake);
      });
}

void compare_with_forecasts(const Comparison& comparison) {
  run(comparison, 3000,
      [&](Aggregator& fast, reference::Learner& slow, Random& random,
          const std::vector<double>& numbers) {
        const double outcome = 0.2 * random.uniform();
        const std::vector<std::uint8_t> awake = some_awake(random, slow, 0.8);
        std::vector<double> forecasts = numbers;
        for (std::size_t k = 0; k < forecasts.size(); ++k) {
          if (awake[k] == 0) forecasts[k] = std::nan("");
        }
        const double combined = fast.predict(forecasts);
        fast.learn(outcome);
        const double expected = reference::play_forecasts(slow, numbers, awake, outcome);
        EXPECT_NEAR(combined, expected, 100 * comparison.tolerance);
      });
}

void compare(const Comparison& comparison) {
  compare_with_losses(comparison);
  compare_with_sleepers(comparison);
  compare_with_forecasts(comparison);
}

void compare_on(const Comparison& comparison, std::size_t experts,
                const std::function<std::vector<double>()>& next_losses) {
  Aggregator aggregator = make_aggregator(comparison.spec, experts);
  const auto slow = comparison.reference(experts);
  for (std::size_t t = 0; t < comparison.rounds; ++t) {
    const std::vector<double> losses = next_losses();
    aggregator.learn(losses);
    reference::play_losses(*slow, losses, std::vector<std::uint8_t>(experts, 1));
    ASSERT_TRUE(all_near(aggregator.weights(), slow->weights(), comparison.tolerance))
        << "round " << t;
  }
}

}  // namespace pcgs::test
