// Intervals cover what they should, whatever the errors do.
#include "combine/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numbers>
#include <vector>

#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Random;

// Errors of forecasts, made up: that of round t of n, and what is remembered from round to round.
struct Kind {
  const char* name;
  std::size_t season;
  double (*error)(Random& r, std::size_t t, std::size_t n, double& last);

  std::vector<double> make(Random& r, std::size_t n) const {
    std::vector<double> out(n);
    double last = 0;
    for (std::size_t t = 0; t < n; ++t) out[t] = error(r, t, n, last);
    return out;
  }
};

const Kind kKinds[] = {
    {"normal", 0, [](Random& r, std::size_t, std::size_t, double&) { return r.normal(); }},
    {"seasonal variance", 24,
     [](Random& r, std::size_t t, std::size_t, double&) {
       return r.normal() * (1.1 + std::sin(static_cast<double>(t) / 12 * std::numbers::pi));
     }},
    {"jumps of the variance", 0,
     [](Random& r, std::size_t t, std::size_t n, double&) {
       return r.normal() * (t < n / 2 ? 1 : t < 3 * n / 4 ? 5 : 0.1);
     }},
    {"jumps of the bias", 0,
     [](Random& r, std::size_t t, std::size_t n, double&) {
       return r.normal() + (t * 5 / n % 2 == 1 ? 1.5 : 0);
     }},
    {"a variance that drifts", 0,
     [](Random& r, std::size_t, std::size_t, double& log_size) {
       return r.normal() * std::exp(log_size += 0.03 * r.normal());
     }},
    {"heavy tails", 0,
     [](Random& r, std::size_t, std::size_t, double&) {
       return r.normal() / std::sqrt(-std::log(1 - r.uniform()));  // Student, two degrees
     }},
    {"skewed", 0,
     [](Random& r, std::size_t, std::size_t, double&) { return std::exp(r.normal()) - 1.2; }},
    {"of forecasts of a quantile, that of 0.9", 0,
     [](Random& r, std::size_t, std::size_t, double&) { return r.normal() - 1.28; }},
    {"correlated", 0,
     [](Random& r, std::size_t, std::size_t, double& last) {
       return last = 0.8 * last + r.normal();
     }},
    {"exact for a third of the time", 0,
     [](Random& r, std::size_t t, std::size_t n, double&) { return t < n / 3 ? 0 : r.normal(); }},
};

struct Coverage {
  double whole = 0;
  std::array<double, 3> thirds{};
};

// Of each of the usual levels; outcomes come when `late` more rounds have been opened, `block` by
// block.
std::vector<Coverage> coverage(const std::vector<double>& errors, std::size_t season,
                               std::size_t block = 1, std::size_t late = 0) {
  Intervals intervals({{0.8, 0.95}, season});
  std::vector<Coverage> out(2);
  std::array<double, 3> rounds{};
  std::deque<std::pair<std::size_t, Intervals::Opened>> open;
  for (std::size_t t = 0; t < errors.size(); ++t) {
    if (t % block == 0) {
      while (!open.empty() && open.front().first + late < t) {
        const std::size_t past = open.front().first;
        intervals.observe(static_cast<std::int64_t>(past + 1), open.front().second, errors[past]);
        open.pop_front();
      }
    }
    auto& [number, opened] = open.emplace_back();
    number = t;
    intervals.open(static_cast<std::int64_t>(t + 1), 0, opened);
    if (opened.around_zero.empty()) continue;
    const std::size_t third = 3 * t / errors.size();
    ++rounds[third];
    for (std::size_t i = 0; i < 2; ++i) {
      const Interval& one = opened.around_zero[i];
      if (errors[t] >= one.low && errors[t] <= one.high) ++out[i].thirds[third];
    }
  }
  for (Coverage& level : out) {
    double inside = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      inside += level.thirds[i];
      level.thirds[i] = rounds[i] == 0 ? std::nan("") : level.thirds[i] / rounds[i];
    }
    level.whole = inside / (rounds[0] + rounds[1] + rounds[2]);
  }
  return out;
}

TEST(Intervals, CoverWhateverTheErrorsDo) {
  for (const Kind& kind : kKinds) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Random random(seed);
      const auto levels = coverage(kind.make(random, 3000), kind.season);
      EXPECT_NEAR(levels[0].whole, 0.8, 0.01) << kind.name << ", seed " << seed;
      EXPECT_NEAR(levels[1].whole, 0.95, 0.01) << kind.name << ", seed " << seed;
      for (std::size_t i = 0; i < 3; ++i) {
        if (std::isnan(levels[0].thirds[i])) continue;  // not an error yet
        EXPECT_NEAR(levels[0].thirds[i], 0.8, 0.04) << kind.name << ", third " << i;
        EXPECT_NEAR(levels[1].thirds[i], 0.95, 0.025) << kind.name << ", third " << i;
      }
    }
  }
}

