// What blend proves about the forecasts that it publishes.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "combine/second_level.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"

namespace pcgs {
namespace {

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
  blend::SecondLevel level(2, trust, {});
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

// One round of made-up forecasts, and its outcome.
struct Made {
  std::vector<double> forecasts;
  double y = 0;
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
  const auto factory = [](std::string_view name, std::size_t k) { return make_method(name, k); };
  for (std::size_t t = 0; t < 200; ++t) {
    const Made made = make_round({"", "squared", 0, 1, true, false}, t, 3, random);
    const double f = alone.predict(made.forecasts);
    const double g = proving.predict(made.forecasts);
    ASSERT_TRUE(f == g || (std::isnan(f) && std::isnan(g)));
    alone.learn(made.y);
    proving.learn(made.y);
    if (t % 50 == 49) {
      const auto bytes = proving.save_bytes();
      Aggregator loaded = Aggregator::load_bytes(bytes, "test", factory);
      ASSERT_EQ(loaded.save_bytes(), bytes);
      proving = std::move(loaded);
    }
  }
  EXPECT_EQ(alone.forecast_certificate(), nullptr);
  ASSERT_NE(proving.forecast_certificate(), nullptr);
  EXPECT_GT(proving.forecast_certificate()->rounds(), 150u);
}

}  // namespace
}  // namespace pcgs
