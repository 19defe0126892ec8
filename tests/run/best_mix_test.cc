#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "run/errors.h"
#include "run/made_up.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

using test::made_up_problem;
using test::Random;
using Weights = std::vector<double>;

constexpr const char* kLosses[] = {"squared", "absolute", "pinball", "log"};

// The mean loss of constant weights on rounds with everybody awake and a known outcome.
double mean_loss(const Problem& problem, const Weights& weights) {
  double total = 0;
  int rounds = 0;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    double mixed = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) mixed += weights[k] * problem.values.row(t)[k];
    if (std::isnan(mixed) || std::isnan(problem.outcomes[t])) continue;
    total += problem.task(mixed, problem.outcomes[t]);
    ++rounds;
  }
  return total / rounds;
}

double value(const Weights& a, const Weights& b, const Weights& w) {
  double out = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    out -= b[i] * w[i];
    for (std::size_t j = 0; j < b.size(); ++j) out += w[i] * a[i * b.size() + j] * w[j] / 2;
  }
  return out;
}

// Every way to give out `steps` equal parts of the weight.
void for_each_mix(std::size_t experts, int steps, const std::function<void(const Weights&)>& use) {
  Weights weights(experts);
  const std::function<void(std::size_t, int)> give = [&](std::size_t k, int left) {
    if (k + 1 == experts) {
      weights[k] = static_cast<double>(left) / steps;
      use(weights);
      return;
    }
    for (int part = 0; part <= left; ++part) {
      weights[k] = static_cast<double>(part) / steps;
      give(k + 1, left - part);
    }
  };
  give(0, steps);
}

// How much better than exact a solver may be called that goes on until nothing is gained.
double slack(const Problem& problem, double loss) {
  return (problem.task.kind() == TaskLoss::Kind::kSquared ? 1e-10 : 2e-3) * loss;
}

TEST(BestMix, NoMixOfAFineGridIsBetter) {
  for (const char* loss : kLosses) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      for (const std::size_t experts : {2u, 3u}) {
        Random random(seed);
        const Problem problem = made_up_problem(60, experts, loss, random);
        const auto found = best_mix(problem);
        ASSERT_TRUE(found);
        EXPECT_TRUE(test::on_simplex(*found));
        const double own = mean_loss(problem, *found);
        double least = INFINITY;
        for_each_mix(experts, experts == 2 ? 1000 : 100, [&](const Weights& weights) {
          least = std::min(least, mean_loss(problem, weights));
        });
        EXPECT_LE(own, least + slack(problem, least)) << loss << ", seed " << seed;
      }
    }
  }
}

TEST(BestMix, NoRandomMixAndNoExpertIsBetter) {
  for (const char* loss : kLosses) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Random random(100 + seed);
      const std::size_t experts = 1 + random.below(12);
      Problem problem = made_up_problem(20 + random.below(80), experts, loss, random);
      // Somebody's twin, and somebody who always says the same.
      for (std::size_t t = 0; t < problem.rounds() && experts > 2; ++t) {
        problem.values.row(t)[1] = problem.values.row(t)[0];
        problem.values.row(t)[2] = std::string_view(loss) == "log" ? 0.4 : 10;
      }
      const auto found = best_mix(problem);
      ASSERT_TRUE(found);
      EXPECT_TRUE(test::on_simplex(*found)) << loss << ", seed " << seed;
      const double own = mean_loss(problem, *found);
      for (int repeat = 0; repeat < 500; ++repeat) {
        Weights other = random.simplex(experts);
        if (repeat < static_cast<int>(experts)) {
          other.assign(experts, 0);
          other[static_cast<std::size_t>(repeat)] = 1;
        } else if (repeat % 2 == 0) {  // nearby
          for (std::size_t k = 0; k < experts; ++k) other[k] = 0.99 * (*found)[k] + 0.01 * other[k];
        }
        const double theirs = mean_loss(problem, other);
        ASSERT_LE(own, theirs + slack(problem, theirs)) << loss << ", seed " << seed;
      }
    }
  }
}

