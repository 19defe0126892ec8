// The blend as people use it: through an Aggregator.
#include "combine/blend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
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

using test::Made;
using test::Random;

// A daily shape, experts with errors of their own and a common one; expert 0 is best.
struct Series {
  std::size_t experts;
  Random random;
  double common = 0;
  int t = 0;

  Made next() {
    Made made;
    const double level = 100 + 20 * std::sin(static_cast<double>(t++) / 12 * std::numbers::pi);
    common = 0.7 * common + random.normal();
    made.y = level + common;
    for (std::size_t k = 0; k < experts; ++k) {
      made.forecasts.push_back(level + random.normal() * static_cast<double>(k + 1) +
                               (k % 2 == 0 ? 1 : -1));
    }
    return made;
  }
};

void play(Aggregator& aggregator, Series& series, int rounds) {
  for (int t = 0; t < rounds; ++t) {
    const Made made = series.next();
    ASSERT_TRUE(std::isfinite(aggregator.predict(made.forecasts))) << "round " << t;
    aggregator.learn(made.y);
  }
}

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
      const double y = 1000 + 100 * random.normal();
      std::vector<double> forecasts;
      double optimal = 0;
      for (const double s : sizes) {
        forecasts.push_back(y + s * random.normal());
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
    Series series{4, Random(1)};
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

// Root mean square error of rounds 501 to 1500, with something wild in round 500 or not.
double error_after(const char* spec, double wild_outcome, double wild_forecast) {
  Aggregator blend = make_aggregator(spec, 6);
  Series series{6, Random(3)};
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
  Series series{4, Random(4)};
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

TEST(Blend, CombinesProbabilitiesIntoProbabilities) {
  Random random(6);
  Aggregator blend = make_aggregator("blend{season=7}", 4, {TaskLoss("log")});
  double own = 0, worst = 0;
  for (int t = 0; t < 2000; ++t) {
    const double p = random.uniform(0.02, 0.98);
    std::vector<double> forecasts;
    for (int k = 0; k < 4; ++k) {
      forecasts.push_back(std::clamp(p + 0.1 * k * random.normal(), 0.0, 1.0));
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
  Series series{6, Random(7)};
  play(blend, series, 1000);
  const auto w = blend.weights();
  EXPECT_TRUE(test::on_simplex(w));
  EXPECT_EQ(std::max_element(w.begin(), w.end()) - w.begin(), 0);
  EXPECT_GT(w[0], 2 * w[5]);
}

TEST(Blend, TakesOneExpertAndHundreds) {
  for (const std::size_t experts : {1u, 2u, 300u}) {
    Aggregator blend = make_aggregator("blend{season=24}", experts);
    Series series{experts, Random(8)};
    play(blend, series, 100);
  }
}

// Every number of a saved state, replaced by another one: it is refused, or all goes on. As the contract
// has it of blends that prove nothing.
TEST(Blend, AForgedStateOfOneThatProvesIsRefusedOrHarmless) {
  Random random(10);
  Aggregator blend = make_aggregator("blend", 2, {.certify = true});
  Series series{2, Random(10)};
  play(blend, series, 30);
  const Made next = series.next();
  blend.predict(next.forecasts);
  test::replace_numbers(blend.save_bytes(), 8, random, [&](Aggregator& loaded) {
    EXPECT_TRUE(std::isfinite(loaded.predict(next.forecasts)));
    loaded.learn(loaded.last_opened(), next.y);
    EXPECT_TRUE(test::on_simplex(loaded.weights()));
  });
}

TEST(Blend, AllocatesNothingOnceItRunsThoughItProves) {
  Aggregator blend = make_aggregator("blend", 6, {.certify = true});
  Series series{6, Random(9)};
  play(blend, series, 3);
  for (int t = 0; t < 200; ++t) {
    const Made made = series.next();
    const std::size_t before = test::allocations.count;
    blend.predict(made.forecasts);
    blend.learn(made.y);
    ASSERT_EQ(test::allocations.count, before) << "round " << t;
  }
}

}  // namespace
}  // namespace pcgs
