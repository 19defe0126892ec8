// What blend proves about the forecasts that it publishes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "combine/blend.h"
#include "combine/panel_events.h"
#include "combine/quantile_levels.h"
#include "pcgs/quantiles.h"
#include "pcgs/registry.h"
#include "proof/path_certificates.h"
#include "research/suite.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::Made;
using test::Random;

double noise(Random& random) { return 2 * random.uniform() + 2 * random.uniform() - 2; }

AggregatorOptions certified(const TaskLoss& task) {
  AggregatorOptions options = test::certified();
  options.task = task;
  return options;
}

// Constant errors: every mean is the number itself, however rounds are weighed.
TEST(BlendCertificate, IsAboutWhatWasPublishedInRawUnits) {
  const TaskLoss task;
  const std::vector<double> trust = {1};
  blend::SecondLevel level(2, trust);
  ForecastCertificate& proved = level.certify();
  std::vector<double> kept(level.kept());
  double bound = 0;
  for (int t = 0; t < 2000; ++t) {
    const double y = t % 7;
    const std::vector<double> forecasts = {y + 3, y + 1, y - 0.5};
    level.forecast(forecasts, kept);
    level.observe(forecasts, kept, {task, y, 1, 1, y + 2});
    if (t == 99) bound = proved.against_expert().certificate.bound;
  }
  EXPECT_EQ(proved.rounds(), 2000u);
  const ForecastClaim expert = proved.against_expert();
  EXPECT_NEAR(expert.loss, 4, 1e-9);
  EXPECT_NEAR(expert.certificate.regret, 3, 1e-9);
  EXPECT_EQ(expert.expert, 1u);
  EXPECT_LT(expert.certificate.bound, bound) << "the price of finding it is paid once";
  EXPECT_NEAR(proved.against_raw_path().certificate.regret, 3, 1e-9);
  EXPECT_EQ(proved.against_raw_path().switches, 0u);
  EXPECT_NEAR(proved.against_path().certificate.regret, 3.75, 1e-9);
  EXPECT_TRUE(proved.against_path().certificate.holds());
}

struct Case {
  const char* spec;
  const char* loss;
  std::size_t late;   // outcomes come by so many rounds late
  std::size_t block;  // rounds are opened together
  bool sleepers, wild;
};

Made make_round(const Case& one, std::size_t t, std::size_t experts, Random& random) {
  Made made;
  const bool log = std::string(one.loss) == "log";
  const double level =
      log ? random.uniform(0.05, 0.95) : 50 + 10 * std::sin(static_cast<double>(t) * 0.26);
  for (std::size_t k = 0; k < experts; ++k) {
    const double size = (k == t / 60 % experts ? 0.3 : 1.0 + 0.2 * static_cast<double>(k));
    double f = log ? std::clamp(level + 0.1 * size * noise(random), 0.0, 1.0)
                   : level + size * noise(random);
    if (one.wild && !log && random.chance(0.01)) f *= 1e6;
    if (one.sleepers && random.chance(0.2)) f = NAN;
    made.forecasts.push_back(f);
  }
  made.y = log ? (random.chance(level) ? 1 : 0) : level + 0.2 * noise(random);
  if (one.wild && !log && random.chance(0.01)) made.y += 1e4;
  return made;
}

TEST(BlendCertificate, HoldsOnEveryRun) {
  std::vector<Case> cases;
  for (const char* loss : {"squared", "absolute", "pinball", "log"}) {
    for (const bool wild : {false, true}) {
      cases.push_back({"blend", loss, 0, 1, false, wild});
      cases.push_back({"blend", loss, 3, 1, true, wild});
      cases.push_back({"blend{season=24}", loss, 0, 24, true, wild});
    }
  }
  for (const Case& one : cases) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(std::string(one.spec) + ' ' + one.loss + (one.wild ? " wild " : " ") +
                   std::to_string(seed));
      Random random(seed);
      const std::size_t experts = 1 + random.below(6);
      Aggregator aggregator =
          make_aggregator(one.spec, experts, certified(TaskLoss(one.loss, 0.3)));
      std::deque<std::pair<std::int64_t, double>> open;
      for (std::size_t t = 0; t < 300; ++t) {
        if (t % one.block == 0) {
          while (open.size() > one.late) {
            aggregator.learn(open.front().first, open.front().second);
            open.pop_front();
          }
        }
        const Made made = make_round(one, t, experts, random);
        aggregator.predict(made.forecasts);
        open.emplace_back(aggregator.last_opened(), made.y);
        const ForecastCertificate& proved = *aggregator.forecast_certificate();
        const ForecastClaim path = proved.against_path(), raw = proved.against_raw_path(),
                            expert = proved.against_expert();
        for (const ForecastClaim* claim : {&path, &raw, &expert}) {
          ASSERT_TRUE(claim->certificate.holds()) << "round " << t;
          ASSERT_TRUE(std::isfinite(claim->certificate.bound)) << "round " << t;
        }
        // Fewer paths, no smaller a price.
        ASSERT_LE(raw.switches, static_cast<std::size_t>(aggregator.rounds()));
        ASSERT_LT(expert.expert, experts);
      }
    }
  }
}

