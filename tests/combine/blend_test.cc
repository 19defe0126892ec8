// The blend as people use it: through an Aggregator.
#include "combine/blend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "network/transformer.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "support/allocations.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Random;

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) *
         std::cos(2 * std::numbers::pi * random.uniform());
}

struct Made {
  std::vector<double> forecasts;
  double y = 0;
};

// A daily shape, experts with errors of their own and a common one; expert 0 is best.
class Series {
 public:
  Series(std::size_t experts, std::uint64_t seed) : experts_(experts), random_(seed) {}
  Made next() {
    Made made;
    const double level = 100 + 20 * std::sin(static_cast<double>(t_++) / 12 * std::numbers::pi);
    common_ = 0.7 * common_ + normal(random_);
    made.y = level + common_;
    for (std::size_t k = 0; k < experts_; ++k) {
      made.forecasts.push_back(level + normal(random_) * static_cast<double>(k + 1) +
                               (k % 2 == 0 ? 1 : -1));
    }
    return made;
  }

 private:
  std::size_t experts_;
  Random random_;
  double common_ = 0;
  int t_ = 0;
};

const char* const kSpecs[] = {"blend", "blend{season=24}", "blend{season=24,longer=72}"};

// RESEARCH: averaging cancels errors, selecting does not.
TEST(Blend, IsCloseToTheBestWeightsOfIndependentModels) {
  const std::vector<double> sizes = {20, 30, 40, 50, 60};
  double precision = 0;
  for (const double s : sizes) precision += 1 / (s * s);
  double square = 0, best = 0;
  int rounds = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    Aggregator blend = make_aggregator("blend", sizes.size());
    for (int t = 0; t < 2500; ++t) {
      const double y = 1000 + 100 * normal(random);
      std::vector<double> forecasts;
      double optimal = 0;
      for (const double s : sizes) {
        forecasts.push_back(y + s * normal(random));
        optimal += forecasts.back() / (s * s) / precision;
      }
      const double f = blend.predict(forecasts);
      blend.learn(y);
      if (t < 500) continue;
      square += (f - y) * (f - y);
      best += (optimal - y) * (optimal - y);
      ++rounds;
    }
  }
  EXPECT_LT(std::sqrt(square / best), 1.03) << std::sqrt(square / rounds);
}

TEST(Blend, ForecastsOfABlockKnowNoOutcomeOfIt) {
  for (const char* spec : kSpecs) {
    Aggregator first = make_aggregator(spec, 4), second = make_aggregator(spec, 4);
    Series series(4, 1);
    for (int block = 0; block < 20; ++block) {
      std::vector<Made> rounds;
      std::vector<std::int64_t> numbers;
      for (int t = 0; t < 24; ++t) {
        rounds.push_back(series.next());
        const double f = first.predict(rounds.back().forecasts);
        ASSERT_EQ(second.predict(rounds.back().forecasts), f);
        numbers.push_back(first.last_opened());
      }
      for (std::size_t t = 0; t < 24; ++t) {
        first.learn(numbers[t], rounds[t].y);
        second.learn(numbers[t], rounds[t].y + (block == 19 ? 7 : 0));
      }
    }
    const Made next = series.next();
    EXPECT_NE(first.predict(next.forecasts), second.predict(next.forecasts));
  }
}

TEST(Blend, ResumesToTheBitWithOpenRoundsAndSleepers) {
  for (const char* spec : kSpecs) {
    Aggregator whole = make_aggregator(spec, 5);
    Aggregator parts = make_aggregator(spec, 5);
    Series series(5, 2);
    Random random(2);
    std::deque<std::pair<std::int64_t, double>> open;
    for (int t = 0; t < 400; ++t) {
      Made made = series.next();
      const auto awake = random.awake(5, 0.85);
      for (std::size_t k = 0; k < 5; ++k) {
        if (awake[k] == 0) made.forecasts[k] = NAN;
      }
      const double f = whole.predict(made.forecasts);
      ASSERT_TRUE(std::isfinite(f));
      ASSERT_EQ(parts.predict(made.forecasts), f) << spec << ", round " << t;
      open.emplace_back(whole.last_opened(), made.y);
      if (t % 97 == 0) {
        const auto bytes = parts.save_bytes();
        parts = Aggregator::load_bytes(bytes, "test", [](std::string_view name, std::size_t k) {
          return make_method(name, k);
        });
        ASSERT_EQ(parts.save_bytes(), bytes);
      }
      if (open.size() > 5) {
        whole.learn(open.front().first, open.front().second);
        parts.learn(open.front().first, open.front().second);
        open.pop_front();
      }
    }
    EXPECT_EQ(whole.save_bytes(), parts.save_bytes());
  }
}

