#include "combine/quantile_pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "combine/quantile_levels.h"
#include "draws.h"
#include "reference/levels.h"
#include "support/expect.h"

namespace pcgs::levels {
namespace {

using test::Random;

struct Problem {
  Levels levels;
  std::size_t experts;
  std::vector<double> quantiles, weights;

  explicit Problem(std::uint64_t seed) : Problem(Random(seed)) {}

 private:
  explicit Problem(Random random)
      : levels(test::draw_levels(random, 1 + random.below(12))),
        experts(1 + random.below(6)),
        quantiles(test::draw_experts(random, experts, levels.size())),
        weights(random.simplex(experts)) {}
};

using Operator = std::vector<double> (*)(const Problem&);

std::vector<double> mean_of(const Problem& p) {
  std::vector<double> out(p.levels.size());
  quantile_mean(p.quantiles, p.weights, out);
  return out;
}
std::vector<double> median_of(const Problem& p) {
  std::vector<double> out(p.levels.size());
  std::vector<std::size_t> order(p.experts);
  quantile_median(p.quantiles, p.weights, order, out);
  return out;
}
std::vector<double> pool_of(const Problem& p) {
  std::vector<double> out(p.levels.size());
  Pool pool(p.levels, p.experts);
  pool.arrange(p.quantiles);
  pool.linear(p.weights, out);
  return out;
}
constexpr Operator kOperators[] = {mean_of, median_of, pool_of};

TEST(Operators, GiveOrderedQuantilesInTheRangeOfTheExperts) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Problem p(seed);
    const auto [low, high] = std::ranges::minmax(p.quantiles);
    for (const auto combine : kOperators) {
      const auto out = combine(p);
      EXPECT_EQ(crossings(out), 0u) << seed;
      EXPECT_GE(out.front(), low - 1e-15) << seed;
      EXPECT_LE(out.back(), high + 1e-15) << seed;
    }
  }
}

TEST(Operators, GiveBackWhatAllExpertsSay) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Problem p(seed);
    Random random(seed + 1000);
    const auto one = test::draw_quantiles(random, p.levels.size());
    for (std::size_t k = 0; k < p.experts; ++k) {
      std::ranges::copy(one, p.quantiles.begin() + static_cast<std::ptrdiff_t>(k * one.size()));
    }
    for (const auto combine : kOperators)
      EXPECT_TRUE(test::all_near(combine(p), one, 1e-9)) << seed;
  }
}

TEST(Operators, DoNotLookAtExpertsWithoutWeight) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Problem p(seed);
    Problem asleep = p;
    for (std::size_t k = 0; k < p.experts; ++k) {
      if (p.weights[k] > 0) continue;
      std::fill_n(asleep.quantiles.begin() + static_cast<std::ptrdiff_t>(k * p.levels.size()),
                  p.levels.size(), std::numeric_limits<double>::quiet_NaN());
    }
    for (const auto combine : kOperators) {
      EXPECT_TRUE(test::all_near(combine(asleep), combine(p), 1e-9)) << seed;
    }
  }
}

TEST(Operators, DoNotCareAboutTheOrderOfExperts) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Problem p(seed);
    Problem turned = p;
    const std::size_t count = p.levels.size();
    for (std::size_t k = 0; k < p.experts; ++k) {
      const std::size_t to = (k + 1) % p.experts;
      turned.weights[to] = p.weights[k];
      std::copy_n(p.quantiles.begin() + static_cast<std::ptrdiff_t>(k * count), count,
                  turned.quantiles.begin() + static_cast<std::ptrdiff_t>(to * count));
    }
    for (const auto combine : kOperators) {
      EXPECT_TRUE(test::all_near(combine(turned), combine(p), 1e-9)) << seed;
    }
  }
}

