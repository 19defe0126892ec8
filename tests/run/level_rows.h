// Made-up files of quantile forecasts, as forecast hubs write them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "run/rounds.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs::test {

struct LevelRow {
  int week = 0;
  std::string place, model;
  int ahead = 0;  // weeks until the outcome is known, beyond the next
  std::vector<double> quantiles;
  double cases = 0;
};

inline constexpr double kLevelsOfRows[] = {0.1, 0.25, 0.5, 0.75, 0.9};

// Models that come and go; places that begin later; in the order of weeks.
inline std::vector<LevelRow> made_up_rows(std::uint64_t seed, int weeks, int places, int models) {
  Random random(seed);
  std::vector<LevelRow> rows;
  for (int week = 0; week < weeks; ++week) {
    for (int p = 0; p < places; ++p) {
      if (week < 2 * p) continue;
      const double cases = 100 + 10 * p + random.uniform(-20, 20);
      const int ahead = p % 3;
      for (int m = 0; m < models; ++m) {
        if (m > 0 && (week < 3 * m || random.chance(0.2))) continue;
        const double middle = cases + random.uniform(-5, 5) * (1 + m);
        LevelRow row{week, fmt::format("p{}", p), fmt::format("m{}", m), ahead, {}, cases};
        for (const double level : kLevelsOfRows) {
          row.quantiles.push_back(middle + 20 * (level - 0.5) + random.uniform(0, 1));
        }
        std::sort(row.quantiles.begin(), row.quantiles.end());
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

inline std::string date_of(int week) {
  const int day = 7 * week;
  return fmt::format("20{:02}-{:02}-{:02}", 20 + day / 336, 1 + day % 336 / 28, 1 + day % 28);
}

// With the outcome in every row, or without it.
inline std::string level_csv(const std::vector<LevelRow>& rows, bool with_outcome = true) {
  std::string out = "week,place,known,model,q0.1,q0.25,q0.5,q0.75,q0.9";
  out += with_outcome ? ",cases\n" : "\n";
  for (const auto& row : rows) {
    out += fmt::format("{},{},{},{}", date_of(row.week), row.place, date_of(row.week + row.ahead),
                       row.model);
    for (const double x : row.quantiles) out += fmt::format(",{}", x);
    out += with_outcome ? fmt::format(",{}\n", row.cases) : "\n";
  }
  return out;
}

inline std::string outcome_csv(const std::vector<LevelRow>& rows) {
  std::string out = "place,week,cases\n";
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    lines.push_back(fmt::format("{},{},{}\n", row.place, date_of(row.week), row.cases));
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  for (const auto& line : lines) out += line;
  return out;
}

// What the rows mean.
inline Request request_of_levels() {
  return {.outcome = "cases",
          .time = "week",
          .known = "known",
          .series = {"place"},
          .model_column = "model",
          .quantiles = "q*"};
}

// Read as the program reads them.
inline QuantileProblem problem_of(const std::vector<LevelRow>& rows) {
  const TempDir dir;
  std::ofstream(dir / "a.csv", std::ios::binary) << level_csv(rows);
  const Request request = request_of_levels();
  return compare::quantile_problem_of(read_table({dir / "a.csv"}, request), request);
}

// The same series by two columns: p0 and p1 are the horizons 10 and 9 of Y, p2 and p3 those of X.
inline QuantileProblem places_and_horizons(const std::vector<LevelRow>& rows) {
  QuantileProblem problem = problem_of(rows);
  problem.by = {"place", "horizon"};
  for (auto& key : problem.series) {
    const int number = std::stoi(key[0].substr(1));
    key = {number < 2 ? "Y" : "X", number % 2 == 0 ? "10" : "9"};
  }
  return problem;
}

}  // namespace pcgs::test