TEST(BlendCertificate, SaysSomething) {
  Random random(3);
  Aggregator aggregator = make_aggregator("blend", 4, certified(TaskLoss()));
  double best = 0;
  for (std::size_t t = 0; t < 4000; ++t) {
    const double level = noise(random);
    std::vector<double> forecasts;
    for (std::size_t k = 0; k < 4; ++k) {
      forecasts.push_back(level + (1 + 0.3 * static_cast<double>(k)) * noise(random));
    }
    aggregator.predict(forecasts);
    aggregator.learn(level);
    best += (forecasts[0] - level) * (forecasts[0] - level) / 4000;
  }
  const ForecastClaim claim = aggregator.forecast_certificate()->against_expert();
  EXPECT_EQ(claim.expert, 0u);
  EXPECT_LT(claim.certificate.bound, 0.2 * best) << "of the best expert's mean loss";
  EXPECT_LT(claim.certificate.regret, -0.2 * best) << "and far better in fact";
}

TEST(BlendCertificate, ChangesNoForecastAndIsSavedToTheBit) {
  Random random(4);
  Aggregator alone = make_aggregator("blend{season=4}", 3);
  Aggregator proving = make_aggregator("blend{season=4}", 3, test::certified());
  for (std::size_t t = 0; t < 200; ++t) {
    const Made made = make_round({"", "squared", 0, 1, true, false}, t, 3, random);
    const double f = alone.predict(made.forecasts);
    const double g = proving.predict(made.forecasts);
    ASSERT_TRUE(f == g || (std::isnan(f) && std::isnan(g)));
    alone.learn(made.y);
    proving.learn(made.y);
    if (t % 50 == 49) {
      const auto bytes = proving.save_bytes();
      Aggregator loaded = Aggregator::load_bytes(bytes, "test", make_method);
      ASSERT_EQ(loaded.save_bytes(), bytes);
      proving = std::move(loaded);
    }
  }
  EXPECT_EQ(alone.forecast_certificate(), nullptr);
  ASSERT_NE(proving.forecast_certificate(), nullptr);
  EXPECT_GT(proving.forecast_certificate()->rounds(), 150u);
}

constexpr const char* kShareForm[] = {"hedge",           "fixed-share", "genshare",
                                      "past-posteriors", "pcgs-tf",     "pcgs-tf:oracle"};

TEST(AggregatorCertificate, SavedInTheMiddleItGoesOnToTheBit) {
  const auto losses = suite::generate("switch", 200, 7, 3).losses;
  const test::TempDir dir;
  for (const char* method : kShareForm) {
    auto whole = make_aggregator(method, 7, test::certified());
    auto parts = make_aggregator(method, 7, test::certified());
    for (std::size_t t = 0; t < losses.rows; ++t) {
      whole.learn(losses.row(t));
      parts.learn(losses.row(t));
      if (t % 63 == 17) {
        parts.save(dir / "state");
        parts = load_aggregator(dir / "state");
      }
    }
    ASSERT_NE(parts.certificate(), nullptr);
    EXPECT_EQ(parts.certificate()->rounds(), 200);
    const Certificate proved = parts.certificate()->weighted();
    EXPECT_EQ(proved.regret, whole.certificate()->weighted().regret) << method;
    EXPECT_EQ(proved.bound, whole.certificate()->weighted().bound) << method;
    EXPECT_TRUE(proved.holds()) << method;
    EXPECT_EQ(parts.save_bytes(), whole.save_bytes()) << method;
  }
}

TEST(AggregatorCertificate, DoesNotChangeTheWeights) {
  const auto losses = suite::generate("switch", 100, 5, 4).losses;
  auto alone = make_aggregator("genshare", 5);
  auto certified = make_aggregator("genshare", 5, test::certified());
  for (std::size_t t = 0; t < losses.rows; ++t) {
    alone.learn(losses.row(t));
    certified.learn(losses.row(t));
    ASSERT_TRUE(test::all_near(alone.weights(), certified.weights(), 0));
  }
}

