#include <gtest/gtest.h>

#include <string>

#include "pcgs/certify.h"
#include "pcgs/registry.h"
#include "research/suite.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::Random;

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

double noise(Random& random) { return 2 * random.uniform() + 2 * random.uniform() - 2; }

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
        const ShareRecord record = ShareRecord::of(trace);
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
  EXPECT_EQ(live.constant_rate(), 1.0 / 8);
  EXPECT_LT(live.combined().bound * 300 / 8, live.best().code);
  EXPECT_TRUE(live.combined().holds());
}

}  // namespace
}  // namespace pcgs