// Root mean square error of rounds 501 to 1500, with something wild in round 500 or not.
double error_after(const char* spec, double wild_outcome, double wild_forecast) {
  Aggregator blend = make_aggregator(spec, 6);
  Series series(6, 3);
  double square = 0;
  for (int t = 0; t < 1500; ++t) {
    Made made = series.next();
    if (t == 499) {
      made.y += wild_outcome;
      made.forecasts[0] += wild_forecast;
    }
    const double f = blend.predict(made.forecasts);
    blend.learn(made.y);
    if (t >= 500) square += (f - made.y) * (f - made.y) / 1000;
  }
  return std::sqrt(square);
}

TEST(Blend, OneOutlierDoesNotRuinTheNextThousandRounds) {
  for (const char* spec : kSpecs) {
    const double usual = error_after(spec, 0, 0);
    for (const double size : {100.0, 1e4, 1e9, -1e9}) {
      EXPECT_LT(error_after(spec, size, 0), 1.03 * usual) << spec << ", outcome off by " << size;
      EXPECT_LT(error_after(spec, 0, size), 1.03 * usual) << spec << ", forecast off by " << size;
    }
  }
}

void expect_the_same_in_other_units(Aggregator one, Aggregator other, double factor,
                                    double origin) {
  Series series(4, 4);
  for (int t = 0; t < 300; ++t) {
    const Made made = series.next();
    std::vector<double> moved;
    for (const double x : made.forecasts) moved.push_back(origin + factor * x);
    const double f = one.predict(made.forecasts), g = other.predict(moved);
    ASSERT_NEAR((g - origin) / factor, f, 1e-4)
        << one.method().name() << " times " << factor << ", round " << t;
    one.learn(made.y);
    other.learn(origin + factor * made.y);
  }
}

TEST(Blend, DoesNotDependOnTheScaleOrTheOriginOfTheData) {
  for (const char* spec : kSpecs) {
    for (const auto& [factor, origin] : {std::pair{1e-6, 0.0}, {1e6, 0.0}, {1.0, 1e4}}) {
      expect_the_same_in_other_units(make_aggregator(spec, 4), make_aggregator(spec, 4), factor,
                                     origin);
    }
  }
}

// What is saved by another blend is not damaged, and the Error says so.
TEST(Blend, AStateOfOtherPartsIsRefusedAsAMismatch) {
  for (const std::size_t experts : {3u, 129u}) {
    Aggregator blend = make_aggregator("blend", experts);
    const std::vector<double> forecasts(experts, 1.5);
    blend.predict(forecasts);
    const auto state = blend.save_bytes();
    const auto load_as = [&](std::shared_ptr<const TransformerModel> network) {
      return Aggregator::load_bytes(state, "a.state", [&](std::string_view, std::size_t k) {
        return make_blend(k, {}, network, "blend");
      });
    };
    EXPECT_EQ(load_as(shipped_transformer("combine")).save_bytes(), state);
    if (experts > 128) {
      EXPECT_EQ(load_as(nullptr).save_bytes(), state) << "neither of them has a network";
      continue;
    }
    try {
      load_as(nullptr);
      ADD_FAILURE() << "a pool without the network took its state";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
      EXPECT_EQ(error.place().file, "a.state");
    }
  }
}

// The network may have learned to treat too much and too little in different ways.
TEST(Blend, WithoutANetworkMirroredDataMakeMirroredForecasts) {
  for (const std::vector<std::size_t>& seasons : {std::vector<std::size_t>{}, {24}}) {
    const auto make = [&] { return Aggregator(make_blend(4, seasons, nullptr, "blend")); };
    expect_the_same_in_other_units(make(), make(), -3, 50);
  }
}

TEST(Blend, StaysFiniteWhateverItIsTold) {
  for (const char* spec : kSpecs) {
    for (const char* loss : {"squared", "absolute", "pinball"}) {
      Random random(5);
      Aggregator blend = make_aggregator(spec, 3, {TaskLoss(loss, 0.3)});
      for (int t = 0; t < 300; ++t) {
        std::vector<double> forecasts;
        for (int k = 0; k < 3; ++k) {
          const double size = random.chance(0.1) ? 1e308 : random.log_uniform(1e-150, 1e150);
          forecasts.push_back(random.chance(0.1) ? 0 : random.chance(0.5) ? size : -size);
        }
        const auto [low, high] = std::minmax_element(forecasts.begin(), forecasts.end());
        const double f = blend.predict(forecasts);
        ASSERT_TRUE(std::isfinite(f)) << spec << ", " << loss << ", round " << t;
        const double y = random.chance(0.3) ? forecasts[0] : random.chance(0.5) ? 1e308 : -1;
        blend.learn(y);
        ASSERT_TRUE(test::on_simplex(blend.weights())) << *low << " " << *high;
      }
      const auto bytes = blend.save_bytes();
      EXPECT_EQ(Aggregator::load_bytes(
                    bytes, "test",
                    [](std::string_view name, std::size_t k) { return make_method(name, k); })
                    .save_bytes(),
                bytes);
    }
  }
}

