// What every registered method promises on forecasts and outcomes made to break it: all that it says
// stays a number, and what it saves can be loaded and gone on with.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "contract/specs.h"
#include "pcgs/aggregator.h"
#include "pcgs/certificates.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::on_simplex;
using test::Random;
using test::same_bits;

constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

struct Hour {
  std::vector<double> forecasts;
  double outcome = 0;
};

struct Scene {
  std::size_t t;
  std::span<const double> weights;  // that are about to be played
  Random& random;

  std::size_t experts() const { return weights.size(); }
  bool even(std::size_t k = 0) const { return (t + k) % 2 == 0; }
  // Who has next to nothing.
  std::size_t lightest() const {
    return static_cast<std::size_t>(std::min_element(weights.begin(), weights.end()) -
                                    weights.begin());
  }
};

struct Pattern {
  const char* name;
  void (*fill)(const Scene& scene, Hour& hour);
};

template <std::size_t N>
double one_of(const Scene& scene, const std::array<double, N>& numbers) {
  return numbers[scene.random.below(N)];
}

constexpr std::array kFarOut = {1e300, -1e300, kMost, -kMost, kLeast, -kLeast, 0.0, 1e150, 1e-200};

// Of any numbers.
constexpr Pattern kPatterns[] = {
    {"unanimous",
     [](const Scene& scene, Hour& hour) {
       std::fill(hour.forecasts.begin(), hour.forecasts.end(), one_of(scene, kFarOut));
       hour.outcome = one_of(scene, kFarOut);
     }},
    {"always the largest number",
     [](const Scene& scene, Hour& hour) {
       std::fill(hour.forecasts.begin(), hour.forecasts.end(), kMost);
       hour.outcome = scene.t < 30 ? kMost : -kMost;
     }},
    {"equal up to rounding",
     [](const Scene& scene, Hour& hour) {
       for (std::size_t k = 0; k < scene.experts(); ++k) {
         hour.forecasts[k] = 0.1 * 3 * (1 + static_cast<double>(k % 3) * 0x1p-52);
       }
       hour.outcome = 0.3;
     }},
    {"one far out",
     [](const Scene& scene, Hour& hour) {
       for (double& f : hour.forecasts) f = scene.random.uniform(40, 60);
       hour.forecasts[0] = one_of(scene, kFarOut);
       hour.outcome = 50;
     }},
    {"right without weight",
     [](const Scene& scene, Hour& hour) {
       hour.outcome = scene.random.uniform(-1, 1);
       for (double& f : hour.forecasts) f = scene.even() ? 1e6 : -1e300;
       hour.forecasts[scene.lightest()] = hour.outcome;
     }},
    {"alternating extremes",
     [](const Scene& scene, Hour& hour) {
       for (std::size_t k = 0; k < scene.experts(); ++k) {
         hour.forecasts[k] = scene.even(k) ? kMost : -kMost;
       }
       hour.outcome = scene.even(scene.t / 7) ? kMost : -kMost;
     }},
    {"calm with storms",
     [](const Scene& scene, Hour& hour) {
       const bool storm = scene.t % 40 > 30;
       for (double& f : hour.forecasts) {
         f = storm ? one_of(scene, kFarOut) : scene.random.uniform(0, 1);
       }
       hour.outcome = scene.t % 25 == 20 ? one_of(scene, kFarOut) : 0.5;
     }},
    {"nothing but zero",
     [](const Scene&, Hour& hour) {
       std::fill(hour.forecasts.begin(), hour.forecasts.end(), 0.0);
       hour.outcome = 0;
     }},
    {"denormal",
     [](const Scene& scene, Hour& hour) {
       for (std::size_t k = 0; k < scene.experts(); ++k) {
         hour.forecasts[k] = static_cast<double>((k + scene.t) % 4) * kLeast;
       }
       hour.outcome = scene.even() ? kLeast : 0;
     }},
    {"of every size",
     [](const Scene& scene, Hour& hour) {
       const auto any = [&] {
         const double size =
             scene.random.log_uniform(1e-150, 1e150) * scene.random.log_uniform(1e-150, 1e150);
         return scene.random.chance(0.5) ? size : -size;
       };
       for (double& f : hour.forecasts) f = any();
       hour.outcome = any();
     }},
};

