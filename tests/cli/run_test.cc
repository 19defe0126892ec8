// What `pcgs run` prints and writes when all is well.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/npy.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "program.h"
#include "research/suite.h"
#include "run/checks.h"
#include "support/csv.h"
#include "support/data_file.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

using nlohmann::json;

constexpr const char* kNames = "a,b,c,d,e,f";

class Run : public ProgramTest {
 protected:
  const Matrix losses_ = suite::generate("switch", 300, 6, 5).losses;
  const std::string npy_ = npy("losses.npy", losses_), csv_ = csv("all.csv", kNames, losses_);
};

TEST_F(Run, JsonAgreesWithTheLibrary) {
  const json out = parsed({"run", npy_, "--method", "fixed-share{eta=4,rho=0.01},ml-poly",
                           "--switches", "0,3,10", "--json"});
  EXPECT_EQ(out["rounds"], 300);
  EXPECT_EQ(out["experts"].size(), 6);
  EXPECT_EQ(out["switches"], json({0, 3, 10}));
  const auto frontier = switching_oracle(losses_, 10);
  const std::vector<std::string> specs = {"fixed-share{eta=4,rho=0.01}", "ml-poly"};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    auto aggregator = make_aggregator(specs[i], 6);
    for (std::size_t t = 0; t < losses_.rows; ++t) aggregator.learn(losses_.row(t));
    const json& method = out["methods"][i];
    EXPECT_EQ(method["name"], specs[i]);
    EXPECT_EQ(method["total_loss"], aggregator.total_loss());
    for (const std::size_t s : std::vector<std::size_t>{0, 3, 10}) {
      EXPECT_EQ(out["oracle"][std::to_string(s)], frontier[s]);
      EXPECT_EQ(method["dynamic_regret"][std::to_string(s)], aggregator.total_loss() - frontier[s]);
    }
    EXPECT_GT(method["ns_per_round"], 0);
  }
}

TEST_F(Run, SwitchCostsArePaidOnBothSides) {
  const json out = parsed({"run", npy_, "--method", "fixed-share,ml-poly", "--switches", "3,10",
                           "--switch-cost", "0.5", "--json"});
  const auto frontier = switching_oracle(losses_, 10, 1, 0.5);
  const SwitchingPath any = unlimited_path(losses_, 0.5);
  const json& costs = out["switch_costs"];
  EXPECT_EQ(costs["cost"], 0.5);
  EXPECT_EQ(costs["oracle"], json({{"3", frontier[3]}, {"10", frontier[10]}}));
  EXPECT_EQ(costs["unlimited"], any.loss);
  EXPECT_EQ(costs["unlimited_switches"], any.switches);
  for (const json& method : out["methods"]) {
    auto aggregator = make_aggregator(method["name"].get<std::string>(), 6);
    double moved = 0;
    for (std::size_t t = 0; t < losses_.rows; ++t) {
      const std::vector<double> before(aggregator.weights().begin(), aggregator.weights().end());
      aggregator.learn(losses_.row(t));
      for (std::size_t k = 0; k < 6 && t + 1 < losses_.rows; ++k) {
        moved += std::abs(aggregator.weights()[k] - before[k]) / 2;
      }
    }
    const json& with = method["switch_costs"];
    EXPECT_NEAR(with["moved"], moved, 1e-9);
    EXPECT_NEAR(with["total"], aggregator.total_loss() + 0.5 * moved, 1e-9);
    EXPECT_NEAR(with["regret"]["3"], with["total"].get<double>() - frontier[3], 1e-12);
    EXPECT_NEAR(with["unlimited_regret"], with["total"].get<double>() - any.loss, 1e-12);
    EXPECT_EQ(method["dynamic_regret"]["3"],
              aggregator.total_loss() - switching_oracle(losses_, 3)[3])
        << "without costs, as ever";
  }
  const Said said = run_program({"run", npy_, "--method", "boa", "--switch-cost", "0.5"});
  EXPECT_NE(said.out.find("0.5 for every switch"), std::string::npos) << said.out;
}