TEST(BestMix, IsFoundOnRoundsWithEveryForecastAndAnOutcomeAlone) {
  for (const char* loss : kLosses) {
    Random random(5);
    const Problem whole = made_up_problem(80, 4, loss, random);
    Problem with_holes = test::empty_problem(0, 4);
    with_holes.task = whole.task;
    for (std::size_t t = 0; t < whole.rounds(); ++t) {
      for (int extra = 0; extra < 2; ++extra) {  // the second is a round that does not count
        const auto row = whole.values.row(t);
        auto& values = with_holes.values.values;
        values.insert(values.end(), row.begin(), row.end());
        with_holes.outcomes.push_back(whole.outcomes[t]);
        ++with_holes.values.rows;
        if (extra == 0) continue;
        if (t % 2 == 0) {
          with_holes.outcomes.back() = test::kAsleep;
        } else {
          with_holes.values.row(with_holes.rounds() - 1)[t % 4] = test::kAsleep;
        }
      }
    }
    EXPECT_TRUE(test::same_bits(*best_mix(with_holes), *best_mix(whole))) << loss;
  }
}

TEST(BestMix, ThereIsNoneWithoutARoundThatCounts) {
  EXPECT_FALSE(best_mix(test::empty_problem(0, 3)));
  Problem problem = test::empty_problem(2, 2);
  problem.outcomes[0] = test::kAsleep;
  problem.values.row(1)[1] = test::kAsleep;
  EXPECT_FALSE(best_mix(problem));
}

TEST(BestMix, OfAPerfectExpertIsThatExpert) {
  for (const char* loss : {"squared", "absolute", "pinball"}) {
    Random random(6);
    Problem problem = made_up_problem(50, 5, loss, random);
    for (std::size_t t = 0; t < 50; ++t) problem.values.row(t)[3] = problem.outcomes[t];
    const auto found = best_mix(problem);
    ASSERT_TRUE(found);
    EXPECT_NEAR((*found)[3], 1, 1e-6) << loss;
  }
}

// Forecasts around an outcome that is far away, as temperatures in kelvin are.
TEST(BestMix, DoesNotDependOnWhereZeroIsNorOnTheUnit) {
  Random random(7);
  const Problem problem = made_up_problem(100, 6, "squared", random);
  const auto plain = best_mix(problem);
  for (const double unit : {1e-6, 1e6}) {
    for (const double zero : {0.0, 1e4}) {
      Problem other = problem;
      for (double& x : other.values.values) x = unit * (x + zero);
      for (double& y : other.outcomes) y = unit * (y + zero);
      EXPECT_TRUE(test::all_near(*best_mix(other), *plain, 1e-6)) << unit << ", " << zero;
    }
  }
}

// A = M'M of any rank, zero included.
TEST(SimplexMinimum, NoRandomPointIsLowerWhateverTheRank) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const std::size_t k = 1 + random.below(12), rank = random.below(k + 1);
    const double unit = random.log_uniform(1e-8, 1e8);
    Matrix m(rank, k);
    for (double& x : m.values) x = unit * random.uniform(-1, 1);
    if (k > 3 && random.chance(0.5)) {
      for (std::size_t r = 0; r < rank; ++r) m.row(r)[1] = m.row(r)[3];  // twins
    }
    Weights a(k * k), b(k);
    for (std::size_t r = 0; r < rank; ++r) {
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) a[i * k + j] += m.row(r)[i] * m.row(r)[j];
      }
    }
    for (double& x : b) x = random.chance(0.3) ? 0 : unit * unit * random.uniform(-1, 1);
    const Weights found = simplex_minimum(a, b);
    ASSERT_TRUE(test::on_simplex(found)) << "seed " << seed;
    const double own = value(a, b, found);
    for (int repeat = 0; repeat < 400; ++repeat) {
      Weights other = random.simplex(k);
      if (repeat < static_cast<int>(k)) {
        other.assign(k, 0);
        other[static_cast<std::size_t>(repeat)] = 1;
      } else if (repeat % 3 == 0) {
        for (std::size_t i = 0; i < k; ++i) other[i] = 0.999 * found[i] + 0.001 * other[i];
      }
      ASSERT_LE(own, value(a, b, other) + 1e-9 * unit * unit) << "seed " << seed << ", " << repeat;
    }
  }
}

}  // namespace
}  // namespace pcgs::compare