constexpr std::array kSure = {0.0, 1.0, kLeast, 1 - 0x1p-53, 1e-17, 0.5};

// Of probabilities, where what happens is 0 or 1.
constexpr Pattern kProbabilities[] = {
    {"unanimous",
     [](const Scene& scene, Hour& hour) {
       std::fill(hour.forecasts.begin(), hour.forecasts.end(), one_of(scene, kSure));
       hour.outcome = scene.even() ? 0 : 1;
     }},
    {"unanimous and wrong",
     [](const Scene& scene, Hour& hour) {
       hour.outcome = scene.even() ? 0 : 1;
       std::fill(hour.forecasts.begin(), hour.forecasts.end(), 1 - hour.outcome);
     }},
    {"unanimous and right",
     [](const Scene& scene, Hour& hour) {
       hour.outcome = scene.even(scene.t / 9) ? 0 : 1;
       std::fill(hour.forecasts.begin(), hour.forecasts.end(), hour.outcome);
     }},
    {"ordinary, then all sure",
     [](const Scene& scene, Hour& hour) {
       for (double& f : hour.forecasts) f = scene.t % 5 == 4 ? 1 : scene.random.uniform();
       hour.outcome = scene.even() ? 0 : 1;
     }},
    {"equal up to rounding",
     [](const Scene& scene, Hour& hour) {
       for (std::size_t k = 0; k < scene.experts(); ++k) {
         hour.forecasts[k] = 1 - static_cast<double>(k % 3) * 0x1p-53;
       }
       hour.outcome = scene.t % 3 == 0 ? 0 : 1;
     }},
    {"one is sure and wrong",
     [](const Scene& scene, Hour& hour) {
       hour.outcome = scene.even() ? 0 : 1;
       for (double& f : hour.forecasts) f = scene.random.uniform(0.3, 0.7);
       hour.forecasts[0] = 1 - hour.outcome;
     }},
    {"right without weight",
     [](const Scene& scene, Hour& hour) {
       hour.outcome = scene.random.chance(0.5) ? 0 : 1;
       std::fill(hour.forecasts.begin(), hour.forecasts.end(), 1 - hour.outcome);
       hour.forecasts[scene.lightest()] = hour.outcome;
     }},
    {"sure of anything",
     [](const Scene& scene, Hour& hour) {
       for (double& f : hour.forecasts) f = one_of(scene, kSure);
       hour.outcome = scene.random.chance(0.5) ? 0 : 1;
     }},
};

// What is saved of a method, as numbers. Counts are far from looking like anything else.
std::vector<double> saved_numbers(const Method& method) {
  StateWriter out;
  method.save(out);
  const auto file = out.file(0);
  constexpr std::size_t kHeader = 32, kChecksum = 4;
  std::vector<double> numbers((file.size() - kHeader - kChecksum) / sizeof(double));
  std::memcpy(numbers.data(), file.data() + kHeader, numbers.size() * sizeof(double));
  return numbers;
}

