#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "pcgs/trace.h"
#include "reference/methods.h"
#include "reference/shares.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Comparison;
using test::reference_of;

constexpr auto fixed_share = reference_of<reference::FixedShare, double, double>;
constexpr auto variable_share = reference_of<reference::VariableShare, double, double>;
constexpr auto past_posteriors = reference_of<reference::PastPosteriors, double, double>;

TEST(Formulae, MatchTheirReferences) {
  const Comparison comparisons[] = {
      {"hedge{eta=2}", fixed_share(2, 0)},
      {"hedge{eta=0.1}", fixed_share(0.1, 0)},
      {"fixed-share{eta=2,rho=0.05}", fixed_share(2, 0.05)},
      {"fixed-share{eta=8,rho=0.001}", fixed_share(8, 0.001)},
      {"variable-share{eta=2,rho=0.05}", variable_share(2, 0.05)},
      {"variable-share{eta=8,rho=0.3}", variable_share(8, 0.3)},
      // With the whole history.
      {"past-posteriors{eta=2,rho=0.05}", past_posteriors(2, 0.05)},
      {"past-posteriors{eta=16,rho=0.2}", past_posteriors(16, 0.2), 60},
      // Members with eta = 256 carry exponents up to 256, hence errors of 256 epsilon a round in their
      // evidence: 60 * 256 * 1.1e-16 = 2e-12, before the sums over experts.
      {"learn-alpha", reference_of<reference::LearnAlpha>(), 60, 5e-12},
      {"adahedge", reference_of<reference::AdaHedge>()},
      // e R is near sqrt(rounds) and its error epsilon times that; 1e-11 covers the sums over experts.
      {"boa{gradient=0}", reference_of<reference::Boa>(), 100, 1e-11},
      {"ml-poly{gradient=0}", reference_of<reference::MlPoly>()},
      // By numerical integration.
      {"squint", reference_of<reference::Squint>(), 60},
  };
  for (const Comparison& comparison : comparisons) test::compare(comparison);
}

// The exponent eta l carries an error of eta epsilon, and 100 of them add up. With a rho of nearly 1 the
// posteriors must not be recovered from what is left of them.
TEST(Formulae, MatchTheirReferencesForLargeRates) {
  for (const Comparison& comparison :
       {Comparison{"hedge{eta=100}", fixed_share(100, 0), 100, 1e-11},
        Comparison{"fixed-share{eta=256,rho=0.1}", fixed_share(256, 0.1), 100, 1e-11},
        Comparison{"past-posteriors{eta=2,rho=0.999}", past_posteriors(2, 0.999), 60}}) {
    test::compare_with_losses(comparison);
  }
}

TEST(Formulae, MatchTheirReferencesOnALongRun) {
  test::ShiftingLosses five(5, 1, 40), four(4, 1, 60);
  test::compare_on({"past-posteriors{eta=4,rho=0.02}", past_posteriors(4, 0.02), 500}, 5,
                   [&] { return five.next(); });
  test::compare_on({"learn-alpha", reference_of<reference::LearnAlpha>(), 600, 1e-11}, 4,
                   [&] { return four.next(); });
  // Losses of exactly 0 and 1 make members of large eta and rho = 0 as sure and as wrong as can be.
  std::size_t t = 0;
  test::compare_on({"learn-alpha", reference_of<reference::LearnAlpha>(), 120, 1e-11}, 3, [&] {
    std::vector<double> l(3, 1);
    l[t++ / 40] = 0;
    return l;
  });
}

TEST(Hedge, WeighsByTotalLossAlone) {
  Aggregator aggregator = make_aggregator("hedge{eta=1.5}", 3);
  test::Random random(1);
  std::vector<double> total(3, 0);
  for (int t = 0; t < 30; ++t) {
    const std::vector<double> losses = random.losses(3);
    for (std::size_t k = 0; k < 3; ++k) total[k] += losses[k];
    aggregator.learn(losses);
  }
  std::vector<double> expected;
  double sum = 0;
  for (double l : total) sum += expected.emplace_back(std::exp(-1.5 * l));
  for (double& w : expected) w /= sum;
  EXPECT_TRUE(test::all_near(aggregator.weights(), expected, 1e-12));
}

TEST(FixedShare, NeverPutsAnExpertBelowItsRestartShare) {
  Aggregator aggregator = make_aggregator("fixed-share{eta=100,rho=0.02}", 4);
  for (int t = 0; t < 200; ++t) aggregator.learn(std::vector<double>{0, 1, 1, 1});
  for (double w : aggregator.weights()) EXPECT_GE(w, 0.02 / 4 * (1 - 1e-12));
  EXPECT_NEAR(aggregator.weights()[0], 0.98 + 0.02 / 4, 1e-12);
}