TEST_F(Run, SaysRegretOnLossesBeforeTheyWereCapped) {
  Matrix wide = losses_;
  for (double& l : wide.values) l *= 10;
  const std::string path = npy("wide.npy", wide);
  const json out =
      parsed({"run", path, "--scale", "4", "--method", "fixed-share", "--switches", "3", "--json"});
  const double oracle = switching_oracle(wide, 3)[3];
  EXPECT_EQ(out["unclipped_oracle"], json({{"3", oracle}}));
  const json& unclipped = out["methods"][0]["unclipped"];
  EXPECT_NEAR(unclipped["regret"]["3"], unclipped["total_loss"].get<double>() - oracle, 1e-12);
  EXPECT_GT(unclipped["total_loss"], 4 * out["methods"][0]["total_loss"].get<double>());
  const Said said = run_program({"run", path, "--scale", "4", "--method", "fixed-share"});
  EXPECT_NE(said.out.find("nothing bounded"), std::string::npos) << said.out;
  const json unit = parsed({"run", npy_, "--method", "fixed-share", "--json"});
  EXPECT_FALSE(unit.contains("unclipped_oracle"));
  EXPECT_FALSE(unit["methods"][0].contains("unclipped"));
}

TEST_F(Run, BendsLossesInsteadOfCappingThem) {
  Matrix wide = losses_;
  for (double& l : wide.values) l *= 10;
  const std::string path = npy("wide.npy", wide);
  const json out =
      parsed({"run", path, "--scale", "catoni:4", "--method", "fixed-share", "--json"});
  EXPECT_EQ(out["bound"], "catoni");
  Matrix bounded = wide;
  for (double& l : bounded.values) l = catoni_bounded(l / 4);
  auto aggregator = make_aggregator("fixed-share", 6);
  for (std::size_t t = 0; t < bounded.rows; ++t) aggregator.learn(bounded.row(t));
  EXPECT_EQ(out["methods"][0]["total_loss"], aggregator.total_loss());
  EXPECT_EQ(out["oracle"]["5"], switching_oracle(bounded, 5)[5]);
  EXPECT_EQ(out["unclipped_oracle"]["5"], switching_oracle(wide, 5)[5]);
  const Said said = run_program({"run", path, "--scale", "catoni:auto", "--method", "boa"});
  EXPECT_NE(said.out.find("Catoni"), std::string::npos) << said.out;
  refuses({"run", path, "--scale", "catoni:much"}, {"--scale", "catoni:much", "number"});
}

TEST_F(Run, CsvAndNpyGiveTheSameNumbers) {
  const json a = parsed({"run", npy_, "--method", "boa", "--json"});
  const json b = parsed({"run", csv_, "--method", "boa", "--json"});
  EXPECT_EQ(a["methods"][0]["total_loss"], b["methods"][0]["total_loss"]);
  EXPECT_EQ(b["experts"], json({"a", "b", "c", "d", "e", "f"}));
}

TEST_F(Run, StarredMethodIsTheBestOfItsGridAndMarked) {
  const json out = parsed({"run", npy_, "--method", "fixed-share*,hedge*,fixed-share", "--json"});
  const json& star = out["methods"][0];
  EXPECT_EQ(star["name"], "fixed-share*");
  const json chosen =
      parsed({"run", npy_, "--method", star["chosen_in_hindsight"], "--json"})["methods"][0];
  EXPECT_EQ(chosen["total_loss"], star["total_loss"]);
  EXPECT_LE(star["total_loss"], out["methods"][1]["total_loss"]);
  const json grid = parsed({"run", npy_, "--method",
                            "fixed-share{eta=8,rho=0.003},fixed-share{eta=16,rho=0.01},"
                            "fixed-share{eta=0.5,rho=0.1}",
                            "--json"});
  for (const json& member : grid["methods"]) EXPECT_LE(star["total_loss"], member["total_loss"]);
}

TEST_F(Run, GuardShowsItsOwnCertificate) {
  for (const char* method : {"guard", "guard{learned=0}"}) {
    const json out =
        parsed({"run", npy_, "--method", method, "--switches", "2,8", "--json"})["methods"][0];
    const json& certificate = out["certificate"];
    EXPECT_EQ(certificate["switches"], 8);
    EXPECT_EQ(certificate["regret"], out["dynamic_regret"]["8"]);
    EXPECT_TRUE(certificate["holds"]);
    EXPECT_LE(certificate["regret"], certificate["bound"]);
    EXPECT_LT(certificate["bound"], 300) << "says something";
  }
}

// The oracle of the second file does not know the first, about which the bound speaks too.
TEST_F(Run, GuardShowsACertificateWhereItStartsAndNoneWhereItGoesOn) {
  csv("first.csv", kNames, losses_, 0, 123);
  csv("second.csv", kNames, losses_, 123, 300);
  const json first = parsed({"run", dir_ / "first.csv", "--method", "guard{learned=0}", "--save",
                             dir_ / "state", "--json"});
  EXPECT_TRUE(first["methods"][0]["certificate"]["holds"]);
  const json second = parsed({"run", dir_ / "second.csv", "--resume", dir_ / "state", "--json"});
  EXPECT_FALSE(second["methods"][0].contains("certificate"));
}

