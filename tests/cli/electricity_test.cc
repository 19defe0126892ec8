// What `pcgs electricity` makes of a file in the format of UCI's, and of others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/npy.h"
#include "data/whole_file.h"
#include "forecasters/series.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "program.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

using nlohmann::json;

// Twenty days of minutes from 28 February of a leap year, with missing values and a lost afternoon.
std::string household_text() {
  std::string text =
      "Date;Time;Global_active_power;Global_reactive_power;Voltage;Global_intensity;"
      "Sub_metering_1;Sub_metering_2;Sub_metering_3\n";
  Random random(31);
  double slow = 0;
  for (int minute = 17 * 60 + 24; minute < 20 * 1440; ++minute) {
    const int day = minute / 1440, clock = minute % 1440;
    const auto date =
        day < 2 ? fmt::format("{}/2/2008", 28 + day) : fmt::format("{}/3/2008", day - 1);
    const auto time = fmt::format("{:02}:{:02}:00", clock / 60, clock % 60);
    slow = 0.99 * slow + random.uniform(-0.02, 0.02);
    if (day == 3 && clock > 700 && clock < 900) continue;  // no rows at all
    if (random.chance(0.01) || (day == 4 && clock < 35)) {
      text += fmt::format("{};{};?;?;?;?;?;?;\n", date, time);
      continue;
    }
    const double power = 1 + 0.5 * std::sin(clock * 6.283185307179586 / 1440) + slow;
    text +=
        fmt::format("{};{};{:.3f};0.418;234.840;18.400;0.000;1.000;17.000\n", date, time, power);
  }
  return text;
}

class Electricity : public ProgramTest {
 protected:
  Matrix losses(const std::string& name) const {
    const auto bytes = read_whole_file(dir_ / name);
    return io::read_npy(bytes, name);
  }
};

TEST_F(Electricity, ReadsTheFileAsPublished) {
  const auto path = file("power.txt", household_text());
  const json out = parsed({"electricity", path, "--minutes", "60", "--losses", dir_ / "losses",
                           "--method", "hedge,ml-poly", "--window", "100", "--json"});
  EXPECT_EQ(out["seasons"], json({24, 168}));
  EXPECT_EQ(out["experts"].size(), 22u);
  EXPECT_EQ(out["experts"].back(), "rls1-3+24@last100");
  // 19 days and 7 hours, less the hours from 12 to 14 of the fourth day.
  EXPECT_EQ(out["observations"], 19 * 24 + 7 - 3);
  EXPECT_EQ(out["burn_in"], 168);  // an expert looks back a week

  const Matrix training = losses("losses/train.npy"), test = losses("losses/test.npy");
  EXPECT_EQ(training.rows, out["training_rounds"]);
  EXPECT_EQ(test.rows, out["rounds"]);
  EXPECT_EQ(out["burn_in"].get<std::size_t>() + training.rows + test.rows, out["observations"]);
  // The figures are those of the test part alone, played from the beginning.
  const auto frontier = switching_oracle(test, 20);
  const auto rounds = static_cast<double>(test.rows);
  for (const auto& method : out["methods"]) {
    if (method["name"] != "hedge" && method["name"] != "ml-poly") continue;
    auto aggregator = make_aggregator(method["name"].get<std::string>(), test.columns);
    for (std::size_t t = 0; t < test.rows; ++t) aggregator.learn(test.row(t));
    for (const std::size_t s : {5u, 10u, 20u}) {
      const auto at = std::to_string(s);
      EXPECT_NEAR(method["regret_per_round"][at], (aggregator.total_loss() - frontier[s]) / rounds,
                  1e-12);
      const double unclipped = method["unclipped_mean_loss"];
      EXPECT_NEAR(method["unclipped_regret_per_round"][at],
                  unclipped - out["unclipped_oracle_mean_loss"][at].get<double>(), 1e-9);
    }
    // Clipping only takes off: in kW^2, more than what was clipped, times what it was divided by.
    EXPECT_GT(method["unclipped_mean_loss"].get<double>(),
              out["scale"].get<double>() * method["mean_loss"].get<double>());
  }
}

TEST_F(Electricity, BendsErrorsInsteadOfClippingThem) {
  const auto path = file("power.txt", household_text());
  const auto played = [&](const std::string& bound) {
    return parsed({"electricity", path, "--minutes", "60", "--losses", dir_ / bound, "--method",
                   "hedge", "--bound", bound, "--json"});
  };
  const json clip = played("clip"), catoni = played("catoni");
  EXPECT_FALSE(clip.contains("bound"));
  EXPECT_EQ(catoni["bound"], "catoni");
  EXPECT_EQ(catoni["scale"], clip["scale"]);
  EXPECT_EQ(catoni["unclipped_oracle_mean_loss"], clip["unclipped_oracle_mean_loss"]);
  const Matrix capped = losses("clip/test.npy"), bent = losses("catoni/test.npy");
  for (std::size_t i = 0; i < capped.values.size(); ++i) {
    ASSERT_LE(bent.values[i], capped.values[i] * (1 + 1e-15));
    if (capped.values[i] < 1) {
      ASSERT_NEAR(bent.values[i], catoni_bounded(capped.values[i]), 1e-15);
    }
  }
  refuses({"electricity", path, "--bound", "huber"}, {"--bound", "huber"});
}

