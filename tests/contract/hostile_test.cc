// What every registered method promises on losses made to break it, and among sleepers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "contract/specs.h"
#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::on_simplex;
using test::Random;

using Losses = std::vector<double>;

// The losses of expert k in round t; a stream is hostile for ever.
struct Stream {
  const char* name;
  double (*loss)(std::size_t k, std::size_t t, std::size_t experts);
};

constexpr Stream kStreams[] = {
    {"all 0", [](std::size_t, std::size_t, std::size_t) { return 0.0; }},
    {"all 1", [](std::size_t, std::size_t, std::size_t) { return 1.0; }},
    {"constant ties", [](std::size_t, std::size_t, std::size_t) { return 0.3; }},
    {"one spike",
     [](std::size_t k, std::size_t t, std::size_t) { return k == 0 && t == 20 ? 1.0 : 0.0; }},
    {"spikes on ties",
     [](std::size_t k, std::size_t t, std::size_t n) { return t % 50 == k % n ? 1.0 : 0.7; }},
    {"alternating extremes",
     [](std::size_t k, std::size_t t, std::size_t) { return static_cast<double>((k + t) % 2); }},
    {"one always right",
     [](std::size_t k, std::size_t, std::size_t) { return k == 0 ? 0.0 : 1.0; }},
    {"one always wrong",
     [](std::size_t k, std::size_t, std::size_t) { return k == 0 ? 1.0 : 0.0; }},
    {"best becomes worst", [](std::size_t k, std::size_t t,
                              std::size_t) { return (k == 0) == (t / 100 % 2 == 0) ? 0.0 : 1.0; }},
    {"denormal",
     [](std::size_t k, std::size_t t, std::size_t) {
       return static_cast<double>((k + t) % 3) * std::numeric_limits<double>::denorm_min();
     }},
    {"nearly tied",
     [](std::size_t k, std::size_t t, std::size_t) {
       return 0.5 + static_cast<double>((k * 7 + t * 3) % 5) * 0x1p-53;
     }},
    {"denormal, then extremes",
     [](std::size_t k, std::size_t t, std::size_t) {
       return t < 30 ? 1e-310 * static_cast<double>(k + 1) : static_cast<double>((k + t) % 2);
     }},
};

class Hostile : public ::testing::TestWithParam<std::string> {
 protected:
  static Aggregator make(std::size_t experts) { return make_aggregator(GetParam(), experts); }

  static void expect_feasible(const Stream& stream, std::size_t experts, std::size_t rounds) {
    Aggregator aggregator = make(experts);
    Losses losses(experts);
    for (std::size_t t = 0; t < rounds; ++t) {
      for (std::size_t k = 0; k < experts; ++k) losses[k] = stream.loss(k, t, experts);
      aggregator.learn(losses);
      ASSERT_TRUE(on_simplex(aggregator.weights()))
          << stream.name << ", " << experts << " experts, round " << t;
    }
    ASSERT_GE(aggregator.total_loss(), 0);
    ASSERT_LE(aggregator.total_loss(), static_cast<double>(rounds) * (1 + 1e-12));
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, Hostile, ::testing::ValuesIn(test::contract_specs()),
                         test::name_of_spec);

TEST_P(Hostile, LossesLeaveItFeasible) {
  for (const Stream& stream : kStreams) {
    for (std::size_t experts : {2u, 5u, 9u}) expect_feasible(stream, experts, 400);
  }
}

TEST_P(Hostile, LossesLeaveASingleExpertAllTheWeight) {
  for (const Stream& stream : kStreams) expect_feasible(stream, 1, 150);
}

TEST_P(Hostile, LossesLeaveFourThousandExpertsFeasible) {
  for (const Stream& stream : kStreams) expect_feasible(stream, 4096, 4);
  expect_feasible(kStreams[5], 4096, 30);
}

TEST_P(Hostile, RandomMixtureLeavesItFeasible) {
  Random random(1);
  Aggregator aggregator = make(6);
  for (int t = 0; t < 1500; ++t) {
    const Stream& stream = kStreams[random.below(std::size(kStreams))];
    Losses losses(6);
    for (std::size_t k = 0; k < 6; ++k) losses[k] = stream.loss(k, random.below(200), 6);
    aggregator.learn(losses);
    ASSERT_TRUE(on_simplex(aggregator.weights())) << "round " << t << ", after " << stream.name;
  }
}

TEST_P(Hostile, ExpertsThatAgreeAreBelieved) {
  Random random(2);
  for (std::size_t experts : {1u, 3u, 10u}) {
    Aggregator aggregator = make(experts);
    for (int t = 0; t < 60; ++t) {
      std::vector<double> forecasts(experts, 1);
      const std::vector<std::uint8_t> awake = random.awake(experts, 0.7);
      for (std::size_t k = 0; k < experts; ++k) {
        if (awake[k] == 0) forecasts[k] = std::nan("");
      }
      ASSERT_NEAR(aggregator.predict(forecasts), 1, 1e-15) << experts << " experts, round " << t;
      aggregator.learn(0.25);
      aggregator.learn(random.losses(experts));
    }
  }
}

TEST_P(Hostile, SleepersLeaveItFeasible) {
  for (std::size_t experts : {1u, 2u, 5u, 8u}) {
    Random random(10 + experts);
    Aggregator aggregator = make(experts);
    for (int t = 0; t < 400; ++t) {
      // Now and then all but one sleep; expert 0 sleeps for the first 200 rounds.
      std::vector<std::uint8_t> awake = random.awake(experts, random.chance(0.2) ? 0 : 0.6);
      if (t < 200 && experts > 1) {
        awake[0] = 0;
        awake[1 + random.below(experts - 1)] = 1;
      }
      const Stream& stream = kStreams[random.below(std::size(kStreams))];
      Losses losses(experts);
      for (std::size_t k = 0; k < experts; ++k) {
        losses[k] =
            awake[k] != 0 ? stream.loss(k, static_cast<std::size_t>(t), experts) : std::nan("");
      }
      const std::int64_t round = aggregator.open(awake);
      const auto played = aggregator.played(round);
      ASSERT_TRUE(on_simplex(played)) << experts << " experts, round " << t;
      for (std::size_t k = 0; k < experts; ++k) {
        ASSERT_TRUE(awake[k] != 0 || played[k] == 0) << "expert " << k << " sleeps";
      }
      aggregator.learn(round, losses);
      ASSERT_TRUE(on_simplex(aggregator.weights())) << experts << " experts, round " << t;
    }
  }
}

TEST_P(Hostile, LateOutcomesLeaveItFeasible) {
  Random random(3);
  Aggregator aggregator = make(5);
  for (int batch = 0; batch < 10; ++batch) {
    std::vector<std::int64_t> open;
    for (int i = 0; i < 20; ++i) open.push_back(aggregator.open());
    for (std::size_t i = open.size() - 1; i > 0; --i) std::swap(open[i], open[random.below(i + 1)]);
    for (std::int64_t round : open) {
      Losses losses(5);
      for (double& l : losses) l = random.chance(0.5);
      aggregator.learn(round, losses);
      ASSERT_TRUE(on_simplex(aggregator.weights()));
    }
  }
}

}  // namespace
}  // namespace pcgs