TEST(VariableShare, AnExpertWithoutLossGivesNothingAway) {
  Aggregator aggregator = make_aggregator("variable-share{eta=1,rho=0.25}", 3);
  aggregator.learn(std::vector<double>{0, 1, 0});
  const double z = 2 + std::exp(-1.0);
  const double given = 0.25 * std::exp(-1.0) / z;  // expert 1 lost 1: it gives away rho v
  EXPECT_TRUE(test::all_near(
      aggregator.weights(),
      std::vector<double>{1 / z + given / 2, 0.75 * std::exp(-1.0) / z, 1 / z + given / 2}, 1e-15));
}

// Heuristic Generalized Share has no outside reference: src/methods/controllers.cc says what it must
// do.

using Losses = std::vector<double>;

TEST(GenShare, RestartsAreDistributionsAndRhoIsARestartIntensity) {
  Aggregator aggregator = make_aggregator("genshare{eta=4,rho=0.01}", 6);
  Trace trace;
  aggregator.trace(&trace);
  test::ShiftingLosses losses(6, 1);
  for (int t = 0; t < 300; ++t) aggregator.learn(losses.next());
  for (const Trace::Row& row : trace.rows()) {
    ASSERT_TRUE(test::on_simplex(row.q));
    ASSERT_GT(*std::min_element(row.q.begin(), row.q.end()), 0) << "eps/K for everybody";
    ASSERT_GT(row.rho, 0);
    ASSERT_LT(row.rho, 1);
    ASSERT_EQ(row.eta, 4);
  }
}

// Bias correction: after one round the mean loss is that round's, whatever the span, so that equal
// first losses give equal chances and a constant expert's mean is its loss from the start.
TEST(GenShare, MeansAreBiasCorrected) {
  Aggregator aggregator = make_aggregator("genshare", 3);
  Trace trace;
  aggregator.trace(&trace);
  const Losses losses = {0.1, 0.2, 0.4};
  for (int t = 0; t < 40; ++t) aggregator.learn(losses);
  for (const Trace::Row& row : trace.rows()) {
    ASSERT_TRUE(test::all_near(row.q, trace.rows()[0].q, 1e-12)) << "round " << row.round;
  }
  EXPECT_GT(trace.rows()[0].q[0], trace.rows()[0].q[1]);
  EXPECT_GT(trace.rows()[0].q[1], trace.rows()[0].q[2]);
}

TEST(GenShare, RestartsTowardsTheRecentlyGood) {
  Aggregator aggregator = make_aggregator("genshare", 3);
  Trace trace;
  aggregator.trace(&trace);
  for (int t = 0; t < 100; ++t) aggregator.learn(Losses{0, 1, 1});
  for (int t = 0; t < 50; ++t) aggregator.learn(Losses{1, 0, 1});
  const std::vector<double>& q = trace.rows().back().q;
  EXPECT_GT(q[1], 2 * q[0]) << "although expert 0 has the smaller total loss";
  EXPECT_GT(q[1], 2 * q[2]);
}

TEST(GenShare, RestartsMoreAfterASurprise) {
  Aggregator aggregator = make_aggregator("genshare{eta=4,rho=0.01}", 4);
  Trace trace;
  aggregator.trace(&trace);
  for (int t = 0; t < 300; ++t) aggregator.learn(Losses{0, 1, 1, 1});
  const double calm = trace.rows().back().rho;
  EXPECT_NEAR(calm, 0.01, 0.002) << "without surprise, rho_0";
  aggregator.learn(Losses{1, 0, 1, 1});
  EXPECT_GT(trace.rows().back().rho, 1.5 * calm);
}

TEST(PastPosteriors, FirstRestartIsUniform) {
  Aggregator aggregator = make_aggregator("past-posteriors{eta=2,rho=0.05}", 4);
  Trace trace;
  aggregator.trace(&trace);
  aggregator.learn(std::vector<double>{0, 1, 1, 1});
  EXPECT_TRUE(test::all_near(trace.rows().at(0).q, std::vector<double>(4, 0.25), 1e-15));
}

// What it is for: an expert that was good once is favoured by restarts over one that never was.
TEST(PastPosteriors, RemembersAnExpertThatWasGoodBefore) {
  Aggregator aggregator = make_aggregator("past-posteriors{eta=8,rho=0.05}", 3);
  for (int t = 0; t < 50; ++t) aggregator.learn(std::vector<double>{0, 1, 1});
  for (int t = 0; t < 50; ++t) aggregator.learn(std::vector<double>{1, 0, 1});
  EXPECT_GT(aggregator.weights()[0], 5 * aggregator.weights()[2]);
}