// The fingerprint of a network may look like anything, but it never changes.
::testing::AssertionResult saves_numbers(const Method& method) {
  const auto numbers = saved_numbers(method);
  const auto at_first = saved_numbers(*make_method(method.name(), method.weights().size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool fingerprint = i < at_first.size() && same_bits(numbers[i], at_first[i]);
    if (!std::isfinite(numbers[i]) && !fingerprint) {
      return ::testing::AssertionFailure() << "number " << i << " is " << numbers[i];
    }
  }
  return ::testing::AssertionSuccess();
}

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

// Everything that is recorded of a learned round.
class EveryNumber final : public TraceSink {
 public:
  void record(const TraceRow& row) override {
    EXPECT_TRUE(all_finite(row.round.losses)) << "losses as they are learned";
    EXPECT_TRUE(all_finite(row.judged().losses));
    for (const double l : row.judged().losses) EXPECT_TRUE(l >= 0 && l <= 1 + 1e-9) << l;
    EXPECT_TRUE(on_simplex(row.played));
    const auto& [number, losses, weights, awake, mixture, learner, side, scale, late, forecasts] =
        row.judged();
    EXPECT_TRUE(std::isfinite(mixture) && std::isfinite(learner));
    EXPECT_TRUE(scale > 0 && std::isfinite(scale)) << scale;
    EXPECT_FALSE(std::isinf(row.forecast_loss));
    EXPECT_TRUE(std::isfinite(row.combined_loss()));
    for (const Interval& one : row.intervals) {
      EXPECT_TRUE(std::isfinite(one.low) && std::isfinite(one.high) && one.low <= one.high);
    }
    if (row.step == nullptr) return;
    EXPECT_TRUE(std::isfinite(row.step->mix_loss) && std::isfinite(row.step->gap));
  }
};

void expect_finite(const Certificate& certificate) {
  EXPECT_TRUE(std::isfinite(certificate.regret)) << certificate.regret;
  EXPECT_TRUE(std::isfinite(certificate.bound)) << certificate.bound;
  EXPECT_TRUE(std::isfinite(certificate.rounding)) << certificate.rounding;
}

class Extremes : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t kRounds = 90;

  static Aggregator make(std::size_t experts, const TaskLoss& task, const LossScale& scale) {
    const MethodTraits traits = method_info(GetParam()).traits;
    AggregatorOptions options;
    options.task = task;
    options.scale = scale;
    options.certify = traits.share_form || traits.certifies_forecasts;
    if (task.kind() != TaskLoss::Kind::kLog) options.intervals = IntervalOptions{{0.5, 0.9}, 3};
    return make_aggregator(GetParam(), experts, options);
  }

  // One round: opened with sleepers now and then, up to three of them open together.
  struct Player {
    const Pattern& pattern;
    Random random;
    std::size_t t = 0;
    std::deque<std::pair<std::int64_t, double>> open{};

    void play(Aggregator& aggregator) {
      Hour hour;
      hour.forecasts.resize(aggregator.experts());
      pattern.fill({t, aggregator.weights(), random}, hour);
      if (t % 6 == 5) put_to_sleep(hour.forecasts, t % 4 == 1 ? 0 : 0.5);
      if (t % 37 == 36) put_to_sleep(hour.forecasts, -1);
      if (t % 19 == 18) aggregator.skip(2);
      const double combined = aggregator.predict(hour.forecasts);
      const auto round = aggregator.last_opened();
      expect_opened(aggregator, hour.forecasts, combined);
      open.emplace_back(round, hour.outcome);
      while (open.size() > t % 3) {
        aggregator.learn(open.front().first, open.front().second);
        open.pop_front();
        EXPECT_TRUE(on_simplex(aggregator.weights()));
      }
      ++t;
    }

    // Below 0: everybody.
    void put_to_sleep(std::vector<double>& forecasts, double staying) {
      const auto awake = random.awake(forecasts.size(), staying);
      for (std::size_t k = 0; k < forecasts.size(); ++k) {
        if (awake[k] == 0 || staying < 0) forecasts[k] = std::nan("");
      }
    }

    static void expect_opened(const Aggregator& aggregator, const std::vector<double>& forecasts,
                              double combined) {
      double low = kMost, high = -kMost;
      bool anybody = false;
      for (const double f : forecasts) {
        if (std::isnan(f)) continue;
        anybody = true;
        low = std::min(low, f);
        high = std::max(high, f);
      }
      EXPECT_EQ(std::isnan(combined), !anybody);
      if (!anybody) return;
      EXPECT_TRUE(on_simplex(aggregator.played(aggregator.last_opened())));
      EXPECT_EQ(aggregator.task().objection_to_forecast(combined), "") << combined;
      // A stack of blend's goes beyond its experts.
      if (method_info(GetParam()).traits.certifies_forecasts) return;
      EXPECT_TRUE(combined >= low && combined <= high) << combined;
    }
  };

  static void expect_numbers(const Aggregator& aggregator) {
    EXPECT_TRUE(std::isfinite(aggregator.total_loss()));
    EXPECT_TRUE(std::isfinite(aggregator.total_forecast_loss()));
    const double scale = aggregator.scale().value(LossSource::kForecasts);
    EXPECT_TRUE(scale > 0 && std::isfinite(scale)) << scale;
    if (const LiveCertificate* live = aggregator.certificate()) {
      expect_finite(live->weighted());
      expect_finite(live->combined());
    }
    if (const ForecastCertificate* claims = aggregator.forecast_certificate()) {
      for (const ForecastClaim& claim :
           {claims->against_path(), claims->against_raw_path(), claims->against_expert()}) {
        expect_finite(claim.certificate);
        EXPECT_TRUE(std::isfinite(claim.loss)) << claim.loss;
      }
    }
  }

  // A copy by way of its state, which has to load and hold numbers only.
  static Aggregator reloaded(const Aggregator& aggregator) {
    const auto bytes = aggregator.save_bytes();
    Aggregator loaded = Aggregator::load_bytes(bytes, "test", make_method);
    EXPECT_EQ(loaded.save_bytes(), bytes);
    return loaded;
  }

  static void expect_numbers_after(const Pattern& pattern, std::size_t experts,
                                   const TaskLoss& task, const LossScale& scale) {
    Aggregator aggregator = make(experts, task, scale);
    EveryNumber sink;
    aggregator.trace(&sink);
    Player player{pattern, Random(experts)};
    while (player.t < kRounds) {
      player.play(aggregator);
      // With rounds open, of which the latest is one without anybody awake.
      if (player.t == 8 || player.t == 74) reloaded(aggregator);
      if (::testing::Test::HasFailure()) {
        FAIL() << pattern.name << ", " << task.name() << ", " << experts << " experts, round "
               << player.t;
      }
    }
    expect_numbers(aggregator);
    EXPECT_TRUE(saves_numbers(aggregator.method()));
    Aggregator other = reloaded(aggregator);
    Player again = player;
    for (int i = 0; i < 10; ++i) {
      player.play(aggregator);
      again.play(other);
      EXPECT_TRUE(same_bits(other.weights(), aggregator.weights()));
    }
    EXPECT_EQ(other.save_bytes(), aggregator.save_bytes());
    if (::testing::Test::HasFailure()) {
      FAIL() << pattern.name << ", " << task.name() << ", " << experts << " experts, at the end";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, Extremes, ::testing::ValuesIn(test::all_specs()),
                         test::name_of_spec);

TEST_P(Extremes, OfForecastsLeaveNumbersOnly) {
  const TaskLoss tasks[] = {TaskLoss("squared"), TaskLoss("absolute"), TaskLoss("pinball", 0.1)};
  const LossScale scales[] = {{}, LossScale::fixed(3), LossScale::fixed(1e-280)};
  std::size_t turn = 0;
  for (const Pattern& pattern : kPatterns) {
    for (const TaskLoss& task : tasks) {
      // Every scale with every pattern, and with every loss.
      const std::size_t experts = turn % 4 == 3 ? 1 : turn % 4 == 1 ? 10 : 3;
      const auto bound = turn / 3 % 2 == 0 ? LossBound::kClip : LossBound::kCatoni;
      expect_numbers_after(pattern, experts, task, scales[(turn + turn / 3) % 3].bounded_by(bound));
      ++turn;
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Extremes, OfProbabilitiesLeaveNumbersOnly) {
  for (const Pattern& pattern : kProbabilities) {
    for (const std::size_t experts : {1u, 5u, 10u}) {
      const bool fixed = experts == 5;
      expect_numbers_after(pattern, experts, TaskLoss("log"),
                           fixed ? LossScale::fixed(3) : LossScale());
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace pcgs
