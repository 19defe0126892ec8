// pcgs run on forecasts: seasons, blocks, delays, and going on.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "cli/program.h"
#include "support/csv.h"
#include "support/data_file.h"

namespace pcgs::test {
namespace {

class RunForecasts : public ProgramTest {
 protected:
  // Rounds [from, to) of one series; `bump` is added to the last ten outcomes.
  std::string series(const std::string& name, int from, int to, double bump = 0) {
    std::ofstream csv(dir_ / name);
    csv << "y,a,b,c\n";
    for (int t = from; t < to; ++t) {
      const double y = 50 + 20 * std::sin(0.5 * t) + std::sin(7.3 * t);
      csv << y + (t >= to - 10 ? bump : 0) << ',' << y + std::sin(2.1 * t) << ','
          << y + 2 + std::cos(1.7 * t) << ',' << 50 + 20 * std::sin(0.5 * t - 0.5) << '\n';
    }
    return dir_ / name;
  }
  // The last column, from row `first` on.
  std::vector<std::string> forecasts(std::vector<std::string> arguments, std::size_t first = 0) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--y", "y", "--quiet", "--out", dir_ / "out"});
    const Said said = run_program(arguments);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    std::vector<std::string> last;
    for (const auto& row : csv_rows(dir_ / "out/forecasts.csv")) last.push_back(row.back());
    return {last.begin() + 1 + static_cast<std::ptrdiff_t>(first), last.end()};
  }
};

TEST_F(RunForecasts, AModelThatCombinesIsGivenToTheMethodThatTakesIt) {
  const auto file = series("y.csv", 0, 100);
  const std::string combines = data_file("../models/combine.safetensors"),
                    regret = data_file("../models/regret.safetensors");
  const auto with = [&](const char* method, const std::string& model) {
    return std::vector<std::string>{file, "--method", method, "--model", model};
  };
  for (const char* method : {"pcgs-tf:combine", "blend", "pcgs-tf,blend,pcgs-tf:combine"}) {
    EXPECT_EQ(forecasts(with(method, combines)), forecasts({file, "--method", method})) << method;
  }
  EXPECT_EQ(forecasts({file, "--model", combines}), forecasts({file}));
  EXPECT_EQ(forecasts(with("blend,pcgs-tf", regret)),
            forecasts({file, "--method", "blend,pcgs-tf"}));
  for (const auto& [method, model, takes] :
       {std::tuple{"pcgs-tf:combine", regret, "pcgs-tf and guard"},
        std::tuple{"pcgs-tf", combines, "pcgs-tf:combine and blend"}}) {
    auto arguments = with(method, model);
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--y", "y"});
    refuses(arguments, {model, takes, "add one"});
  }
}

TEST_F(RunForecasts, OtherWeightsInsideBlendMakeOtherForecasts) {
  const auto file = series("y.csv", 0, 100);
  const std::string other = data_file("../models/ablation/combine-no-attention.safetensors");
  EXPECT_NE(forecasts({file, "--model", other}), forecasts({file}));
}

TEST_F(RunForecasts, IntervalsHoldTheShareOfOutcomesThatTheySay) {
  const auto file = series("y.csv", 0, 600);
  const Said said =
      run_program({"run", file, "--y", "y", "--season", "12", "--intervals", "90,50", "--method",
                   "ml-poly,blend", "--json", "--quiet", "--out", dir_ / "out"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto methods = nlohmann::json::parse(said.out)["methods"];
  EXPECT_FALSE(methods[0].contains("intervals")) << "only the last method has them";
  const auto rows = csv_rows(dir_ / "out/intervals.csv");
  const auto forecasts = csv_rows(dir_ / "out/forecasts.csv");
  ASSERT_EQ(rows.size(), 601u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"round", "outcome", "forecast", "low_50", "high_50",
                                               "low_90", "high_90"}));
  for (std::size_t i = 0; i < 2; ++i) {
    int inside = 0;
    double width = 0;
    for (std::size_t t = 1; t < rows.size(); ++t) {
      ASSERT_EQ(rows[t][2], forecasts[t].back());
      const double y = std::stod(rows[t][1]);
      const double low = std::stod(rows[t][3 + 2 * i]), high = std::stod(rows[t][4 + 2 * i]);
      inside += y >= low && y <= high ? 1 : 0;
      width += high - low;
    }
    const auto& said_of_it = methods[1]["intervals"][i];
    EXPECT_EQ(said_of_it["level"], i == 0 ? 0.5 : 0.9);
    EXPECT_EQ(said_of_it["rounds"], 600);
    EXPECT_NEAR(said_of_it["coverage"].get<double>(), inside / 600.0, 1e-12);
    EXPECT_NEAR(said_of_it["mean_width"].get<double>(), width / 600, 1e-9 * width);
    EXPECT_NEAR(inside / 600.0, i == 0 ? 0.5 : 0.9, 0.03);
  }
}

TEST_F(RunForecasts, ThereAreNoIntervalsAroundProbabilities) {
  std::ofstream csv(dir_ / "p.csv");
  csv << "y,a,b\n";
  for (int t = 0; t < 30; ++t)
    csv << t % 2 << (t % 3 == 0 ? ",0.5," : ",0.25,") << (t % 2 == 0 ? 0.25 : 0.75) << '\n';
  csv.close();
  const Said said = run_program({"run", dir_ / "p.csv", "--y", "y", "--loss", "log", "--method",
                                 "ml-poly", "--out", dir_ / "out", "--quiet"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out.find("intervals"), std::string::npos) << said.out;
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out/intervals.csv"));
}

TEST_F(RunForecasts, RefuseWhatMakesNoSense) {
  const auto file = series("y.csv", 0, 20);
  refuses({"run", file, "--season", "12"}, {"--y"});
  refuses({"run", file, "--y", "y", "--block", "0"}, {"--block"});
  refuses({"run", file, "--y", "y", "--intervals", "100"}, {"--intervals"});
  for (const char* method : {"blend", "pcgs-tf:combine"}) {
    refuses({"run", file, "--method", method, "--scale", "1e6"}, {method, "forecasts", "--y"});
    refuses({"suite", "--method", method}, {method, "forecasts"});
  }
}

}  // namespace
}  // namespace pcgs::test