TEST(AdaHedge, FollowsTheLeadersWhileNothingHasBeenLostToMixing) {
  Aggregator aggregator = make_aggregator("adahedge", 3);
  aggregator.learn(std::vector<double>{0.5, 0.5, 0.5});  // no gap: eta stays infinite
  EXPECT_TRUE(test::all_near(aggregator.weights(), std::vector<double>(3, 1.0 / 3), 1e-15));
  aggregator.learn(std::vector<double>{0, 0, 1});
  // Delta = 1/3 now, so eta = 3 ln 3 and exp(-eta) = 3^-3.
  const double w = std::pow(3.0, -3);
  EXPECT_TRUE(test::all_near(aggregator.weights(),
                             std::vector<double>{1 / (2 + w), 1 / (2 + w), w / (2 + w)}, 1e-12));
}

TEST(AdaHedge, TreatsShiftedLossesAlike) {
  Aggregator plain = make_aggregator("adahedge", 3);
  Aggregator shifted = make_aggregator("adahedge", 3);
  for (int t = 0; t < 60; ++t) {
    const double a = (t * 7 % 11) / 32.0;
    const double b = (t * 5 % 13) / 32.0;
    plain.learn(std::vector<double>{a, b, 0.25});
    shifted.learn(std::vector<double>{a + 0.5, b + 0.5, 0.75});
    ASSERT_TRUE(test::all_near(plain.weights(), shifted.weights(), 1e-11)) << "round " << t;
  }
}

TEST(Boa, AnExpertThatHasSleptFromTheStartKeepsItsShare) {
  Aggregator aggregator = make_aggregator("boa", 4);
  for (int t = 0; t < 30; ++t) {
    const std::int64_t round = aggregator.open(std::vector<std::uint8_t>{1, 1, 1, 0});
    aggregator.learn(round, std::vector<double>{0, 1, 0.25 * (t % 3), 0});
    ASSERT_NEAR(aggregator.weights()[3], 0.25, 1e-15) << "round " << t;
    ASSERT_TRUE(test::on_simplex(aggregator.weights()));
  }
  EXPECT_GT(aggregator.weights()[0], 0.7);
}

TEST(MlPoly, GivesNothingToExpertsWithoutRegret) {
  Aggregator aggregator = make_aggregator("ml-poly", 3);
  aggregator.learn(std::vector<double>{0, 1, 1});
  EXPECT_TRUE(test::all_near(aggregator.weights(), std::vector<double>{1, 0, 0}, 1e-15));
}

TEST(MlPoly, IsUniformWhenNobodyHasRegret) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  aggregator.learn(std::vector<double>{0, 1});  // regrets 0.5 and -0.5: everything on the first
  aggregator.learn(std::vector<double>{1, 1});
  ASSERT_TRUE(test::all_near(aggregator.weights(), std::vector<double>{1, 0}, 1e-15));
  // A combined forecast better than every expert leaves regret to nobody.
  aggregator = make_aggregator("ml-poly", 2);
  aggregator.predict(std::vector<double>{0, 1});
  aggregator.learn(0.5);
  EXPECT_TRUE(test::all_near(aggregator.weights(), std::vector<double>{0.5, 0.5}, 1e-15));
}

// Against numerical integration, with losses that are given.
void compare_squint(std::size_t experts, int rounds,
                    const std::function<std::vector<double>(int t)>& losses) {
  test::compare_on({"squint", reference_of<reference::Squint>(), static_cast<std::size_t>(rounds)},
                   experts, [&, t = 0]() mutable { return losses(t++); });
}

TEST(Squint, MatchesNumericalIntegrationWhenOneExpertIsFarAhead) {
  compare_squint(3, 200, [](int t) { return Losses{0, 1, t % 2 == 0 ? 1.0 : 0.0}; });
}

TEST(Squint, MatchesNumericalIntegrationForTinyRegrets) {
  const auto tiny = [](int t, int power) {
    const double x = std::ldexp(1.0, -power);  // 1, 1/2, ..., 1e-18
    return Losses{x, 0, x / 2, t % 2 == 0 ? x : 0};
  };
  compare_squint(4, 60, [&](int t) { return tiny(t, t); });
  compare_squint(4, 60, [&](int t) { return tiny(59 - t, 59 - t); });  // from nothing upwards
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

}  // namespace

}  // namespace pcgs
