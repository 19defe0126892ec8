// How soon a panel of quantile forecasts learns, and what bad experts cost it. Bounds are measured, with
// a margin.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "combine/quantile_levels.h"
#include "pcgs/quantiles.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Random;
using Numbers = std::vector<double>;

const Numbers kTaus = {0.1, 0.3, 0.5, 0.7, 0.9};

// Around `middle`, as wide as the noise of the outcomes.
Numbers distribution(double middle) {
  Numbers out;
  for (const double tau : kTaus) out.push_back(middle + (2 * tau - 1));
  return out;
}

// A series without a trend: outcomes are uniform in [-1,1]. Experts are off by their bias.
struct World {
  explicit World(std::uint64_t seed, bool calibrate = true)
      : random(seed), panel({kTaus, QuantileScale::kRaw, calibrate}) {}

  void add(double bias) {
    panel.add_expert(std::to_string(biases.size()));
    biases.push_back(bias);
  }
  Numbers forecasts() {
    Numbers out;
    for (const double bias : biases) {
      const auto row = distribution(bias + random.uniform(-0.2, 0.2));
      out.insert(out.end(), row.begin(), row.end());
    }
    return out;
  }
  // The score of what the panel published in a round of that series.
  double play(std::size_t series) {
    const std::int64_t round = panel.open(series, forecasts());
    const double outcome = random.uniform(-1, 1);
    const double score = levels::level_score(levels::Levels(kTaus), panel.forecast(round), outcome);
    panel.learn(round, outcome);
    return score;
  }

  Random random;
  QuantilePanel panel;
  Numbers biases;
};

// All of the others err on the same side, so no mixture of them is good.
TEST(QuantilePanelLearning, AGoodNewcomerAmongTwentyGetsMostOfTheWeightInTenRounds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    World world(seed);
    for (int k = 0; k < 20; ++k) world.add(2 + 0.05 * k);
    world.panel.add_series("north");
    for (int t = 0; t < 100; ++t) world.play(0);
    world.add(0);
    int rounds = 0;
    while (world.panel.weights(0)[20] < 0.5 && rounds < 1000) {
      world.play(0);
      ++rounds;
    }
    EXPECT_LE(rounds, 10) << "seed " << seed;
  }
}

TEST(QuantilePanelLearning, ABadNewcomerCostsLittle) {
  double with = 0, without = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    World plain(seed), disturbed(seed);
    for (World* world : {&plain, &disturbed}) {
      for (const double bias : {-0.3, 0.0, 0.3}) world->add(bias);
      world->panel.add_series("north");
      for (int t = 0; t < 50; ++t) world->play(0);
    }
    disturbed.add(10);
    for (int t = 0; t < 200; ++t) {
      without += plain.play(0);
      with += disturbed.play(0);
    }
    EXPECT_LT(disturbed.panel.weights(0)[3], 0.02) << "seed " << seed;
  }
  EXPECT_LT(with, 1.05 * without);
}

TEST(QuantilePanelLearning, ManySeriesLearnACommonBestExpertSoonerThanOne) {
  const auto weight_after = [](std::size_t series, int rounds, std::uint64_t seed) {
    World world(seed);
    for (const double bias : {1.0, 0.8, -0.8, -1.0, 0.0}) world.add(bias);
    for (std::size_t s = 0; s < series; ++s) world.panel.add_series(std::to_string(s));
    for (int t = 0; t < rounds; ++t) {
      for (std::size_t s = 0; s < series; ++s) world.play(s);
    }
    return world.panel.weights(0)[4];
  };
  double alone = 0, together = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    alone += weight_after(1, 5, seed) / 40;
    together += weight_after(20, 5, seed) / 40;
  }
  EXPECT_GT(together, alone + 0.02);
}

// A series that comes late starts with what the others have learned.
TEST(QuantilePanelLearning, ANewSeriesStartsWithWhatTheOthersLearned) {
  World world(1);
  for (const double bias : {1.0, -1.0, 0.0}) world.add(bias);
  for (int s = 0; s < 5; ++s) world.panel.add_series(std::to_string(s));
  for (int t = 0; t < 100; ++t) world.play(static_cast<std::size_t>(t % 5));
  const std::size_t late = world.panel.add_series("late");
  EXPECT_GT(world.panel.weights(late)[2], 0.4);
}

// It counts as what is at the edge of the others, until its scores say that it is worth nothing.
TEST(QuantilePanelLearning, AnAbsurdExpertCostsLittleFromTheFirstRoundOn) {
  for (const double absurd : {1e9, -1e9, 1e308, -1e308, 1e4}) {
    World plain(3), disturbed(3);
    for (World* world : {&plain, &disturbed}) {
      for (const double bias : {0.0, 0.2, -0.3}) world->add(bias);
      world->panel.add_series("north");
    }
    disturbed.panel.add_expert("absurd");
    double without = 0, with = 0;
    for (std::int64_t t = 1; t <= 50; ++t) {
      const Numbers quantiles = plain.forecasts();
      Numbers more = quantiles;
      more.insert(more.end(), kTaus.size(), absurd);
      plain.panel.open(0, quantiles);
      disturbed.panel.open(0, more);
      const double outcome = plain.random.uniform(-1, 1);
      const levels::Levels levels(kTaus);
      without += levels::level_score(levels, plain.panel.forecast(t), outcome);
      with += levels::level_score(levels, disturbed.panel.forecast(t), outcome);
      plain.panel.learn(t, outcome);
      disturbed.panel.learn(t, outcome);
      ASSERT_EQ(disturbed.panel.outliers_by_expert()[3], t);
    }
    EXPECT_LT(with, 1.05 * without) << absurd;
  }
}

// Its tails must not become those of experts that give none either.
TEST(QuantilePanelLearning, AnAbsurdExpertDoesNotGiveItsTailsToTheOthers) {
  World world(3);
  for (int k = 0; k < 5; ++k) world.add(0);
  world.panel.add_series("north");
  // Two whole distributions, of which one exploded, and three medians.
  Numbers quantiles(25, NAN);
  std::ranges::copy(distribution(0), quantiles.begin());
  std::ranges::copy(Numbers{-1e9, -1e8, 0, 1e8, 1e9}, quantiles.begin() + 5);
  for (std::size_t k = 2; k < 5; ++k) quantiles[5 * k + 2] = 0.1 * static_cast<double>(k);
  world.panel.open(0, quantiles);
  EXPECT_GT(world.panel.forecast(1)[0], -100);
  EXPECT_LT(world.panel.forecast(1)[4], 100);
}

}  // namespace
}  // namespace pcgs
