// Files of forecasts for tests of the program: rows of one or several series, in any pieces.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/program.h"
#include "data/times.h"
#include "support/csv.h"
#include "support/random.h"

namespace pcgs::test {

// A row of a file: when, which series, the outcome and three forecasts of it.
struct ForecastRow {
  int t = 0;
  std::string series{};
  bool known = true;  // whether the outcome is there

  std::string time() const { return io::date_text(io::parse_date("2026-03-01").at + 3600.0 * t); }
  double level() const {
    const double phase = series.empty() ? 0 : static_cast<double>(series.back());
    return 50 + 20 * std::sin(0.5 * t + phase) + std::sin(7.3 * t + phase);
  }
};

using ForecastRows = std::vector<ForecastRow>;
using Cells = std::vector<std::vector<std::string>>;

inline ForecastRows hours(int from, int to, const std::vector<int>& left_out = {},
                          const std::string& series = "") {
  ForecastRows rows;
  for (int t = from; t < to; ++t) {
    if (std::find(left_out.begin(), left_out.end(), t) == left_out.end()) {
      rows.push_back({t, series});
    }
  }
  return rows;
}

inline ForecastRows part(const ForecastRows& rows, std::size_t from, std::size_t to) {
  return {rows.begin() + static_cast<std::ptrdiff_t>(from),
          rows.begin() + static_cast<std::ptrdiff_t>(to)};
}

class ForecastRowsTest : public ProgramTest {
 protected:
  // With a column of series if the rows have names of them.
  std::string write(const std::string& name, const ForecastRows& rows) const {
    const bool named = !rows.front().series.empty();
    std::string text = named ? "when,site,y,a,b,c\n" : "when,y,a,b,c\n";
    for (const auto& row : rows) {
      const int t = row.t;
      const double y = row.level();
      text += row.time() + (named ? "," + row.series : "") + "," +
              (row.known ? fmt::format("{}", y) : "") +
              fmt::format(",{},{},{}\n", y + std::sin(2.1 * t), y + 2 + std::cos(1.7 * t),
                          50 + 20 * std::sin(0.5 * t - 0.5));
    }
    return file(name, text);
  }

  // Runs the command on a file and gives the rows of what it writes into --out.
  struct Written {
    Cells forecasts, intervals;
  };
  Written run(const std::string& path, std::vector<std::string> options) const {
    options.insert(options.begin(), {"run", path, "--y", "y"});
    options.insert(options.end(), {"--quiet", "--out", dir_ / "out"});
    const Said said = run_program(options);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    Written written{csv_rows(dir_ / "out/forecasts.csv"), csv_rows(dir_ / "out/intervals.csv")};
    for (Cells* cells : {&written.forecasts, &written.intervals}) cells->erase(cells->begin());
    return written;
  }
  static void append(Written& to, const Written& more) {
    to.forecasts.insert(to.forecasts.end(), more.forecasts.begin(), more.forecasts.end());
    to.intervals.insert(to.intervals.end(), more.intervals.begin(), more.intervals.end());
  }
  // The same in pieces that end before these rows, through one state.
  Written run_pieces(const ForecastRows& rows, std::vector<std::size_t> ends,
                     const std::vector<std::string>& options, const std::string& state,
                     std::size_t overlap = 0) const {
    Written all;
    ends.push_back(rows.size());
    std::size_t from = 0;
    for (const std::size_t to : ends) {
      const std::size_t with = from - std::min(overlap, from);
      auto arguments = from == 0 ? options : std::vector<std::string>{};
      const auto by = std::find(options.begin(), options.end(), "--by");
      if (from > 0 && by != options.end()) arguments.insert(arguments.end(), by, by + 2);
      arguments.insert(arguments.end(), {"--state", state});
      if (overlap > 0) arguments.emplace_back("--skip-learned");
      append(all, run(write("piece.csv", part(rows, with, to)), arguments));
      from = to;
    }
    return all;
  }
};

}  // namespace pcgs::test