TEST_F(Run, ModelIsGivenToPcgsTfAndToGuard) {
  const std::string model = data_file("../models/regret.safetensors");
  const json own = parsed(
      {"run", npy_, "--method", "hedge,pcgs-tf,guard", "--model", model, "--json"})["methods"];
  const json shipped =
      parsed({"run", npy_, "--method", "hedge,pcgs-tf,guard", "--json"})["methods"];
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_NE(own[i]["full_name"].get<std::string>().find("{model="), std::string::npos);
    EXPECT_EQ(own[i]["total_loss"], shipped[i]["total_loss"]);
  }
}

TEST_F(Run, TableNamesEveryMethodAndMarksHindsight) {
  const Said said = run_program({"run", npy_, "--method", "all"});
  EXPECT_EQ(said.exit_code, 0);
  for (const std::string& method : compare::all_methods(false)) {
    EXPECT_NE(said.out.find("\n" + method + " "), std::string::npos) << method;
  }
  EXPECT_NE(said.out.find("hindsight"), std::string::npos);
}

TEST_F(Run, TraceHoldsEveryRoundOfEveryMethod) {
  const std::string trace = dir_ / "trace.csv";
  const json out = parsed({"run", npy_, "--method", "hedge,adahedge", "--trace", trace, "--json"});
  const auto rows = csv_rows(trace);
  ASSERT_EQ(rows.size(), 1 + 2 * 300);
  double total = 0;
  for (std::size_t t = 0; t < 300; ++t) total += std::strtod(rows[1 + t][2].c_str(), nullptr);
  EXPECT_NEAR(total, out["methods"][0]["total_loss"], 1e-9);
}

TEST_F(Run, SideInformationIsAcceptedAndIsNoExpert) {
  std::ofstream(dir_ / "side.csv") << "hour,a,b\n0,0.1,0.2\n1,0.3,0.4\n";
  const json out = parsed({"run", dir_ / "side.csv", "--side", "hour", "--json", "--quiet"});
  EXPECT_EQ(out["experts"], json({"a", "b"}));
  const Said said = run_program({"run", dir_ / "side.csv", "--side", "hour", "--json"});
  EXPECT_TRUE(mentions(said.err, "makes no use of side information"));
}

TEST_F(Run, ForecastsWithSleepersAreCombinedAndWritten) {
  const std::string path = dir_ / "forecasts.csv";
  {
    std::ofstream csv(path);
    csv << "date,load,good,bad\n";
    for (int t = 0; t < 200; ++t) {
      const double y = 50 + 20 * std::sin(0.1 * t);
      csv << "2020-01-" << t << ',' << y << ',';
      if (t % 7 != 0) csv << y + 1;
      csv << ',' << y + 15 << '\n';
    }
  }
  const std::string out = dir_ / "results";
  const json run = parsed({"run", path, "--y", "load", "--ignore", "date", "--method",
                           "hedge,ml-poly", "--switches", "0,100", "--out", out, "--json"});
  EXPECT_EQ(run["experts"], json({"good", "bad"}));
  EXPECT_TRUE(run["oracle"]["0"].is_number());
  EXPECT_LT(run["methods"][0]["mean_forecast_loss"], 15 * 15 * 0.25);
  const auto rows = csv_rows(out + "/forecasts.csv");
  ASSERT_EQ(rows.size(), 201);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"round", "outcome", "hedge", "ml-poly"}));
  // Where the good expert sleeps only the bad one is left.
  EXPECT_NEAR(std::strtod(rows[1 + 7 * 20][2].c_str(), nullptr),
              std::strtod(rows[1 + 7 * 20][1].c_str(), nullptr) + 15, 1e-3);
  EXPECT_EQ(json::parse(std::ifstream(out + "/results.json"))["rounds"], 200);
}

TEST_F(Run, NobodyAwakeIsSkippedAndReported) {
  const std::string path = dir_ / "gap.csv";
  std::ofstream(path) << "y,a,b\n1,1,2\n2,,\n3,3,4\n";
  const json out = parsed({"run", path, "--y", "y", "--scale", "10", "--json"});
  EXPECT_EQ(out["skipped_rounds"], 1);
}

TEST_F(Run, EveryMethodHasAnEntryInTheList) {
  const Said said = run_program({"methods"});
  EXPECT_EQ(said.exit_code, 0);
  for (const MethodInfo& method : registered_methods()) {
    EXPECT_NE(("\n" + said.out).find("\n" + std::string(method.name) + " "), std::string::npos);
  }
}

}  // namespace
}  // namespace pcgs::test
