// pcgs forecast, again and again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/forecast_rows.h"
#include "forecasters/series.h"
#include "pcgs/aggregator.h"
#include "run/forecast_series.h"
#include "show/result.h"
#include "support/expect.h"

namespace pcgs::test {
namespace {

using Options = std::vector<std::string>;

class ForecastPieces : public ProgramTest {
 protected:
  // Hours [from, to) of a series with values that are missing, without the rows in `left_out`.
  std::string write(const std::string& name, int from, int to,
                    const std::vector<int>& left_out = {}) {
    static const std::vector<double> series = seasonal_series(400, 7, 0.03);
    std::string text = "when,load,mine\n";
    for (int t = from; t < to; ++t) {
      if (std::find(left_out.begin(), left_out.end(), t) != left_out.end()) continue;
      const double y = series[static_cast<std::size_t>(t)];
      text += fmt::format("{},{},{}\n", ForecastRow{t}.time(),
                          std::isnan(y) ? "" : fmt::format("{}", y), std::sin(0.1 * t));
    }
    return file(name, text);
  }
  // The rows below the header, without the numbers of rows, which begin anew.
  Cells forecast(const std::string& path, Options options) {
    options.insert(options.begin(), {"forecast", path, "--column", "load"});
    options.insert(options.end(), {"--quiet", "--out", dir_ / "out.csv"});
    const Said said = run_program(options);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    Cells rows = csv_rows(dir_ / "out.csv");
    const auto row = std::find(rows[0].begin(), rows[0].end(), "row") - rows[0].begin();
    rows.erase(rows.begin());
    for (auto& cells : rows) cells.erase(cells.begin() + row);
    return rows;
  }
};

const std::vector<Options>& many_options() {
  static const std::vector<Options> all = {{"--season", "12"},
                                           {"--season", "12,84", "--method", "ml-poly"},
                                           {"--season", "12", "--loss", "absolute"},
                                           {"--season", "12", "--forecasts", "mine"}};
  return all;
}

TEST_F(ForecastPieces, EqualOneRunToTheBitWithGapsInTime) {
  const std::vector<int> left_out = {120, 121, 200};
  for (const Options& options : many_options()) {
    SCOPED_TRACE(::testing::PrintToString(options));
    auto whole_options = options;
    whole_options.insert(whole_options.end(), {"--save", dir_ / "whole"});
    const Cells whole = forecast(write("whole.csv", 0, 300, left_out), whole_options);
    Cells pieces;
    int from = 0;
    for (const int to : {100, 101, 160, 300}) {
      // The pool is that of the state; the options that make it are given each time.
      auto piece_options = options;
      piece_options.insert(piece_options.end(), {"--state", dir_ / "pieces"});
      Cells piece = forecast(write("piece.csv", from, to, left_out), piece_options);
      if (to != 300) {
        EXPECT_EQ(piece.back()[0], ForecastRow{to}.time()) << "when the next value will be";
        piece.pop_back();
      }
      pieces.insert(pieces.end(), piece.begin(), piece.end());
      from = to;
    }
    EXPECT_EQ(pieces, whole);
    EXPECT_EQ(content(dir_ / "pieces"), content(dir_ / "whole"));
    std::filesystem::remove(dir_ / "pieces");
  }
}

TEST_F(ForecastPieces, ThatOverlapEqualOneRunWhereLearnedRowsAreSkipped) {
  for (const Options& options : many_options()) {
    SCOPED_TRACE(::testing::PrintToString(options));
    auto whole_options = options, piece_options = options;
    whole_options.insert(whole_options.end(), {"--save", dir_ / "whole"});
    piece_options.insert(piece_options.end(), {"--state", dir_ / "pieces", "--skip-learned"});
    const Cells whole = forecast(write("whole.csv", 0, 200), whole_options);
    forecast(write("first.csv", 0, 120), piece_options);
    const Cells second = forecast(write("second.csv", 60, 200), piece_options);
    ASSERT_EQ(second.size(), 81u);
    EXPECT_EQ(second, Cells(whole.begin() + 120, whole.end()));
    EXPECT_EQ(content(dir_ / "pieces"), content(dir_ / "whole"));
    std::filesystem::remove(dir_ / "pieces");
  }
}

TEST_F(ForecastPieces, RowsWithoutAValueAtTheEndLeaveNoTrace) {
  const auto path = write("y.csv", 0, 150);
  std::string longer = content(path);
  for (int t = 150; t < 155; ++t) longer += ForecastRow{t}.time() + ",,1\n";
  const Options season = {"--season", "12"};
  auto with = season, without = season;
  with.insert(with.end(), {"--save", dir_ / "with"});
  without.insert(without.end(), {"--save", dir_ / "without"});
  const Cells plain = forecast(path, without);
  const Cells more = forecast(file("longer.csv", longer), with);
  EXPECT_EQ(content(dir_ / "with"), content(dir_ / "without"));
  ASSERT_EQ(more.size(), plain.size() + 5);
  EXPECT_EQ(Cells(more.begin(), more.begin() + 151), plain)
      << "the first of them is the next value";
}

TEST_F(ForecastPieces, OfAnotherRunAreRefused) {
  forecast(write("first.csv", 0, 100), {"--season", "12", "--save", dir_ / "state"});
  const auto second = write("second.csv", 100, 150);
  const std::string state = dir_ / "state";
  const auto refused = [&](const std::string& input, Options options, const Options& mention) {
    options.insert(options.begin(), {"forecast", input, "--resume", state, "--quiet"});
    refuses(options, mention);
  };
  refused(second, {"--column", "mine", "--season", "12"}, {"state", "load, not mine"});
  refused(second, {"--column", "load", "--season", "12", "--loss", "absolute"}, {"squared"});
  refused(second, {"--column", "load", "--season", "12", "--method", "boa"}, {"blend", "--method"});
  refused(second, {"--column", "load", "--season", "6"}, {"state"});
  refused(second, {"--column", "load", "--season", "12", "--forecasts", "mine"}, {"experts"});
  refused(dir_ / "first.csv", {"--column", "load", "--season", "12"}, {"row 1", "--skip-learned"});
  refused(dir_ / "first.csv", {"--column", "load", "--season", "12", "--skip-learned"},
          {"no row is new"});
  const auto run_state = dir_ / "run.state";
  const Said said = run_program({"run", second, "--y", "load", "--quiet", "--save", run_state});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  refuses({"forecast", second, "--column", "load", "--resume", run_state, "--quiet"},
          {"run.state", "pcgs forecast did not save it"});
  EXPECT_EQ(run_program({"run", second, "--y", "load", "--resume", state, "--quiet"}).exit_code, 2);
}

TEST_F(ForecastPieces, ADamagedStateIsRefused) {
  forecast(write("first.csv", 0, 60), {"--season", "12", "--save", dir_ / "state"});
  const std::string whole = content(dir_ / "state");
  Random random(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::string damaged = whole;
    if (repeat % 2 == 0) {
      damaged.resize(random.below(whole.size()));
    } else {
      damaged[random.below(whole.size())] ^= 32;
    }
    EXPECT_TRUE(mentions(error_of([&] { compare::ForecastState::load(file("damaged", damaged)); }),
                         "damaged"));
  }
  const auto loaded = compare::ForecastState::load(file("state", whole));
  const auto again = loaded.file();
  EXPECT_EQ(std::string(again.begin(), again.end()), whole);
}

// Numbers that no season has, with a checksum that fits.
TEST_F(ForecastPieces, ForgedSeasonsAreRefused) {
  forecast(write("first.csv", 0, 60), {"--season", "12", "--save", dir_ / "state"});
  const auto second = write("second.csv", 60, 70);
  const auto good = compare::ForecastState::load(dir_ / "state");
  EXPECT_EQ(good.seasons, std::vector<std::size_t>{12});
  for (const std::vector<std::size_t>& seasons : {std::vector<std::size_t>{},
                                                  {0},
                                                  {1},
                                                  {13},
                                                  {24, 12},
                                                  {12, 24},
                                                  {std::size_t{1} << 40},
                                                  {std::numeric_limits<std::size_t>::max()}}) {
    auto forged = good;
    forged.seasons = seasons;
    refuses({"forecast", second, "--column", "load", "--resume", file("forged", forged.file()),
             "--quiet"},
            {});
    std::filesystem::remove(dir_ / "forged");
  }
}

TEST_F(ForecastPieces, TheResultIsReadAgain) {
  const Said said = run_program({"forecast", write("y.csv", 0, 100), "--column", "load", "--season",
                                 "12", "--json", "--quiet"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto result = results::read_result(said.out, "forecast.json");
  EXPECT_EQ(results::to_json(result) + "\n", said.out);
}

}  // namespace
}  // namespace pcgs::test