TEST(Operators, StayFiniteAtTheEndsOfTheRangeOfADouble) {
  constexpr double kMost = std::numeric_limits<double>::max(), kLeast = 5e-324;
  Problem p(1);
  p.levels = Levels({0.1, 0.5, 0.9});
  p.experts = 2;
  p.weights = {0.25, 0.75};
  for (const auto& quantiles : {std::vector{-kMost, 0.0, kMost, -kMost, -kMost, kMost},
                                std::vector{0.0, kLeast, 2 * kLeast, 0.0, 0.0, kLeast},
                                std::vector{-kMost, -kMost, -kMost, kMost, kMost, kMost}}) {
    p.quantiles = quantiles;
    for (const auto combine : kOperators) {
      const auto out = combine(p);
      for (const double x : out) EXPECT_TRUE(std::isfinite(x));
      EXPECT_EQ(crossings(out), 0u);
    }
  }
}

// The least x at which the mixed distribution function has reached the level.
void expect_inverse(const Problem& p, std::span<const double> out, double slack, std::uint64_t seed,
                    double (*mixed)(std::span<const double>, std::span<const double>,
                                    std::span<const double>, double)) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto at = [&](double x) { return mixed(p.levels.values(), p.quantiles, p.weights, x); };
    EXPECT_GE(at(out[i] + slack), p.levels[i] - slack) << seed << " level " << i;
    EXPECT_LE(at(out[i] - slack), p.levels[i] + slack) << seed << " level " << i;
  }
}

TEST(LinearPool, InvertsTheMeanOfDistributionFunctions) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Problem p(seed);
    expect_inverse(p, pool_of(p), 1e-10, seed, reference::pooled);
  }
}

TEST(LinearPool, InvertsItForEveryChoiceOfEqualQuantiles) {
  const std::vector<std::vector<double>> rows = {{-1, -1}, {-1, 0}, {-1, 1},
                                                 {0, 0},   {0, 1},  {1, 1}};
  Problem p(1);
  p.levels = Levels({0.25, 0.75});
  p.experts = 3;
  for (const auto& weights : {std::vector{0.25, 0.25, 0.5}, std::vector{0.0, 0.5, 0.5},
                              std::vector{1.0 / 3, 1.0 / 3, 1.0 / 3}}) {
    p.weights = weights;
    for (std::size_t choice = 0; choice < 6 * 6 * 6; ++choice) {
      p.quantiles.clear();
      for (const std::size_t row : {choice % 6, choice / 6 % 6, choice / 36}) {
        p.quantiles.insert(p.quantiles.end(), rows[row].begin(), rows[row].end());
      }
      expect_inverse(p, pool_of(p), 1e-10, choice, reference::pooled);
    }
  }
}

// A sum of slopes that is carried on has no correct digit behind such an expert.
TEST(LinearPool, IsExactBehindExpertsOfAnyNarrowness) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Problem p(seed);
    p.levels = Levels(test::draw_levels(random, 23));
    p.experts = 40;
    p.weights = random.simplex(p.experts);
    p.quantiles = test::draw_experts(random, p.experts, p.levels.size());
    for (std::size_t k = 0; k < p.experts; k += 1 + random.below(5)) {
      const double width = random.log_uniform(1e-300, 1e-3);
      for (std::size_t i = 0; i < p.levels.size(); ++i) {
        p.quantiles[k * p.levels.size() + i] *= width;
      }
    }
    expect_inverse(p, pool_of(p), 1e-10, seed, reference::pooled);
  }
}

TEST(LinearPool, IsTheSameInUnitsNearTheLargestDouble) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Problem p(seed);
    for (double& x : p.quantiles) x = 2 * x - 1;
    const auto expected = pool_of(p);
    constexpr double kUnit = 0x1p1023;
    for (double& x : p.quantiles) x *= kUnit;
    auto out = pool_of(p);
    for (double& x : out) x /= kUnit;
    EXPECT_TRUE(test::all_near(out, expected, 1e-12)) << seed;
  }
}

TEST(LinearPool, TakesTheNearSideOfAGapHoweverWeightsRound) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Problem p(seed);
    p.levels = Levels({0.1, 0.5, 0.9});
    p.experts = 14;
    p.weights.clear();
    p.quantiles.clear();
    for (const double place : {0.0, 10.0}) {  // half of the weight at each
      for (const double w : random.simplex(7)) {
        p.weights.push_back(0.5 * w);
        p.quantiles.insert(p.quantiles.end(), {place, place + 1, place + 2});
      }
    }
    EXPECT_EQ(pool_of(p)[1], 2) << seed;
  }
}

