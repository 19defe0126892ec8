#include "proof/score_certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "combine/draws.h"
#include "combine/expert_weights.h"
#include "combine/levels.h"
#include "combine/scores.h"
#include "reference/levels.h"
#include "support/random.h"

namespace pcgs::levels {
namespace {

using test::Random;
using Numbers = std::vector<double>;

// Whatever was published, whoever comes and goes, however large the scores.
TEST(ScoreCertificate, HoldsWhileExpertsComeAndGo) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    std::vector<ExpertWeights> recursions;
    for (const double eta : {0.1, 1.0, 3.0}) recursions.emplace_back(eta, 0.01);
    ScoreCertificate certificate(recursions.size());
    std::size_t experts = 0;
    const auto add = [&] {
      for (ExpertWeights& one : recursions) one.add();
      certificate.add_expert();
      ++experts;
    };
    for (std::size_t k = 0; k <= random.below(4); ++k) add();
    for (int t = 0; t < 120; ++t) {
      if (random.chance(0.1)) add();
      if (experts > 1 && random.chance(0.1)) {
        const std::size_t leaver = random.below(experts--);
        for (ExpertWeights& one : recursions) one.remove(leaver);
        certificate.remove_expert(leaver);
      }
      Numbers scores(experts), seen;
      for (double& s : scores) s = random.log_uniform(0.05, random.chance(0.05) ? 1e6 : 5);
      for (const double s : scores) seen.push_back(std::min(s, 20.0));
      const double published = random.log_uniform(0.05, 5);
      for (std::size_t i = 0; i < recursions.size(); ++i) {
        certificate.observe(i, {scores, seen, published}, recursions[i].learn(seen, 1));
      }
      const ForecastClaim path = certificate.against_path(), one = certificate.against_expert();
      ASSERT_TRUE(path.certificate.holds()) << seed << ", round " << t;
      ASSERT_TRUE(one.certificate.holds()) << seed << ", round " << t;
      ASSERT_LT(one.expert, experts);
      ASSERT_GT(path.loss, 0);
    }
    EXPECT_EQ(certificate.rounds(), 120u);
  }
}

// Experts that are there from the start, one by one or together, cost ln K.
TEST(ScoreCertificate, ChargesTheStartOnce) {
  ExpertWeights weights(1, 0);
  ScoreCertificate certificate(1);
  for (int k = 0; k < 8; ++k) {
    weights.add();
    certificate.add_expert();
  }
  const Numbers scores = {1, 2, 2, 2, 2, 2, 2, 0.5};
  const ShareStep& step = weights.learn(scores, 1);
  certificate.observe(0, {scores, scores, step.mix_loss}, step);
  const ForecastClaim claim = certificate.against_expert();
  EXPECT_EQ(claim.expert, 7u);
  EXPECT_NEAR(claim.certificate.bound, std::log(8.0), 1e-12) << "the mix loss was paid, no more";
}

// The CRPS of a combined distribution on [0,1] is within ln K / eta of every expert's: eta = 1/2 for the
// linear pool and 2 for the substitution, whatever happens. And the certificate says so.
TEST(ScoreCertificate, BoundsTheCrpsOfMixableCombinations) {
  struct Way {
    reference::Mixed mixed;
    double eta;
  };
  for (const Way way : {Way{reference::pooled, 0.5}, Way{reference::substituted, 2}}) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Random random(seed);
      const std::size_t experts = 2 + random.below(4), count = 1 + random.below(6);
      const Levels levels(test::draw_levels(random, count));
      ExpertWeights weights(way.eta, 0);
      ScoreCertificate certificate(1);
      for (std::size_t k = 0; k < experts; ++k) {
        weights.add();
        certificate.add_expert();
      }
      const std::size_t good = random.below(experts);
      Numbers total(experts);
      double paid = 0;
      constexpr int kRounds = 60;
      for (int t = 0; t < kRounds; ++t) {
        const Numbers quantiles = test::draw_experts(random, experts, count);
        const double y =
            random.chance(0.7) ? quantiles[good * count + count / 2] : random.uniform();
        const double published =
            reference::mixed_crps(levels.values(), quantiles, weights.weights(), y, way.mixed);
        Numbers scores;
        for (std::size_t k = 0; k < experts; ++k) {
          scores.push_back(crps(levels, {quantiles.data() + k * count, count}, y));
          total[k] += scores.back();
        }
        paid += published;
        const ShareStep& step = weights.learn(scores, 1);
        constexpr double kOfTheIntegral = 1e-4;
        ASSERT_LE(published, step.mix_loss + kOfTheIntegral) << seed << ", round " << t;
        certificate.observe(0, {scores, scores, published}, step);
        const double bound =
            std::log(static_cast<double>(experts)) / way.eta + (t + 1) * kOfTheIntegral;
        ASSERT_LE(paid - *std::ranges::min_element(total), bound);
        const Certificate proved = certificate.against_expert().certificate;
        ASSERT_TRUE(proved.holds());
        ASSERT_LE(proved.bound * (t + 1), bound + 1e-9) << seed << ", round " << t;
      }
    }
  }
}

}  // namespace
}  // namespace pcgs::levels
