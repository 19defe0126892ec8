#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "reference/methods.h"
#include "support/expect.h"

namespace pcgs {
namespace {

auto reference_squint(std::size_t experts) { return std::make_unique<reference::Squint>(experts); }

TEST(Squint, MatchesNumericalIntegration) {
  test::compare(
      {.spec = "squint", .reference = reference_squint, .rounds = 60, .tolerance = 1e-12});
}

TEST(Squint, MatchesNumericalIntegrationWhenOneExpertIsFarAhead) {
  Aggregator aggregator = make_aggregator("squint", 3);
  reference::Squint slow(3);
  for (int t = 0; t < 200; ++t) {
    const std::vector<double> l = {0, 1, t % 2 == 0 ? 1.0 : 0.0};
    aggregator.learn(l);
    reference::play_losses(slow, l, std::vector<std::uint8_t>(3, 1));
    ASSERT_TRUE(test::all_near(aggregator.weights(), slow.weights(), 1e-12)) << "round " << t;
  }
}

// A learner better than all its experts, so that R / sqrt(V) of the steady ones goes to -sqrt(T)
// and what is left of the integral is far out in the tail of an error function.
TEST(Squint, MatchesNumericalIntegrationOnALongRun) {
  const auto method = make_method("squint", 4);
  reference::Squint slow(4);
  for (int t = 1; t <= 6000; ++t) {
    const bool odd = t % 2 != 0;
    reference::FinishedRound finished;
    finished.losses = {0.3, odd ? 0.1 : 0.5, 0.25, odd ? 0.0 : 0.51};
    finished.awake.assign(4, 1);
    finished.learner_loss = 0.2;
    slow.learn(finished);

    Round round;
    round.number = t;
    round.losses = finished.losses;
    round.weights = method->weights();
    round.mixture_loss = 0.3;
    round.learner_loss = finished.learner_loss;
    method->learn(round);
    if (t % 50 == 0) {
      ASSERT_TRUE(test::all_near(method->weights(), slow.weights(), 1e-12)) << "round " << t;
    }
  }
}

TEST(Squint, MatchesNumericalIntegrationForTinyRegrets) {
  Aggregator aggregator = make_aggregator("squint", 4);
  reference::Squint slow(4);
  for (int t = 0; t < 60; ++t) {
    const double tiny = std::ldexp(1.0, -t);  // 1, 1/2, ..., 1e-18
    const std::vector<double> l = {tiny, 0, tiny / 2, t % 2 == 0 ? tiny : 0};
    aggregator.learn(l);
    reference::play_losses(slow, l, std::vector<std::uint8_t>(4, 1));
    ASSERT_TRUE(test::all_near(aggregator.weights(), slow.weights(), 1e-12)) << "round " << t;
  }
  Aggregator small = make_aggregator("squint", 4);
  reference::Squint slow_small(4);
  for (int t = 59; t >= 0; --t) {  // from nothing upwards
    const double tiny = std::ldexp(1.0, -t);
    const std::vector<double> l = {tiny, 0, tiny / 2, t % 2 == 0 ? tiny : 0};
    small.learn(l);
    reference::play_losses(slow_small, l, std::vector<std::uint8_t>(4, 1));
    ASSERT_TRUE(test::all_near(small.weights(), slow_small.weights(), 1e-12)) << "round " << t;
  }
}

}  // namespace
}  // namespace pcgs
