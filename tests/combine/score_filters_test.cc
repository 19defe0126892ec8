// What profoc (R) publishes about itself, reproduced; and QuantilePanel beside its methods.
#include "combine/score_filters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "combine/quantile_levels.h"
#include "combine/quantile_pool.h"
#include "pcgs/quantiles.h"
#include "reference/levels.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::levels {
namespace {

using test::Random;
using Numbers = std::vector<double>;

ExpertWeights learned(std::size_t experts, std::uint64_t seed) {
  ExpertWeights weights(1, 0.01);
  for (std::size_t k = 0; k < experts; ++k) weights.add();
  Random random(seed);
  for (int t = 0; t < 10; ++t) weights.learn(random.losses(experts));
  return weights;
}

TEST(ExpertWeights, StartWithNobodyAndAreEqualUntilTheyLearn) {
  ExpertWeights weights(1, 0.01);
  EXPECT_EQ(weights.experts(), 0u);
  EXPECT_TRUE(weights.weights().empty());
  for (std::size_t k = 1; k <= 20; ++k) {
    weights.add();
    EXPECT_TRUE(test::all_near(weights.weights(), Numbers(k, 1 / static_cast<double>(k)), 1e-15));
  }
}

TEST(ExpertWeights, LearnByTheShareRecursion) {
  ExpertWeights weights = learned(3, 1);
  const Numbers before = test::copy(weights.weights()), losses = {0.5, 20, 0};
  Numbers expected(3);
  double total = 0;
  for (std::size_t k = 0; k < 3; ++k) total += expected[k] = before[k] * std::exp(-losses[k]);
  for (double& w : expected) w = (1 - 0.01) * w / total + 0.01 / 3;
  weights.learn(losses);
  EXPECT_TRUE(test::all_near(weights.weights(), expected, 1e-14));
}

TEST(ExpertWeights, ANewcomerTakesItsPartFromAllInProportion) {
  for (std::size_t experts = 1; experts <= 8; ++experts) {
    ExpertWeights weights = learned(experts, experts);
    Numbers expected = test::copy(weights.weights());
    const auto count = static_cast<double>(experts);
    for (double& w : expected) w *= count / (count + 1);
    expected.push_back(1 / (count + 1));
    weights.add();
    EXPECT_TRUE(test::all_near(weights.weights(), expected, 1e-15));
    EXPECT_TRUE(test::on_simplex(weights.weights()));
  }
}

TEST(ExpertWeights, WhatALeaverHadReturnsInProportion) {
  for (std::size_t experts = 2; experts <= 8; ++experts) {
    for (std::size_t leaver = 0; leaver < experts; ++leaver) {
      ExpertWeights weights = learned(experts, experts);
      Numbers expected = test::copy(weights.weights());
      const double had = expected[leaver];
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(leaver));
      for (double& w : expected) w /= 1 - had;
      weights.remove(leaver);
      EXPECT_TRUE(test::all_near(weights.weights(), expected, 1e-14));
      EXPECT_TRUE(test::on_simplex(weights.weights()));
    }
  }
}

TEST(ExpertWeights, ANewcomerThatLeavesAtOnceLeavesNoTrace) {
  ExpertWeights weights = learned(5, 3);
  const Numbers before = test::copy(weights.weights());
  weights.add();
  weights.remove(5);
  EXPECT_TRUE(test::all_near(weights.weights(), before, 1e-15));
}

TEST(ExpertWeights, TheLastOneMayLeaveAndOthersMayCome) {
  ExpertWeights weights = learned(1, 1);
  weights.remove(0);
  EXPECT_EQ(weights.experts(), 0u);
  weights.add();
  EXPECT_TRUE(test::same_bits(weights.weights(), Numbers{1}));
}

TEST(ExpertWeights, WhoeverHadAlmostEverythingMayLeave) {
  ExpertWeights weights(3, 1e-12);
  for (int k = 0; k < 3; ++k) weights.add();
  for (int t = 0; t < 1000; ++t) weights.learn(Numbers{0, 20, 20});
  EXPECT_GT(weights.weights()[0], 0.999);
  weights.remove(0);
  EXPECT_TRUE(test::all_near(weights.weights(), Numbers{0.5, 0.5}, 1e-9));
}

TEST(ExpertWeights, SavedAndLoadedTheyGoOnToTheBit) {
  for (std::size_t experts = 0; experts <= 4; ++experts) {
    ExpertWeights weights = learned(experts == 0 ? 1 : experts, 9);
    if (experts == 0) weights.remove(0);
    StateWriter out;
    weights.save(out);
    const auto file = out.file(1);
    StateReader in(file, "weights");
    ExpertWeights loaded = learned(2, 5);
    loaded.load(in, experts);
    in.finish();
    for (auto* one : {&weights, &loaded}) {
      one->add();
      one->learn(Numbers(experts + 1, 0.25));
    }
    EXPECT_TRUE(test::same_bits(loaded.weights(), weights.weights())) << experts;
  }
}

TEST(ExpertWeights, OfAnotherNumberOfExpertsAreRefused) {
  StateWriter out;
  learned(3, 1).save(out);
  const auto file = out.file(1);
  for (const std::size_t experts : {1u, 2u, 4u, 1000u}) {
    StateReader in(file, "weights");
    ExpertWeights loaded(1, 0.01);
    test::error_of([&] { loaded.load(in, experts); });
  }
}

// What profoc (R) publishes about itself, reproduced; and QuantilePanel beside its methods.

using reference::LevelWeights;

