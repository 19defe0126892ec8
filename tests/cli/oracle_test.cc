// What `pcgs oracle` prints, writes and refuses.
#include "pcgs/oracle.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "program.h"
#include "research/suite.h"
#include "support/csv.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

using nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class OracleCommand : public ProgramTest {
 protected:
  // With a path asked for, so that a partial one would show.
  void refuses(std::vector<std::string> arguments, const std::vector<std::string>& mentions) const {
    arguments.insert(arguments.begin(), "oracle");
    arguments.insert(arguments.end(), {"--path", dir_ / "path.csv", "--json"});
    ProgramTest::refuses(arguments, mentions);
  }

  // The rows of a path file must be those of the library's path.
  static void expect_path(const std::string& written, const SwitchingPath& path,
                          const std::vector<std::string>& names) {
    const auto rows = csv_rows(written);
    ASSERT_EQ(rows.size(), 1 + path.experts.size());
    EXPECT_EQ(rows[0], (std::vector<std::string>{"round", "expert", "switched"}));
    std::size_t switches = 0;
    for (std::size_t t = 0; t < path.experts.size(); ++t) {
      const bool switched = t > 0 && path.experts[t] != path.experts[t - 1];
      switches += switched;
      ASSERT_EQ(rows[1 + t],
                (std::vector<std::string>{std::to_string(t + 1), names[path.experts[t]],
                                          switched ? "1" : "0"}));
    }
    EXPECT_EQ(switches, path.switches);
  }

  const Matrix losses_ = suite::generate("switch", 400, 6, 5).losses;
  const std::string npy_ = npy("losses.npy", losses_);
  const std::string csv_ = csv("losses.csv", "a,\"b,1\",c,d,e,f", losses_);
};

TEST_F(OracleCommand, JsonAgreesWithTheLibrary) {
  const json out = parsed({"oracle", npy_, "--switches", "20,0,5,700", "--json"});
  std::vector<std::string> keys;
  for (const auto& [key, value] : out.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"experts", "kind", "rounds", "seconds",
                                            "states_per_second", "switches_used", "values"}));
  EXPECT_EQ(out["rounds"], 400);
  EXPECT_EQ(out["experts"], 6);
  EXPECT_EQ(out["values"].size(), 4u);
  EXPECT_EQ(out["switches_used"].size(), 4u);
  const auto frontier = switching_oracle(losses_, 700);
  for (const std::size_t s : {0u, 5u, 20u, 700u}) {
    const std::string key = std::to_string(s);
    EXPECT_EQ(out["values"][key], frontier[s]);
    EXPECT_EQ(out["switches_used"][key], switching_path(losses_, s).switches);
  }
  EXPECT_LT(out["switches_used"]["700"], 400);
  const double states = 400.0 * 6 * 400;  // nobody can switch more than 399 times
  EXPECT_NEAR(out["states_per_second"].get<double>() * out["seconds"].get<double>(), states, 1);
}

TEST_F(OracleCommand, WritesThePathOfTheLargestBudget) {
  const SwitchingPath path = switching_path(losses_, 12);
  const std::string written = dir_ / "path.csv";
  parsed({"oracle", npy_, "--switches", "3,12,0", "--path", written, "--json"});
  expect_path(written, path, {"e1", "e2", "e3", "e4", "e5", "e6"});
  parsed({"oracle", csv_, "--switches", "3,12,0", "--path", written, "--json"});
  expect_path(written, path, {"a", "b,1", "c", "d", "e", "f"});
}