TEST(Blend, CombinesProbabilitiesIntoProbabilities) {
  Random random(6);
  Aggregator blend = make_aggregator("blend{season=7}", 4, {TaskLoss("log")});
  double own = 0, worst = 0;
  for (int t = 0; t < 2000; ++t) {
    const double p = random.uniform(0.02, 0.98);
    std::vector<double> forecasts;
    for (int k = 0; k < 4; ++k) {
      forecasts.push_back(std::clamp(p + 0.1 * k * normal(random), 0.0, 1.0));
    }
    const double f = blend.predict(forecasts);
    ASSERT_GE(f, 0);
    ASSERT_LE(f, 1);
    const double y = random.chance(p) ? 1 : 0;
    if (t > 200) {
      own += std::pow(f - y, 2);
      worst += std::pow(forecasts[3] - y, 2);
    }
    blend.learn(y);
  }
  EXPECT_LT(own, 0.9 * worst);
}

TEST(Blend, GivesTheBestExpertTheMostWeight) {
  Aggregator blend = make_aggregator("blend{season=24}", 6);
  Series series(6, 7);
  for (int t = 0; t < 1000; ++t) {
    const Made made = series.next();
    blend.predict(made.forecasts);
    blend.learn(made.y);
  }
  const auto w = blend.weights();
  EXPECT_TRUE(test::on_simplex(w));
  EXPECT_EQ(std::max_element(w.begin(), w.end()) - w.begin(), 0);
  EXPECT_GT(w[0], 2 * w[5]);
}

TEST(Blend, TakesOneExpertAndHundreds) {
  for (const std::size_t experts : {1u, 2u, 300u}) {
    Aggregator blend = make_aggregator("blend{season=24}", experts);
    Series series(experts, 8);
    for (int t = 0; t < 100; ++t) {
      const Made made = series.next();
      ASSERT_TRUE(std::isfinite(blend.predict(made.forecasts)));
      blend.learn(made.y);
    }
  }
}

TEST(Blend, SaysWhatToDoWithLosses) {
  Aggregator blend = make_aggregator("blend", 2);
  const std::vector<double> losses = {0.1, 0.2};
  EXPECT_TRUE(test::mentions(test::error_of([&] { blend.learn(losses); }), "forecasts"));
  EXPECT_TRUE(test::mentions(test::error_of([&] { blend.open(); }), "guard"));
  EXPECT_EQ(blend.rounds(), 0);
}

// Every number of a saved state, replaced by another one: it is refused, or all goes on.
TEST(Blend, AForgedStateIsRefusedOrHarmless) {
  Random random(10);
  for (const char* spec : {"blend", "blend{season=2}"}) {
    AggregatorOptions options;
    options.certify = std::string(spec) == "blend";
    Aggregator blend = make_aggregator(spec, 2, options);
    Series series(2, 10);
    for (int t = 0; t < 30; ++t) {
      const Made made = series.next();
      blend.predict(made.forecasts);
      blend.learn(made.y);
    }
    const Made next = series.next();
    blend.predict(next.forecasts);
    const auto file = blend.save_bytes();
    test::replace_numbers(file, 8, random, [&](Aggregator& loaded) {
      EXPECT_TRUE(std::isfinite(loaded.predict(next.forecasts)));
      loaded.learn(loaded.last_opened(), next.y);
      EXPECT_TRUE(test::on_simplex(loaded.weights()));
    });
  }
}

TEST(Blend, AllocatesNothingOnceItRuns) {
  for (const char* spec : kSpecs) {
    AggregatorOptions options;
    options.certify = std::string(spec) == "blend";
    Aggregator blend = make_aggregator(spec, 6, options);
    Series series(6, 9);
    for (int t = 0; t < 200; ++t) {
      const Made made = series.next();
      const std::size_t before = test::allocations.count;
      blend.predict(made.forecasts);
      blend.learn(made.y);
      if (t > 2) {
        ASSERT_EQ(test::allocations.count, before) << spec << ", round " << t;
      }
    }
  }
}

}  // namespace
}  // namespace pcgs
