#include "run/long_format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "run/made_up.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

using test::kAsleep;
using test::Random;

// One row of a long file.
struct Line {
  std::string series, time, expert;
  double forecast, outcome;
};

struct Long {
  Problem problem;
  TextColumn experts;
  std::vector<TextColumn> by;
};

Long long_format(const std::vector<Line>& lines, bool with_by) {
  Long out;
  out.problem = test::empty_problem(lines.size(), 1);
  out.problem.experts = {"forecast"};
  out.experts.name = "model";
  std::vector<std::string> texts;
  if (with_by) out.by.emplace_back().name = "series";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out.problem.values.row(i)[0] = lines[i].forecast;
    out.problem.outcomes[i] = lines[i].outcome;
    out.experts.add(lines[i].expert);
    texts.push_back(lines[i].time);
    if (with_by) out.by[0].add(lines[i].series);
  }
  out.problem.times = test::times(texts);
  return out;
}

// By series and time, by expert: what the lines say, however they are ordered.
using Cells = std::map<std::tuple<std::string, double, std::string>, double>;

void shuffle(std::vector<Line>& lines, Random& random) {
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
}

TEST(LongFormat, BecomesTheSameRoundsInWhateverOrderItsRowsAre) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const bool with_by = seed % 2 == 0;
    const std::vector<std::string> series =
        with_by ? std::vector<std::string>{"x", "y", "z"} : std::vector<std::string>{""};
    const std::vector<std::string> experts = {"b", "a", "c"};
    std::vector<Line> lines;
    Cells forecasts;
    std::map<std::pair<std::string, double>, double> outcomes;
    for (const auto& one : series) {
      for (int t = 0; t < 20; ++t) {
        const double y = random.chance(0.2) ? kAsleep : random.uniform(-1, 1);
        bool any = false;
        for (const auto& expert : experts) {
          if (random.chance(0.3)) continue;  // no row
          const double f = random.chance(0.1) ? kAsleep : random.uniform(-1, 1);
          // Some rows do not know the outcome.
          lines.push_back(
              {one, fmt::format("{}", t), expert, f, random.chance(0.2) && any ? kAsleep : y});
          any = true;
          if (!std::isnan(f)) forecasts[{one, t, expert}] = f;
        }
        if (any && !std::isnan(y)) outcomes[{one, t}] = y;
      }
    }
    shuffle(lines, random);
    Long given = long_format(lines, with_by);
    const TextColumn names = given.experts;
    widen(given.problem, names, given.by);
    const Problem& wide = given.problem;

    ASSERT_EQ(wide.values.columns, wide.experts.size());
    ASSERT_EQ(wide.outcomes.size(), wide.rounds());
    ASSERT_EQ(wide.times->at.size(), wide.rounds());
    ASSERT_EQ(wide.rows.size(), wide.rounds());
    Cells found;
    std::map<std::pair<std::string, double>, double> found_outcomes;
    std::vector<std::pair<std::string, double>> order;
    for (std::size_t t = 0; t < wide.rounds(); ++t) {
      const std::string one = with_by ? std::string(given.by[0][t]) : "";
      order.emplace_back(one, wide.times->at[t]);
      if (!std::isnan(wide.outcomes[t])) found_outcomes[order.back()] = wide.outcomes[t];
      for (std::size_t k = 0; k < wide.experts.size(); ++k) {
        const double f = wide.values.row(t)[k];
        if (!std::isnan(f)) found[{one, wide.times->at[t], wide.experts[k]}] = f;
      }
      // Where the round stands in the file: its first row.
      const auto first = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
        return line.series == one && line.time == wide.times->text[t];
      });
      EXPECT_EQ(wide.file_row(t), static_cast<std::size_t>(first - lines.begin()) + 1);
    }
    EXPECT_EQ(found, forecasts) << "seed " << seed;
    EXPECT_EQ(found_outcomes, outcomes) << "seed " << seed;
    // Experts and series in the order of their first rows, rounds in that of time.
    std::vector<std::string> seen_experts, seen_series;
    for (const Line& line : lines) {
      for (auto [seen, name] :
           {std::pair{&seen_experts, line.expert}, {&seen_series, line.series}}) {
        if (std::find(seen->begin(), seen->end(), name) == seen->end()) seen->push_back(name);
      }
    }
    EXPECT_EQ(wide.experts, seen_experts);
    const auto place = [&](const std::string& name) {
      return std::find(seen_series.begin(), seen_series.end(), name) - seen_series.begin();
    };
    for (std::size_t t = 1; t < order.size(); ++t) {
      EXPECT_LT(std::pair(place(order[t - 1].first), order[t - 1].second),
                std::pair(place(order[t].first), order[t].second));
    }
  }
}

std::string refused(const std::vector<Line>& lines, bool with_by = false) {
  Long given = long_format(lines, with_by);
  return test::error_of([&] { widen(given.problem, given.experts, given.by); });
}

TEST(LongFormat, AnExpertThatForecastsARoundTwiceIsRefusedWithTheRow) {
  const std::vector<Line> lines = {
      {"x", "1", "a", 1, 1}, {"x", "2", "a", 1, 1}, {"y", "1", "a", 1, 1}, {"x", "1", "b", 1, 1}};
  const auto message = refused(lines);
  for (const char* part : {"example.csv", "row 3", "a forecasts 1", "--by"}) {
    EXPECT_TRUE(test::mentions(message, part));
  }
  Long told_apart = long_format(lines, true);
  widen(told_apart.problem, told_apart.experts, told_apart.by);
  EXPECT_EQ(told_apart.problem.rounds(), 3u);
  auto twice = lines;
  twice.push_back({"y", "1", "a", 1, 1});
  EXPECT_TRUE(test::mentions(refused(twice, true), "row 5"));
}

TEST(LongFormat, OutcomesOfARoundThatDifferAreRefusedWithTheRow) {
  const auto message = refused({{"", "1", "a", 1, 7},
                                {"", "2", "a", 1, 1},
                                {"", "1", "b", 1, kAsleep},
                                {"", "1", "c", 1, 8}});
  for (const char* part : {"row 4", "outcome of 1", "7", "8"}) {
    EXPECT_TRUE(test::mentions(message, part));
  }
}

TEST(LongFormat, WhatIsNotLongIsRefused) {
  const std::vector<Line> lines = {{"", "1", "a", 1, 7}, {"", "2", "a", 1, 1}};
  const auto refused_with = [&](const std::function<void(Problem&)>& change) {
    Long given = long_format(lines, false);
    change(given.problem);
    return test::error_of([&] { widen(given.problem, given.experts, given.by); });
  };
  EXPECT_TRUE(test::mentions(refused_with([](Problem& p) { p.times.reset(); }), "--time"));
  EXPECT_TRUE(test::mentions(refused_with([](Problem& p) { p.outcomes.clear(); }), "--y"));
  EXPECT_TRUE(test::mentions(refused_with([](Problem& p) { p.side = Matrix(2, 1); }), "--side"));
  const auto two = refused_with([](Problem& p) {
    p.values = Matrix(2, 2);
    p.experts = {"mean", "median"};
  });
  EXPECT_TRUE(test::mentions(two, "mean, median"));
  EXPECT_TRUE(test::mentions(two, "--ignore"));
}

}  // namespace
}  // namespace pcgs::compare