std::vector<double> hundredths() {
  std::vector<double> taus;
  for (int i = 1; i < 100; ++i) taus.push_back(i / 100.0);
  return taus;
}

void append_normal(std::vector<double>& out, const std::vector<double>& taus, double mean,
                   double sd) {
  for (const double tau : taus) {
    out.push_back(boost::math::quantile(boost::math::normal(mean, sd), tau));
  }
}

struct Made {
  std::string name;
  std::vector<double> taus;
  std::size_t experts;
  std::vector<std::vector<double>> quantiles;  // [T][K x P]
  std::vector<double> outcomes;                // [T]
};

// The example of profoc's tests and manual: two experts, one always too low, one too high.
Made two_sides() {
  Made made{"two sides", hundredths(), 2, {}, reference::normals_of_r(1000, 1)};
  std::vector<double> both;
  append_normal(both, made.taus, -5, 2);
  append_normal(both, made.taus, 5, 2);
  made.quantiles.assign(made.outcomes.size(), both);
  return made;
}

// Mean pinball loss over rounds and levels.
template <class Combined, class Learn>
double mean_loss(const Made& made, const Combined& combined, const Learn& learn) {
  const Levels levels(made.taus);
  double sum = 0;
  for (std::size_t t = 0; t < made.outcomes.size(); ++t) {
    sum += level_score(levels, combined(made.quantiles[t]), made.outcomes[t]) / 2;
    learn(made.quantiles[t], made.outcomes[t]);
  }
  return sum / static_cast<double>(made.outcomes.size());
}

double loss_of(const Made& made, const std::string& method, double gamma = 1,
               double bandwidth = 0) {
  LevelWeights weights(method, made.taus, made.experts, gamma, bandwidth);
  return mean_loss(
      made, [&](const auto& q) { return weights.combined(q); },
      [&](const auto& q, double y) { weights.learn(q, y); });
}

double loss_of_panel(const Made& made, bool calibrate) {
  QuantilePanel panel({.levels = made.taus, .calibrate = calibrate});
  for (std::size_t k = 0; k < made.experts; ++k) panel.add_expert(fmt::format("e{}", k));
  panel.add_series("one");
  std::int64_t round = 0;
  return mean_loss(
      made,
      [&](const auto& q) {
        round = panel.open(0, q);
        const auto published = panel.forecast(round);
        return std::vector<double>(published.begin(), published.end());
      },
      [&](const auto&, double y) { panel.learn(round, y); });
}

// Normal distributions around a centre that moves; experts with an error and a spread of their own, the
// best of which changes after `segment` rounds.
Made drawn(const std::string& name, std::size_t segment, std::uint64_t seed) {
  test::Random random(seed);
  Made made{name, {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95}, 6, {}, {}};
  const auto normal = [&] {
    return boost::math::quantile(boost::math::normal(), random.uniform(1e-9, 1 - 1e-9));
  };
  double centre = 100;
  for (std::size_t t = 0; t < 1000; ++t) {
    centre += normal();
    made.outcomes.push_back(centre + 3 * normal());
    auto& row = made.quantiles.emplace_back();
    for (std::size_t k = 0; k < made.experts; ++k) {
      const double off = 1 + 2 * static_cast<double>((k + t / segment) % made.experts);
      append_normal(row, made.taus, centre + off * normal(), 2 + 0.5 * static_cast<double>(k));
    }
  }
  return made;
}

TEST(LevelWeights, AreThoseThatProfocExpectsOfItself) {
  const Made made = two_sides();
  EXPECT_NEAR(made.outcomes[0], -0.6264538107423324, 1e-15);  // rnorm(1) after set.seed(1)
  EXPECT_NEAR(loss_of(made, "boa"), 0.6763033692, 5.1e-11);
  EXPECT_NEAR(loss_of(made, "bewa"), 0.6806535578, 5.1e-11);
  EXPECT_NEAR(loss_of(made, "ewa", 0.1), 0.7067959411, 5.1e-11);
  EXPECT_NEAR(loss_of(made, "ml_poly"), 0.7135789929, 5.1e-11);
}

// Prints the table of docs/quantiles.md.
TEST(LevelWeights, ThePanelStandsBesideThem) {
  fmt::print("made up       boa  smoothed   bewa  ml_poly   equal   plain   panel\n");
  for (const Made& made : {two_sides(), drawn("steady", 1000, 1), drawn("switching", 100, 2)}) {
    const std::vector<double> equal(made.experts, 1 / static_cast<double>(made.experts));
    const double of_mean = mean_loss(
        made,
        [&](const auto& q) {
          std::vector<double> out(made.taus.size());
          quantile_mean(q, equal, out);
          return out;
        },
        [](const auto&, double) {});
    const double boa = loss_of(made, "boa"), smoothed = loss_of(made, "boa", 1, 0.2),
                 bewa = loss_of(made, "bewa"), ml_poly = loss_of(made, "ml_poly"),
                 plain = loss_of_panel(made, false), panel = loss_of_panel(made, true);
    fmt::print("{:10} {:.4f}    {:.4f}  {:.4f}   {:.4f}  {:.4f}  {:.4f}  {:.4f}\n", made.name, boa,
               smoothed, bewa, ml_poly, of_mean, plain, panel);
    EXPECT_LT(smoothed, 1.01 * boa) << made.name;
    EXPECT_LT(plain, 1.07 * std::min({boa, bewa, ml_poly, of_mean})) << made.name;
    EXPECT_LT(panel, 1.02 * std::min({boa, bewa, ml_poly, of_mean})) << made.name;
  }
}

}  // namespace

}  // namespace pcgs::levels
