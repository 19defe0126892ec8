// What a panel proves about what it published, whoever comes, goes, sleeps or explodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "combine/panel_events.h"
#include "combine/scores.h"
#include "pcgs/quantiles.h"
#include "support/expect.h"

namespace pcgs::levels {
namespace {

using test::apply;
using test::PanelEvents;

TEST(PanelCertificate, HoldsAfterEveryOutcome) {
  for (const auto scale : {QuantileScale::kRaw, QuantileScale::kLog1p}) {
    for (std::uint64_t seed = 1; seed < 40; seed += 2) {
      PanelEvents drawn(seed, scale, 1 + seed % 5);
      drawn.draw(250);
      ASSERT_TRUE(drawn.options().certify);
      QuantilePanel panel(drawn.options());
      for (const auto& event : drawn.events()) {
        apply(event, panel);
        if (event.kind != test::PanelEvent::kLearn) continue;
        for (std::size_t s = 0; s < panel.series().size(); ++s) {
          const ScoreClaims claims = panel.certificate(s);
          ASSERT_TRUE(claims.against_path.certificate.holds()) << seed;
          ASSERT_TRUE(claims.against_expert.certificate.holds()) << seed;
          ASSERT_TRUE(std::isfinite(claims.against_path.certificate.bound)) << seed;
        }
      }
    }
  }
}

// Experts that are there throughout: the mean scores that it speaks of, summed by hand.
TEST(PanelCertificate, SpeaksOfScoresInUnitsOfAMiddlingExperts) {
  const std::vector<double> taus = {0.1, 0.5, 0.9};
  const Levels levels(taus);
  QuantilePanel panel({.levels = taus, .certify = true});
  for (const char* name : {"a", "b", "c"}) panel.add_expert(name);
  panel.add_series("one");
  test::Random random(4);
  double published = 0;
  std::vector<double> of_expert(3);
  constexpr int kRounds = 50;
  for (int t = 0; t < kRounds; ++t) {
    const double y = random.uniform(-1, 1);
    std::vector<double> quantiles, scores;
    for (int k = 0; k < 3; ++k) {
      const double middle = y + (k + 1) * random.uniform(-0.5, 0.5);
      quantiles.insert(quantiles.end(), {middle - 1, middle, middle + 1});
      scores.push_back(level_score(levels, std::span(quantiles).last(3), y));
    }
    std::vector<double> sorted = scores;
    std::ranges::sort(sorted);
    const std::int64_t round = panel.open(0, quantiles);
    published += level_score(levels, panel.forecast(round), y) / sorted[1];
    for (std::size_t k = 0; k < 3; ++k) of_expert[k] += scores[k] / sorted[1];
    panel.learn(round, y);
  }
  const ScoreClaims claims = panel.certificate(0);
  const double best = *std::ranges::min_element(of_expert);
  EXPECT_EQ(claims.rounds, static_cast<std::uint64_t>(kRounds));
  EXPECT_NEAR(claims.against_expert.loss, published / kRounds, 1e-9);
  EXPECT_NEAR(claims.against_expert.certificate.regret, (published - best) / kRounds, 1e-9);
  EXPECT_LE(claims.against_path.certificate.bound, 0.5) << "and says something";
}

TEST(PanelCertificate, IsNotThereUnlessAskedFor) {
  QuantilePanel panel({.levels = {0.5}});
  panel.add_series("one");
  EXPECT_TRUE(test::mentions(test::error_of([&] { panel.certificate(0); }), "certify"));
}

}  // namespace
}  // namespace pcgs::levels