TEST(LinearPool, IsExactBetweenNeighbouringDoubles) {
  constexpr double kLeast = 5e-324;
  Problem p(1);
  p.levels = Levels({0.1, 0.5, 0.9});
  p.experts = 2;
  p.weights = {0.25, 0.75};
  p.quantiles = {0, kLeast, 2 * kLeast, 0, 0, kLeast};
  const auto out = pool_of(p);
  EXPECT_EQ(out[0], 0);
  EXPECT_LE(out[1], kLeast);
  EXPECT_EQ(out[2], 2 * kLeast);  // 0.875 of the weight is at the least double or below
}

TEST(LinearPool, TakesAnyNumberOfWeightsOnceArranged) {
  const Problem p(3);
  Pool pool(p.levels, p.experts);
  pool.arrange(p.quantiles);
  std::vector<double> out(p.levels.size());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Problem other = p;
    other.weights = Random(seed).simplex(p.experts);
    pool.linear(other.weights, out);
    EXPECT_TRUE(test::same_bits(out, pool_of(other)));
  }
}

TEST(QuantileMedian, IsTheWeightedMedianOfEachLevel) {
  Problem p(1);
  p.levels = Levels({0.3, 0.6});
  p.experts = 3;
  p.quantiles = {1, 5, 2, 4, 3, 9};
  p.weights = {0.3, 0.3, 0.4};
  EXPECT_EQ(median_of(p), (std::vector<double>{2, 5}));
  p.weights = {0.6, 0.0, 0.4};
  EXPECT_EQ(median_of(p), (std::vector<double>{1, 5}));
  // The lower of two halves, however weights round.
  p.experts = 10;
  p.quantiles = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    p.weights = random.simplex(5);
    for (const double w : random.simplex(5)) p.weights.push_back(w);
    for (double& w : p.weights) w *= 0.5;
    EXPECT_EQ(median_of(p)[0], 1) << seed;
  }
}

// ---- Mixability ---------------------------------------------------------------------------------

// -(1/eta) ln sum_k w_k exp(-eta CRPS_k), for forecasts and outcomes in [0,1].
double mix_loss(const Problem& p, double y, double eta) {
  double sum = 0;
  const std::size_t count = p.levels.size();
  for (std::size_t k = 0; k < p.experts; ++k) {
    if (p.weights[k] == 0) continue;
    sum += p.weights[k] *
           std::exp(-eta * test::crps(p.levels, {p.quantiles.data() + k * count, count}, y));
  }
  return -std::log(sum) / eta;
}

double mixed_crps(const Problem& p, double y, reference::Mixed mixed) {
  return reference::mixed_crps(p.levels.values(), p.quantiles, p.weights, y, mixed);
}

TEST(LinearPool, NeverExceedsItsMixLoss) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Problem p(seed);
    const double y = Random(seed + 5000).uniform();
    EXPECT_LE(mixed_crps(p, y, reference::pooled), mix_loss(p, y, 0.5) + 1e-4) << seed;
  }
}

TEST(Substitution, NeverExceedsItsMixLossAtFourTimesTheRate) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Problem p(seed);
    const double y = Random(seed + 5000).uniform();
    EXPECT_LE(mixed_crps(p, y, reference::substituted), mix_loss(p, y, 2) + 1e-4) << seed;
  }
}

TEST(LinearPool, ExceedsTheMixLossOfALargerRateSomewhere) {
  // Two lumps at the ends of [0,1]: the pool pays 1/4, the mix loss at a large rate nearly nothing.
  Problem p(1);
  p.levels = Levels({0.5});
  p.experts = 2;
  p.weights = {0.5, 0.5};
  p.quantiles = {0, 1};
  EXPECT_GT(mixed_crps(p, 0, reference::pooled), mix_loss(p, 0, 8) + 0.1);
}

}  // namespace
}  // namespace pcgs::levels
