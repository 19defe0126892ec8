// What `pcgs forecast` prints and writes, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "forecasters/series.h"
#include "pcgs/experts.h"
#include "pcgs/registry.h"
#include "program.h"
#include "support/csv.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

using nlohmann::json;

class Forecast : public ProgramTest {
 protected:
  // A column y, and forecasts a (good) and b (bad, with holes).
  std::string write(const std::string& name, const std::vector<double>& series) const {
    std::ofstream csv(dir_ / name);
    csv.precision(17);
    csv << "date,y,a,b\n";
    for (std::size_t t = 0; t < series.size(); ++t) {
      csv << "day " << t << ',';
      if (!std::isnan(series[t])) csv << series[t];
      csv << ',' << (std::isnan(series[t]) ? 20 : series[t] + 0.01) << ',';
      if (t % 3 != 0) csv << 50;
      csv << '\n';
    }
    return dir_ / name;
  }
};

TEST_F(Forecast, ShowsTheIntervalsOfTheNextValue) {
  const auto file = write("y.csv", seasonal_series(200, 3, 0));
  const Said shown =
      run_program({"forecast", file, "--column", "y", "--season", "12", "--out", dir_ / "out.csv"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(mentions(shown.out, "80 %: "));
  const Said said = run_program({"forecast", file, "--column", "y", "--season", "12", "--json"});
  const json result = json::parse(said.out);
  const double next = result["next"];
  ASSERT_EQ(result["next_intervals"].size(), 2u);
  EXPECT_EQ(result["next_intervals"][1]["level"], 0.95);
  for (const json& one : result["next_intervals"]) {
    EXPECT_LT(one["low"].get<double>(), next);
    EXPECT_GT(one["high"].get<double>(), next);
  }
}

TEST_F(Forecast, AgreesWithTheLibraryRowByRow) {
  const auto series = seasonal_series(300, 21, 0.03);
  const auto file = write("y.csv", series);
  const std::string out = dir_ / "out.csv";
  const Said said = run_program({"forecast", file, "--column", "y", "--season", "12,84", "--method",
                                 "ml-poly", "--scale", "30", "--out", out});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.out.find("seasonal-mean12x4"), std::string::npos);

  const std::vector<std::size_t> seasons = {12, 84};
  ExpertPool pool(standard_experts(seasons));
  auto aggregator =
      make_aggregator("ml-poly", pool.size(), {{}, LossScale::fixed(30), pool.names()});
  const auto rows = csv_rows(out);
  ASSERT_EQ(rows.size(), 1 + series.size() + 1);
  ASSERT_EQ(rows[0].size(), 3 + pool.size() + 4);  // two intervals
  EXPECT_EQ(rows[0][3], "weight:lag1");
  std::vector<double> forecasts(pool.size());
  for (std::size_t t = 0; t <= series.size(); ++t) {
    pool.forecast(forecasts);
    const double combined = aggregator.predict(forecasts);
    const auto& row = rows[t + 1];
    EXPECT_EQ(row[0], std::to_string(t + 1));
    EXPECT_EQ(row[2].empty(), std::isnan(combined));
    EXPECT_TRUE(row[2].empty() || std::strtod(row[2].c_str(), nullptr) == combined) << row[2];
    const auto played = aggregator.played(aggregator.last_opened());
    for (std::size_t k = 0; k < pool.size(); ++k) {
      EXPECT_EQ(std::strtod(row[3 + k].c_str(), nullptr), played[k]);
    }
    const bool known = t < series.size() && !std::isnan(series[t]);
    EXPECT_EQ(row[1].empty(), !known);
    if (known) {
      aggregator.learn(aggregator.last_opened(), series[t]);
    } else {
      aggregator.abandon(aggregator.last_opened());
    }
    if (t < series.size()) pool.observe(series[t]);
  }
}

TEST_F(Forecast, DoesNotSeeTheFuture) {
  auto series = seasonal_series(200, 22);
  const json whole = parsed({"forecast", write("a.csv", series), "--column", "y", "--season", "12",
                             "--method", "fixed-share", "--json"});
  for (std::size_t t = 150; t < series.size(); ++t) series[t] = 100 - series[t];
  const json other = parsed({"forecast", write("b.csv", series), "--column", "y", "--season", "12",
                             "--method", "fixed-share", "--json"});
  for (std::size_t t = 0; t <= 150; ++t) EXPECT_EQ(whole["forecasts"][t], other["forecasts"][t]);
  EXPECT_NE(whole["forecasts"][151], other["forecasts"][151]);
}

TEST_F(Forecast, ForecastsTheFirstRowsAsIfTheyWereAll) {
  auto series = seasonal_series(400, 28, 0.02);
  const json whole = parsed({"forecast", write("a.csv", series), "--column", "y", "--json"});
  for (const std::size_t rows : {250u, 100u, 40u}) {
    series.resize(rows);
    const json cut = parsed({"forecast", write("b.csv", series), "--column", "y", "--json"});
    for (std::size_t t = 0; t < rows; ++t) {
      ASSERT_EQ(cut["forecasts"][t], whole["forecasts"][t]) << rows << " rows, row " << t + 1;
    }
    EXPECT_EQ(cut["next"], whole["forecasts"][rows]);
  }
}

TEST_F(Forecast, NextIsWhatARowWithoutAValueGets) {
  auto series = seasonal_series(120, 23);
  const std::vector<std::string> rest = {"--column", "y",       "--season", "12",    "--method",
                                         "hedge",    "--scale", "10",       "--json"};
  const auto with = [&](const std::string& file) {
    std::vector<std::string> arguments = {"forecast", file};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return parsed(arguments);
  };
  const json now = with(write("a.csv", series));
  series.push_back(std::nan(""));
  const json later = with(write("b.csv", series));
  EXPECT_EQ(now["next"], later["forecasts"][120]);
  EXPECT_EQ(later["gaps"], 1);
}

TEST_F(Forecast, OwnForecastsJoinThePool) {
  const auto file = write("y.csv", seasonal_series(400, 24));
  const json out =
      parsed({"forecast", file, "--column", "y", "--season", "12", "--forecasts", "a,b", "--json"});
  const auto& experts = out["experts"];
  EXPECT_EQ(experts[experts.size() - 2]["name"], "a");
  EXPECT_GT(experts[experts.size() - 2]["rounds"], 390);
  EXPECT_LT(experts[experts.size() - 1]["rounds"], 300);
  EXPECT_TRUE(experts.back()["next_forecast"].is_null());
  EXPECT_LT(out["mean_loss"], 0.3);  // the noise alone is 1/3
}

TEST_F(Forecast, WritesRowsToStandardOutputWithoutMore) {
  const auto file = write("y.csv", seasonal_series(50, 25));
  const Said said = run_program({"forecast", file, "--column", "y"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out.rfind("row,value,forecast,weight:lag1", 0), 0u);
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 52);
}

TEST_F(Forecast, TakesAPoolFromAFile) {
  const auto file = write("y.csv", seasonal_series(50, 26));
  std::ofstream(dir_ / "pool.json") << R"({"experts": [{"kind": "lag", "lag": 2}]})";
  const json out = parsed({"forecast", file, "--column", "y", "--pool", dir_ / "pool.json",
                           "--loss", "absolute", "--json"});
  EXPECT_EQ(out["experts"].size(), 1u);
  EXPECT_EQ(out["loss"], "absolute");
}

TEST_F(Forecast, SaysOfAModelWhatTheOtherCommandsSay) {
  for (const char* command : {"forecast", "run", "suite"}) {
    EXPECT_TRUE(mentions(run_program({command, "--help"}).out, "also inside guard")) << command;
  }
}

TEST_F(Forecast, RefusesBadInputInASentence) {
  const auto file = write("y.csv", seasonal_series(30, 27));
  std::ofstream(dir_ / "pool.json") << R"({"experts": [{"kind": "lag", "leg": 2}]})";
  const std::string out = dir_ / "out.csv";
  refuses({"forecast", file, "--column", "z", "--out", out}, {"y.csv", "z", "date, y"});
  refuses({"forecast", file, "--column", "date", "--out", out}, {"y.csv", "row 1", "date"});
  refuses({"forecast", file, "--column", "y", "--pool", dir_ / "pool.json", "--out", out},
          {"pool.json", "expert 1", "leg"});
  refuses({"forecast", file, "--column", "y", "--forecasts", "a,y", "--out", out}, {"--forecasts"});
  refuses({"forecast", file, "--column", "y", "--out", file}, {"y.csv", "named twice"});
  refuses({"forecast", file, "--column", "y", "--season", "24,12", "--out", out}, {"season 12"});
  refuses({"forecast", file, "--column", "y", "--method", "hedge,boa", "--out", out}, {"--method"});
  refuses({"forecast", file, "--column", "y", "--method", "hedge*", "--out", out}, {"--method"});
  refuses({"forecast", file, "--column", "y", "--scale", "large", "--out", out}, {"--scale"});
  refuses({"forecast", dir_ / "none.csv", "--column", "y", "--out", out}, {"none.csv"});
  std::ofstream(dir_ / "gaps.csv") << "y\nNA\nNA\n";
  refuses({"forecast", dir_ / "gaps.csv", "--column", "y"}, {"gaps.csv", "no value"});
  std::ofstream(dir_ / "clash.csv") << "y,lag1\n1,2\n2,3\n";
  refuses({"forecast", dir_ / "clash.csv", "--column", "y", "--forecasts", "lag1"},
          {"clash.csv", "lag1", "rename"});
}

}  // namespace
}  // namespace pcgs::test