TEST(AggregatorCertificate, ComesOnlyWithTheShareFormAndWhenAsked) {
  EXPECT_TRUE(test::mentions(test::error_of([] { make_aggregator("boa", 2, test::certified()); }),
                             "certificate"));
  EXPECT_EQ(make_aggregator("hedge", 2).certificate(), nullptr);
}

// Regret to a path in the user's units, added up from raw losses and nothing else.
struct RawRun {
  std::vector<double> forecast_losses, scales;
  std::vector<std::vector<double>> losses;  // [T][K] raw
};

TEST(AggregatorCertificate, BoundsTheLossOfTheCombinedForecastInRawUnits) {
  for (const char* method : kShareForm) {
    for (const char* task : {"squared", "absolute", "pinball"}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Random random(seed);
        const std::size_t experts = 2 + random.below(4);
        AggregatorOptions options = test::certified();
        options.task = TaskLoss(task, 0.3);
        Aggregator aggregator = make_aggregator(method, experts, options);
        Trace trace;
        aggregator.trace(&trace);
        RawRun run;
        const double size = random.log_uniform(1e-6, 1e6);
        for (std::size_t t = 0; t < 150; ++t) {
          const double level = size * noise(random);
          std::vector<double> forecasts;
          for (std::size_t k = 0; k < experts; ++k) {
            forecasts.push_back(level + size * (k == t / 40 % experts ? 0.3 : 1) * noise(random));
          }
          // In half of the runs nobody foresees a few wild outcomes.
          const double y = level + (seed % 2 == 0 && t % 50 == 30 ? 100 * size : 0);
          run.forecast_losses.push_back(options.task(aggregator.predict(forecasts), y));
          aggregator.learn(y);
          run.scales.push_back(trace.rows().back().scale);
          run.losses.emplace_back();
          for (const double x : forecasts) run.losses.back().push_back(options.task(x, y));
        }
        const ShareRecord record = ShareRecord::of(trace.rows());
        const BestPath best = best_path(record);
        double regret = 0, total_rate = 0;
        for (std::size_t t = 0; t < 150; ++t) {
          const double rate = record.controls(t).eta / run.scales[t];
          const double capped = std::min(run.losses[t][best.experts[t]], run.scales[t]);
          regret += rate * (run.forecast_losses[t] - capped);
          total_rate += rate;
        }
        const Certificate live = aggregator.certificate()->combined();
        EXPECT_TRUE(live.holds()) << method << ' ' << task << ' ' << seed;
        EXPECT_NEAR(live.regret, regret / total_rate, 1e-9 * std::abs(live.bound));
        const Certificate replayed = combined_certificate(record, best.experts);
        EXPECT_NEAR(replayed.regret, live.regret, live.rounding);
        EXPECT_NEAR(replayed.bound, live.bound, live.rounding);
        if (seed % 2 == 0) {
          EXPECT_GT(aggregator.capped(), 0);
        }
        // The mixture loses at least as much as the combination, where nothing is capped.
        if (aggregator.capped() == 0) {
          EXPECT_LE(live.bound * total_rate,
                    aggregator.certificate()->weighted().bound * (1 + 1e-12) + 1e-9);
        }
      }
    }
  }
}

// Squared loss is exp-concave: at so small a rate the combination beats the mix loss in every
// round, and the bound is the code length alone, or less.
TEST(AggregatorCertificate, OfSquaredLossAtASmallRateIsBelowTheCodeLength) {
  Random random(5);
  AggregatorOptions options = test::certified();
  options.scale = LossScale::fixed(8);  // errors below 2, so 1 / (2 * 4)
  Aggregator aggregator = make_aggregator("hedge{eta=1}", 4, options);
  for (int t = 0; t < 300; ++t) {
    std::vector<double> forecasts;
    for (int k = 0; k < 4; ++k) forecasts.push_back(2 * random.uniform() - 1);
    aggregator.predict(forecasts);
    aggregator.learn(2 * random.uniform() - 1);
  }
  const LiveCertificate& live = *aggregator.certificate();
  EXPECT_LT(live.combined().bound * 300 / 8, live.best().code);
  EXPECT_TRUE(live.combined().holds());
}

}  // namespace

}  // namespace pcgs

// What a panel proves about what it published, whoever comes, goes, sleeps or explodes.

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