TEST_F(Electricity, TunesOnTheTrainingPartAndInHindsightAndSaysWhich) {
  const auto path = file("power.txt", household_text());
  const json out = parsed({"electricity", path, "--minutes", "30", "--season", "48", "--json"});
  std::vector<std::string> names;
  for (const auto& method : out["methods"]) names.push_back(method["name"]);
  const std::vector<std::string> last(names.end() - 4, names.end());
  EXPECT_EQ(last, (std::vector<std::string>{"hedge (tuned on training part)",
                                            "fixed-share (tuned on training part)", "hedge*",
                                            "fixed-share*"}));
  const auto& methods = out["methods"];
  const std::size_t n = methods.size();
  EXPECT_TRUE(methods[n - 3].contains("chosen_on_training_part"));
  EXPECT_TRUE(methods[n - 1].contains("chosen_in_hindsight"));
  EXPECT_LE(methods[n - 1]["mean_loss"], methods[n - 3]["mean_loss"]);
}

TEST_F(Electricity, TheTestPartDoesNotChangeTheTrainingPart) {
  auto series = seasonal_series(600, 33);
  const auto write = [&](const std::string& name) {
    std::ofstream out(dir_ / name);
    out.precision(17);
    out << "t,y\n";
    for (std::size_t t = 0; t < series.size(); ++t) {
      out << t << ',' << series[t] << '\n';
      if (t % 50 == 0) out << "gap,?\n";
    }
    return dir_ / name;
  };
  const auto run = [&](const std::string& path, const std::string& folder) {
    return parsed({"electricity", path, "--column", "y", "--season", "12,84", "--method", "hedge",
                   "--losses", dir_ / folder, "--json"});
  };
  const json a = run(write("a.csv"), "a");
  for (std::size_t t = 420; t < series.size(); ++t) series[t] *= -7;
  const json b = run(write("b.csv"), "b");
  EXPECT_EQ(a["scale"], b["scale"]);
  EXPECT_EQ(a["observations"], 600);
  EXPECT_TRUE(same_bits(losses("a/train.npy").values, losses("b/train.npy").values));
  EXPECT_FALSE(same_bits(losses("a/test.npy").values, losses("b/test.npy").values));
  EXPECT_EQ(a["methods"][1]["chosen_on_training_part"], b["methods"][1]["chosen_on_training_part"]);
}

TEST_F(Electricity, OnlyTheFirstSleepIsBurnIn) {
  auto series = seasonal_series(700, 34);
  const auto write = [&](const std::string& name) {
    std::string text = "y\n";
    for (const double y : series) text += fmt::format("{}\n", y);
    return file(name, text);
  };
  series[200] = 1e9;
  const json out = parsed({"electricity", write("high.csv"), "--column", "y", "--season", "12,84",
                           "--window", "100", "--method", "hedge", "--json"});
  EXPECT_EQ(out["burn_in"], 84);
  series[600] = 1e200;  // a regression begins anew
  refuses({"electricity", write("beyond.csv"), "--column", "y", "--season", "12,84"},
          {"beyond.csv", "rls", "observation 602"});
}

TEST_F(Electricity, LossesDoNotReplaceAnInput) {
  Matrix series(600, 1);
  series.values = seasonal_series(600, 35);
  const auto bytes = io::npy_bytes(series);
  const std::string npy = file("train.npy", std::string(bytes.begin(), bytes.end()));
  const std::string folder = dir_ / ".";
  refuses({"electricity", npy, "--column", "e1", "--losses", folder}, {"train.npy", "named twice"});
  const auto pool = file("test.npy", R"({"experts": [{"kind": "lag", "lag": 2}]})");
  refuses(
      {"electricity", file("y.csv", "y\n1\n"), "--column", "y", "--pool", pool, "--losses", folder},
      {"test.npy", "named twice"});
  EXPECT_EQ(losses("train.npy").values, series.values);
}

TEST_F(Electricity, RefusesBadInputInASentence) {
  const std::string text = household_text();
  refuses({"electricity", dir_ / "household_power_consumption.txt"},
          {"household_power_consumption.txt", "UCI dataset 235",
           "individual household electric power consumption"});
  refuses({"electricity", file("cut.txt", text.substr(0, text.size() - 20))},
          {"cut.txt", "row ", "cut off"});
  const auto whole = file("power.txt", text);
  refuses({"electricity", whole, "--column", "Power"}, {"power.txt", "Global_active_power"});
  refuses({"electricity", whole, "--minutes", "7"}, {"7 minutes"});
  refuses({"electricity", whole, "--minutes", "720"}, {"power.txt", "training part"});
  refuses({"electricity", whole, "--losses", whole}, {"power.txt"});
  const auto csv = file("y.csv", "y\n1\n2\n3\n");
  refuses({"electricity", csv}, {"y.csv", "--column"});
  refuses({"electricity", csv, "--column", "y", "--minutes", "10"}, {"y.csv", "--season"});
  refuses({"electricity", csv, "--column", "y"}, {"y.csv", "3 observations"});
}

}  // namespace
}  // namespace pcgs::test