TEST(Intervals, CoverInRunsOfThreeHundredRounds) {
  for (const Kind& kind : kKinds) {
    double most80 = 0, most95 = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      const auto levels = coverage(kind.make(random, 300), kind.season);
      most80 += std::abs(levels[0].whole - 0.8) / 20;
      most95 += std::abs(levels[1].whole - 0.95) / 20;
    }
    EXPECT_LT(most80, 0.015) << kind.name;  // chance alone, without a correction: 0.018
    EXPECT_LT(most95, 0.008) << kind.name;  // 0.010
  }
}

TEST(Intervals, CoverWithLateOutcomesAndBlocks) {
  for (const Kind& kind : kKinds) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const auto& [block, late] : {std::pair(24, 0), std::pair(1, 10), std::pair(7, 30)}) {
        Random random(seed);
        const auto levels =
            coverage(kind.make(random, 6000), kind.season, static_cast<std::size_t>(block),
                     static_cast<std::size_t>(late));
        EXPECT_NEAR(levels[0].whole, 0.8, 0.02) << kind.name << ", block " << block;
        EXPECT_NEAR(levels[1].whole, 0.95, 0.01) << kind.name << ", block " << block;
      }
    }
  }
}

// Where the size of errors depends on the hour and on how far the experts disagree.
TEST(Intervals, AreNarrowWhereErrorsAreSmall) {
  Random random(3);
  Intervals intervals({{0.8}, 4});
  Intervals::Opened opened;
  std::array<double, 4> width{};
  double when_close = 0, when_apart = 0;
  for (int t = 1; t <= 4000; ++t) {
    const bool apart = random.chance(0.5);
    intervals.open(t, apart ? 3 : 1, opened);
    if (t > 1000) {
      const double w = opened.around_zero[0].high - opened.around_zero[0].low;
      width[static_cast<std::size_t>(t % 4)] += w;
      (apart ? when_apart : when_close) += w;
    }
    intervals.observe(t, opened, random.normal() * (t % 4 == 0 ? 4 : 1) * (apart ? 3 : 1));
  }
  EXPECT_NEAR(width[0] / width[1], 4, 0.6);
  EXPECT_NEAR(width[2] / width[1], 1, 0.2);
  EXPECT_NEAR(when_apart / when_close, 3, 0.6);
}

TEST(Intervals, DoNotDependOnTheUnits) {
  for (const double unit : {0x1p20, 0x1p-20, 0x1p400, 0x1p-400}) {
    Random random(4);
    Intervals here({{0.5, 0.8, 0.95}, 3}), there({{0.5, 0.8, 0.95}, 3});
    Intervals::Opened a, b;
    for (int t = 1; t <= 400; ++t) {
      const double disagreement = random.uniform();
      here.open(t, disagreement, a);
      there.open(t, unit * disagreement, b);
      ASSERT_EQ(a.around_zero.size(), b.around_zero.size());
      for (std::size_t i = 0; i < a.around_zero.size(); ++i) {
        ASSERT_NEAR(unit * a.around_zero[i].low / b.around_zero[i].low, 1, 1e-9) << t;
        ASSERT_NEAR(unit * a.around_zero[i].high / b.around_zero[i].high, 1, 1e-9) << t;
      }
      const double error = random.normal();
      here.observe(t, a, error);
      there.observe(t, b, unit * error);
    }
  }
}

TEST(Intervals, LieInsideEachOtherAndAreFinite) {
  const double wild[] = {0, 1, -1, 1e-300, 1e150, -1e300, 1e308, -5e-324, 1e6};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    Intervals intervals({{0.1, 0.5, 0.9, 0.999}, 5});
    Intervals::Opened opened;
    for (int t = 1; t <= 2000; ++t) {
      const double wild_one = wild[random.below(9)];
      intervals.open(t, random.chance(0.3) ? std::abs(wild_one) : 0, opened);
      for (std::size_t i = 0; i < opened.around_zero.size(); ++i) {
        const Interval& one = opened.around_zero[i];
        ASSERT_TRUE(std::isfinite(one.low) && std::isfinite(one.high) && one.low <= one.high);
        if (i == 0) continue;
        ASSERT_LE(one.low, opened.around_zero[i - 1].low);
        ASSERT_GE(one.high, opened.around_zero[i - 1].high);
      }
      intervals.observe(t, opened, wild[random.below(9)]);
    }
  }
}

