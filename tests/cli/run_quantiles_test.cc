// pcgs run --quantiles, as somebody with a forecast hub's files uses it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "run/level_rows.h"
#include "show/result.h"
#include "show/run_result.h"
#include "support/csv.h"
#include "support/expect.h"

namespace pcgs::test {
namespace {

using nlohmann::json;

class RunQuantiles : public ProgramTest {
 protected:
  static std::vector<std::string> arguments(const std::string& input,
                                            std::vector<std::string> more = {}) {
    std::vector<std::string> all = {
        "run",    input,  "--quantiles", "q*",      "--y",   "cases",           "--time",
        "week",   "--by", "place",       "--known", "known", "--expert-column", "model",
        "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static Said play(const std::string& input, std::vector<std::string> more = {}) {
    return run_program(arguments(input, std::move(more)));
  }
};

TEST_F(RunQuantiles, WritesQuantilesInOrderForEveryTimeOfEverySeries) {
  const auto rows = made_up_rows(4, 30, 3, 4);
  const auto said = play(file("a.csv", level_csv(rows)), {"--out", dir_ / "o"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto written = csv_rows(dir_ / "o/forecasts.csv");
  EXPECT_EQ(written[0], (std::vector<std::string>{"week", "place", "known", "cases", "q0.1",
                                                  "q0.25", "q0.5", "q0.75", "q0.9"}));
  std::map<std::pair<std::string, std::string>, std::string> rounds;
  for (const auto& row : rows)
    rounds[{date_of(row.week), row.place}] = date_of(row.week + row.ahead);
  ASSERT_EQ(written.size(), rounds.size() + 1);
  for (std::size_t t = 1; t < written.size(); ++t) {
    const auto& fields = written[t];
    EXPECT_EQ(rounds.at({fields[0], fields[1]}), fields[2]);
    for (std::size_t i = 5; i < fields.size(); ++i) {
      EXPECT_LE(std::stod(fields[i - 1]), std::stod(fields[i])) << t;
    }
  }
  EXPECT_TRUE(mentions(said.out, "blend (the combination)"));
  EXPECT_TRUE(mentions(said.out, "equal-weight linear pool"));
  EXPECT_TRUE(mentions(said.out, "weights now:"));
}

TEST_F(RunQuantiles, ScoresAreThoseOfTheFileItWrites) {
  const auto rows = made_up_rows(8, 30, 2, 3);
  const auto said = play(file("a.csv", level_csv(rows)), {"--out", dir_ / "o", "--json"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const json result = json::parse(said.out);
  EXPECT_EQ(said.out, content(dir_ / "o/results.json"));
  const auto read = results::read_result(said.out, "results.json");
  EXPECT_NE(read.get_if<results::QuantileResult>(), nullptr);
  const auto written = csv_rows(dir_ / "o/forecasts.csv");
  double sum = 0;
  std::size_t held = 0;
  for (std::size_t t = 1; t < written.size(); ++t) {
    const double y = std::stod(written[t][3]);
    for (std::size_t i = 0; i < 5; ++i) {
      const double beyond = y - std::stod(written[t][4 + i]);
      sum += 2 * std::max(kLevelsOfRows[i] * beyond, (kLevelsOfRows[i] - 1) * beyond) / 5;
    }
    held += std::stod(written[t][4]) <= y && y <= std::stod(written[t][8]);
  }
  const auto count = static_cast<double>(written.size() - 1);
  EXPECT_EQ(result["errors"][0]["name"], "blend");
  EXPECT_EQ(result["measure"], "WIS");
  EXPECT_NEAR(result["errors"][0]["loss"].get<double>(), sum / count, 1e-9);
  EXPECT_NEAR(result["shapes"][0]["held"]["0.8"].get<double>(), static_cast<double>(held) / count,
              1e-12);
  double weights = 0;
  for (const auto& [name, weight] : result["weights_now"].items()) weights += weight.get<double>();
  EXPECT_NEAR(weights, 1, 1e-12);
  EXPECT_EQ(result["series"].size(), 2u);
}

TEST_F(RunQuantiles, WithoutCalibrationSomethingElseIsPublishedAndGoneOnFrom) {
  const auto rows = made_up_rows(8, 20, 3, 4);
  const auto path = file("a.csv", level_csv(rows));
  ASSERT_EQ(play(path, {"--out", dir_ / "a", "--save", dir_ / "with"}).exit_code, 0);
  ASSERT_EQ(
      play(path, {"--no-calibration", "--out", dir_ / "b", "--save", dir_ / "without"}).exit_code,
      0);
  EXPECT_NE(content(dir_ / "a/forecasts.csv"), content(dir_ / "b/forecasts.csv"));
  refuses(arguments(path, {"--no-calibration", "--resume", dir_ / "with"}),
          {"with: was saved without --no-calibration; leave it out"});
  // The state knows.
  EXPECT_EQ(play(path, {"--no-calibration", "--resume", dir_ / "without"}).exit_code, 0);
  EXPECT_EQ(play(path, {"--resume", dir_ / "without"}).exit_code, 0);
  refuses({"run", path, "--y", "cases", "--no-calibration"},
          {"--no-calibration goes with --quantiles"});
}

TEST_F(RunQuantiles, ComingRoundsAreForecast) {
  auto rows = made_up_rows(8, 20, 2, 3);
  std::string text = level_csv(rows);
  for (const auto& row : rows) {
    if (row.week < 19) continue;
    const auto outcome = fmt::format(",{}\n", row.cases);
    for (auto at = text.find(outcome); at != text.npos; at = text.find(outcome)) {
      text.replace(at, outcome.size(), ",\n");
    }
  }
  const auto result = parsed(arguments(file("a.csv", text), {"--json"}));
  ASSERT_EQ(result["coming"].size(), 2u);
  EXPECT_EQ(result["coming"][0]["time"], date_of(19));
  EXPECT_EQ(result["coming"][0]["quantiles"].size(), 5u);
}

TEST_F(RunQuantiles, APageShowsTheSameNumbers) {
  const auto rows = made_up_rows(8, 20, 2, 3);
  const auto said = play(file("a.csv", level_csv(rows)), {"--report", dir_ / "page.html"});
  if (said.exit_code == 2 && said.err.find("PCGS_REPORT") != said.err.npos) {
    GTEST_SKIP() << "built without pages";
  }
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const std::string page = content(dir_ / "page.html");
  EXPECT_TRUE(mentions(page, "equal-weight linear pool"));
  EXPECT_TRUE(mentions(page, "Width and coverage"));
  EXPECT_TRUE(mentions(page, "Forecasts of place p1"));
  EXPECT_TRUE(mentions(page, "WIS by series"));
}

TEST_F(RunQuantiles, WhatWouldSpoilTheAnswerIsRefused) {
  const auto rows = made_up_rows(8, 6, 2, 3);
  const auto path = file("a.csv", level_csv(rows));
  const auto with = [&](std::vector<std::string> more) { return arguments(path, std::move(more)); };
  refuses(with({"--method", "boa"}), {"--method"});
  refuses(with({"--block", "4"}), {"--block"});
  refuses(with({"--loss", "absolute"}), {"--loss"});
  refuses(with({"--transform", "sqrt"}), {"--transform"});
  refuses({"run", path, "--y", "cases", "--known", "known"}, {"--known goes with --quantiles"});
  refuses({"run", path, "--quantiles", "q*"}, {"--quantiles goes with --y"});
  refuses(with({"--y-file", dir_ / "none.csv"}), {"none.csv"});
  refuses(with({"--out", dir_ / "o", "--y-file", path, "--save", path}), {"a.csv"});
}

TEST_F(RunQuantiles, NumbersThatHaveNoLogarithmAreNamed) {
  const std::string head = "week,place,known,model,q0.1,q0.9,cases\n";
  refuses(
      arguments(file("a.csv", head + "1,a,1,x,1,2,3\n2,a,2,x,-1,2,3\n"), {"--transform", "log1p"}),
      {"a.csv: row 2, column q0.1", "-1", "log1p"});
  refuses(arguments(file("a.csv", head + "1,a,1,x,1,2,-4\n"), {"--transform", "log1p"}),
          {"a.csv: row 1, column cases", "-4", "log1p"});
}

TEST_F(RunQuantiles, NumbersBeyondAllBoundsLeaveAnAnswer) {
  std::string text = "week,place,known,model,q0.1,q0.5,q0.9,cases\n";
  for (int week = 1; week < 30; ++week) {
    text += fmt::format("{0},n,{0},exact,5,5,5,5\n{0},n,{0},huge,-1.7e308,0,1.7e308,5\n", week);
    text += fmt::format("{0},n,{0},big,1e308,1.2e308,1.5e308,5\n{0},n,{0},ok,4,6,7,5\n", week);
  }
  const auto said = play(file("a.csv", text), {"--json"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NO_THROW(results::read_result(said.out, "results.json"));
  EXPECT_TRUE(mentions(play(file("a.csv", text)).out, ">1e308"));
}

TEST_F(RunQuantiles, AnotherKindOfStateIsRefused) {
  const auto rows = made_up_rows(8, 6, 2, 3);
  const auto path = file("a.csv", level_csv(rows));
  const auto losses = file("l.csv", "a,b\n0.5,0.25\n0.5,0.75\n");
  ASSERT_EQ(run_program({"run", losses, "--method", "hedge", "--save", dir_ / "losses", "--quiet"})
                .exit_code,
            0);
  refuses(arguments(path, {"--resume", dir_ / "losses"}),
          {"something else than a panel of quantile forecasts"});
  ASSERT_EQ(play(path, {"--save", dir_ / "panel"}).exit_code, 0);
  refuses({"run", losses, "--resume", dir_ / "panel", "--quiet"}, {"--quantiles"});
}

}  // namespace
}  // namespace pcgs::test
