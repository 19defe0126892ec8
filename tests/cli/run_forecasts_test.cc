// pcgs run on forecasts: seasons, blocks, delays, and going on.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "cli/program.h"
#include "support/csv.h"

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

TEST_F(RunForecasts, BlocksAndDelaysKeepOutcomesBack) {
  const auto plain = series("plain.csv", 0, 200);
  const auto bumped = series("bumped.csv", 0, 200, 5);
  EXPECT_NE(forecasts({plain}), forecasts({bumped})) << "one step ahead, outcomes matter at once";
  for (const char* late : {"--block", "--delay"}) {
    EXPECT_EQ(forecasts({plain, late, "10"}), forecasts({bumped, late, "10"})) << late;
  }
}

TEST_F(RunForecasts, GoOnToTheBitWithTheirSeason) {
  const auto whole = series("whole.csv", 0, 200);
  const auto first = series("first.csv", 0, 101);
  const auto second = series("second.csv", 101, 200);
  const auto all = forecasts({whole, "--season", "12,36"}, 101);
  forecasts({first, "--season", "12,36", "--save", dir_ / "state"});
  EXPECT_EQ(forecasts({second, "--resume", dir_ / "state"}), all);
}

TEST_F(RunForecasts, RefuseWhatMakesNoSense) {
  const auto file = series("y.csv", 0, 20);
  refuses({"run", file, "--season", "12"}, {"--y"});
  refuses({"run", file, "--y", "y", "--season", "36,12"}, {"longer"});
  refuses({"run", file, "--y", "y", "--block", "0"}, {"--block"});
  refuses({"run", file, "--method", "blend", "--scale", "1e6"}, {"forecasts", "--y"});
}

}  // namespace
}  // namespace pcgs::test