TEST(Intervals, BeforeTheFirstErrorAreAsWideAsTheExpertsDisagree) {
  const Intervals intervals({{0.8}, 0});
  Intervals::Opened one, two, none;
  intervals.open(1, 1, one);
  intervals.open(1, 2, two);
  intervals.open(1, 0, none);
  ASSERT_EQ(one.around_zero.size(), 1u);
  EXPECT_NEAR(one.around_zero[0].high, std::log(5), 0.1) << "of a Laplace law";
  EXPECT_NEAR(two.around_zero[0].high, 2 * one.around_zero[0].high, 1e-12);
  EXPECT_TRUE(none.around_zero.empty());
}

TEST(Intervals, DoNotKeepErrorsInUnitsOfAGuess) {
  Random random(6);
  Intervals guessed({{0.99}, 0});
  Intervals::Opened block[24], one;
  for (int t = 0; t < 24; ++t) guessed.open(t + 1, 1e-6, block[t]);
  for (int t = 0; t < 400; ++t) {
    const double error = random.normal();
    if (t < 24) {
      guessed.observe(t + 1, block[t], error);
    } else {
      guessed.open(t + 1, 1e-6, one);
      guessed.observe(t + 1, one, error);
    }
  }
  guessed.open(401, 1e-6, one);
  // Wider than 2 * 2.6, for a whole block was missed, but not by the million of those units.
  EXPECT_LT(one.around_zero[0].high - one.around_zero[0].low, 20);
}

TEST(Intervals, RefuseOptionsThatMakeNoSense) {
  const auto refused = [](IntervalOptions options, const char* part) {
    EXPECT_TRUE(test::mentions(test::error_of([&] { Intervals{options}; }), part));
  };
  refused({{}, 0}, "level");
  refused({{0.95, 0.8}, 0}, "increase");
  refused({{0.8, 0.8}, 0}, "increase");
  refused({{0}, 0}, "between 0 and 1");
  refused({{1}, 0}, "between 0 and 1");
  refused({{NAN}, 0}, "between 0 and 1");
  refused({{0.8}, 1}, "season");
}

// The same by sorting everything each time.
class SlowQuantiles {
 public:
  SlowQuantiles() {
    for (int i = 0; i < 20; ++i) {
      const double p = (i + 0.5) / 20;
      all_.push_back(p < 0.5 ? std::log(2 * p) : -std::log(2 * (1 - p)));
    }
  }
  void add(double error) { all_.push_back(error); }
  double quantile(double p) const { return 7.0 / 8 * plain(p) - 1.0 / 8 * plain(1 - p); }

 private:
  // Inside the errors only: halfway through its own share of probability stands each of them.
  double plain(double p) const {
    std::vector<double> last(all_.end() - std::min<std::ptrdiff_t>(1000, std::ssize(all_)),
                             all_.end());
    std::sort(last.begin(), last.end());
    const double at = p * static_cast<double>(last.size()) - 0.5;
    const auto below = static_cast<std::size_t>(at);
    return std::lerp(last[below], last[below + 1], at - std::floor(at));
  }
  std::vector<double> all_;
};

TEST(ErrorQuantiles, AreThoseOfTheLastThousandErrors) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    test::Random random(seed);
    ErrorQuantiles fast;
    SlowQuantiles slow;
    for (int t = 0; t < 2600; ++t) {
      // Rounded, so that equal errors come and go; drifting, so that a wrong one leaving shows.
      const double error = std::round(random.uniform(-20, 20)) / 4 + t / 500;
      fast.add(error);
      slow.add(error);
      if (t % 13 != 0) continue;
      for (const double p : {0.05, 0.1, 0.3, 0.5, 0.77, 0.95}) {
        ASSERT_NEAR(fast.quantile(p), slow.quantile(p), 1e-12) << t << ", " << p;
      }
    }
  }
}

TEST(ErrorQuantiles, GoOnBeyondTheLargestError) {
  ErrorQuantiles quantiles;
  double last = quantiles.quantile(0.1);
  for (const double p : {0.025, 0.01, 1e-3, 1e-6, 1e-9}) {
    const double further = quantiles.quantile(p);
    EXPECT_LT(further, last) << p;
    EXPECT_NEAR(further, -quantiles.quantile(1 - p), 1e-6 * std::abs(further)) << p;
    last = further;
  }
  EXPECT_TRUE(std::isfinite(quantiles.quantile(0)));
}

}  // namespace

}  // namespace pcgs