TEST_F(OracleCommand, SwitchesMayCost) {
  const json out = parsed({"oracle", npy_, "--switches", "3,40", "--switch-cost", "0.5", "--json"});
  const auto frontier = switching_oracle(losses_, 40, 1, 0.5);
  EXPECT_EQ(out["values"], json({{"3", frontier[3]}, {"40", frontier[40]}}));
  EXPECT_EQ(out["switch_cost"], 0.5);
  const SwitchingPath any = unlimited_path(losses_, 0.5);
  EXPECT_EQ(out["unlimited"], json({{"value", any.loss}, {"switches_used", any.switches}}));
  const Said said = run_program({"oracle", npy_, "--switch-cost", "0.5"});
  EXPECT_NE(said.out.find("0.5 for every switch"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find(std::to_string(any.loss)), std::string::npos) << said.out;
}

TEST_F(OracleCommand, WithoutABudgetThePathSwitchesAsOftenAsPays) {
  const std::string written = dir_ / "path.csv";
  const json out = parsed({"oracle", npy_, "--switch-cost", "1.5", "--path", written, "--json"});
  EXPECT_EQ(out["values"], json::object());
  const std::vector<std::string> names = {"e1", "e2", "e3", "e4", "e5", "e6"};
  expect_path(written, unlimited_path(losses_, 1.5), names);
  parsed({"oracle", npy_, "--switch-cost", "1.5", "--switches", "2", "--path", written, "--json"});
  expect_path(written, switching_path(losses_, 2, kOracleMemory, 1, 1.5), names);
}

TEST_F(OracleCommand, RefusesWhatIsNoCost) {
  for (const char* cost : {"-1", "1e300", "much"}) {
    refuses({npy_, "--switch-cost", cost}, {"--switch-cost"});
  }
  refuses({npy_, "--switch-cost", "nan"}, {"cost"});
  refuses({file("nobody.csv", "a,b\n1,2\n,\n"), "--switch-cost", "1"}, {"nobody", "awake"});
}

TEST_F(OracleCommand, IgnoredColumnsMayHoldText) {
  const std::string path = file("dated.csv", "date,a,b\nmonday,1,0\ntuesday,0,1\n");
  const std::string written = dir_ / "path.csv";
  const json out = parsed(
      {"oracle", path, "--ignore", "date", "--switches", "0,1", "--path", written, "--json"});
  EXPECT_EQ(out["experts"], 2);
  EXPECT_EQ(out["values"], json({{"0", 1.0}, {"1", 0.0}}));
  EXPECT_EQ(csv_rows(written)[1][1], "b");
  EXPECT_EQ(csv_rows(written)[2], (std::vector<std::string>{"2", "a", "1"}));
  EXPECT_EQ(parsed({"oracle", npy_, "--ignore", "e2,e6", "--json"})["experts"], 4);
}

TEST_F(OracleCommand, MissingLossesAreExpertsThatSleep) {
  Matrix matrix(3, 2);
  matrix.values = {0, 1, 0, kNan, kNan, 1};
  const std::string as_npy = npy("asleep.npy", matrix);
  const std::string as_csv = file("asleep.csv", "a,b\n0,1\n0,\nNaN,1\n");
  for (const std::string& path : {as_npy, as_csv}) {
    const json out = parsed({"oracle", path, "--switches", "0,1", "--json"});
    EXPECT_EQ(out["values"], json({{"0", nullptr}, {"1", 1.0}}));
    EXPECT_EQ(out["switches_used"], json({{"0", nullptr}, {"1", 1}}));
    const Said said = run_program({"oracle", path, "--switches", "0,1"});
    EXPECT_NE(said.out.find("none"), std::string::npos) << said.out;
    refuses({path, "--switches", "0"}, {path, "0 switches", "sleeps", "--switches"});
  }
}

TEST_F(OracleCommand, WhatCannotBeUsedIsNamed) {
  refuses({file("text.csv", "a,b\n0.1,0.2\n0.3,high\n")},
          {"text.csv", "row 2", "column b", "high"});
  refuses({file("inf.csv", "a,b\n0.1,-inf\n")}, {"inf.csv", "row 1", "column b", "inf"});
  Matrix matrix(40, 3);
  matrix.row(33)[1] = -std::numeric_limits<double>::infinity();
  refuses({npy("inf.npy", matrix)}, {"inf.npy", "row 34", "column e2", "inf", "NaN"});
  refuses({dir_ / "nowhere.csv"}, {"nowhere.csv", "No such file"});
  refuses({dir_ / "nowhere.npy"}, {"nowhere.npy", "No such file"});
  refuses({file("text.npy", "a,b\n1,2\n")}, {"text.npy", "NPY"});
  refuses({npy_, "--ignore", "e7"}, {"losses.npy", "e7", "e6"});
  for (const char* switches : {"-1", "few", "1.5", "", "99999999999999999999"}) {
    refuses({npy_, "--switches", switches}, {"--switches"});
  }
}

TEST_F(OracleCommand, UnwritablePathIsRefused) {
  ProgramTest::refuses({"oracle", npy_, "--path", dir_ / "no-such-folder/path.csv"},
                       {"no-such-folder/path.csv"});
  mkdir((dir_ / "folder").c_str(), 0700);
  ProgramTest::refuses({"oracle", npy_, "--path", dir_ / "folder"}, {"folder"});
}

TEST_F(OracleCommand, APathThatWouldReplaceTheLossesIsRefused) {
  ProgramTest::refuses({"oracle", npy_, "--path", npy_}, {"losses.npy", "named twice"});
  EXPECT_EQ(parsed({"oracle", npy_, "--json"})["experts"], 6);
}

TEST_F(OracleCommand, TooLittleMemoryForThePathSaysHowMuch) {
  const std::string input = npy("large.npy", Matrix(2000, 200));
  refuses({input, "--switches", "60", "--memory", "1"}, {"1 MiB", "allow"});
}

}  // namespace
}  // namespace pcgs::test
