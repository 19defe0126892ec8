// What a forecaster asks first, as pcgs run prints and writes it; and files as people have them.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/forecast_rows.h"
#include "show/forecast_answer.h"
#include "show/result.h"
#include "show/run_result.h"
#include "support/expect.h"
#include "support/gzip.h"

namespace pcgs::test {
namespace {

using nlohmann::json;

class RunAnswer : public ForecastRowsTest {
 protected:
  static json answer_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", "--quiet"});
    return parsed(arguments);
  }
  static double number(const std::string& text) {
    return text.empty() ? std::nan("") : std::strtod(text.c_str(), nullptr);
  }
};

TEST_F(RunAnswer, ErrorsAreThoseOfTheFilesItWrites) {
  auto rows = hours(0, 150);
  rows[40].known = false;
  const auto path = write("y.csv", rows);
  const Written written = run(path, {"--method", "boa,blend"});
  const json result = json::parse(content(dir_ / "out/results.json"));
  const auto given = csv_rows(path);
  const std::vector<std::string> names = {"blend", "boa", "equal weights", "best convex mix"};
  const json& errors = result["errors"];
  ASSERT_EQ(errors.size(), 4 + 3u);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const json& line = errors[i];
    EXPECT_EQ(line["kind"], i < 2 ? "method" : i < 4 ? "reference" : "expert");
    if (i < 4) {
      EXPECT_EQ(line["name"], names[i]);
    }
    EXPECT_EQ(line["rounds"], 149);
    for (const char* field : {"rmse", "mae", "mape", "bias"})
      ASSERT_TRUE(line.contains(field)) << field;
    if (i == 3) continue;
    double squares = 0, sizes = 0, sum = 0, relative = 0;
    for (std::size_t t = 0; t < rows.size(); ++t) {
      if (!rows[t].known) continue;
      const double y = number(given[t + 1][1]);
      const auto k = static_cast<std::size_t>(
          std::find(given[0].begin(), given[0].end(), line["name"].get<std::string>()) -
          given[0].begin());
      const double f =
          i == 0   ? number(written.forecasts[t][3])
          : i == 1 ? number(written.forecasts[t][2])
          : i == 2
              ? (number(given[t + 1][2]) + number(given[t + 1][3]) + number(given[t + 1][4])) / 3
              : number(given[t + 1][k]);
      squares += (f - y) * (f - y);
      sizes += std::abs(f - y);
      sum += f - y;
      relative += std::abs((f - y) / y);
    }
    EXPECT_NEAR(line["rmse"].get<double>(), std::sqrt(squares / 149), 1e-9);
    EXPECT_NEAR(line["mae"].get<double>(), sizes / 149, 1e-9);
    EXPECT_NEAR(line["bias"].get<double>(), sum / 149, 1e-9);
    EXPECT_NEAR(line["mape"].get<double>(), relative / 149, 1e-9);
  }
  EXPECT_EQ(result["measure"], "RMSE");
  EXPECT_EQ(result["rounds_without_outcome"], 1);
}

TEST_F(RunAnswer, NextAreTheForecastsOfRowsWithoutAnOutcome) {
  auto rows = hours(0, 100);
  for (int t = 100; t < 108; ++t) rows.push_back({t, "", false});
  const auto path = write("y.csv", rows);
  const Written written = run(path, {"--intervals", "50,80"});
  const json result = json::parse(content(dir_ / "out/results.json"));
  ASSERT_EQ(result["next"].size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    const json& next = result["next"][i];
    EXPECT_EQ(next["time"], rows[100 + i].time());
    EXPECT_EQ(next["forecast"].get<double>(), number(written.forecasts[100 + i].back()));
    const auto& intervals = written.intervals[100 + i];  // when, outcome, forecast, low, high, ...
    for (const auto& [level, at] : {std::pair{"0.5", 3u}, {"0.8", 5u}}) {
      const json& ends = next["interval"][level];
      ASSERT_EQ(ends.size(), 2u);
      EXPECT_EQ(ends[0].get<double>(), number(intervals[at]));
      EXPECT_EQ(ends[1].get<double>(), number(intervals[at + 1]));
      EXPECT_LT(ends[0], ends[1]);
    }
  }
  EXPECT_EQ(result["times"]["column"], "when");
  EXPECT_EQ(result["times"]["first"], rows.front().time());
  EXPECT_EQ(result["times"]["last"], rows.back().time());
  // The printed ones are among them.
  const Said said = run_program({"run", path, "--y", "y", "--quiet"});
  EXPECT_TRUE(mentions(said.out, "next forecasts:"));
  EXPECT_TRUE(mentions(said.out, rows[100].time()));
}

TEST_F(RunAnswer, WeightsNowAreOfTheExpertsAndSumToOne) {
  for (const char* method : {"blend", "ml-poly", "boa", "hedge", "pcgs-tf:combine"}) {
    const json result = answer_of({write("y.csv", hours(0, 120)), "--y", "y", "--method", method});
    ASSERT_EQ(result["weights_now"].size(), 3u);
    double sum = 0;
    for (const char* expert : {"a", "b", "c"}) {
      const double weight = result["weights_now"][expert];
      EXPECT_GE(weight, 0) << method;
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-9) << method;
  }
}

// What is printed, written and read again is one thing.
TEST_F(RunAnswer, TheHeadlineThatIsPrintedIsThatOfTheJson) {
  for (const auto& options : {std::vector<std::string>{},
                              {"--loss", "absolute"},
                              {"--loss", "pinball", "--tau", "0.2"},
                              {"--method", "hedge"}}) {
    auto arguments = options;
    arguments.insert(arguments.begin(), {"run", write("y.csv", hours(0, 120)), "--y", "y",
                                         "--quiet", "--out", dir_ / "out"});
    const Said said = run_program(arguments);
    ASSERT_EQ(said.exit_code, 0) << said.err;
    const std::string text = content(dir_ / "out/results.json");
    const results::RunResult result =
        *results::read_result(text, "results.json").get_if<results::RunResult>();
    ASSERT_TRUE(result.answer);
    const std::string headline = results::headline(*result.answer);
    EXPECT_TRUE(mentions(said.out, headline));
    EXPECT_TRUE(mentions(said.out, results::sureness(*result.answer)));
    // The sentence has the numbers of the lines.
    const auto& errors = result.answer->errors;
    const auto best = std::find_if(errors.begin(), errors.end(),
                                   [](const auto& line) { return line.kind == "expert"; });
    const auto measure = [&](const results::ErrorLine& line) {
      return result.answer->measure == "RMSE"  ? *line.rmse
             : result.answer->measure == "MAE" ? *line.mae
                                               : *line.loss;
    };
    EXPECT_TRUE(mentions(headline, best->name));
    EXPECT_TRUE(
        mentions(headline, fmt::format("{} {:.4g}", result.answer->measure, measure(errors[0]))));
    const double difference = 100 * (measure(errors[0]) / measure(*best) - 1);
    EXPECT_TRUE(mentions(
        headline, "was " + results::difference_text(difference) + " that of your best model"));
    EXPECT_NEAR(*best->difference, difference, 1e-9);
    EXPECT_EQ(results::to_json(result) + "\n", text) << "as it was written";
  }
}

TEST_F(RunAnswer, OfManySeriesIsReadAgainAndItsHeadlineIsPrinted) {
  ForecastRows rows = hours(0, 80, {}, "north");
  for (const auto& row : hours(0, 60, {}, "south")) rows.push_back(row);
  rows.push_back({80, "north", false});
  const Said said = run_program(
      {"run", write("y.csv", rows), "--y", "y", "--by", "site", "--quiet", "--out", dir_ / "out"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const std::string text = content(dir_ / "out/results.json");
  const results::SeriesResult result =
      *results::read_result(text, "results.json").get_if<results::SeriesResult>();
  EXPECT_EQ(results::to_json(result) + "\n", text) << "as it was written";
  EXPECT_TRUE(mentions(said.out, results::headline(result.answer)));
  EXPECT_EQ(result.rounds, 141u);
  EXPECT_EQ(result.answer.errors[0].rounds, 140u);
  EXPECT_EQ(result.series[0].answer.next.size(), 1u);
  // Squared errors of all rounds together.
  double squares = 0;
  for (const auto& one : result.series) {
    const auto& line = one.answer.errors[0];
    squares += *line.rmse * *line.rmse * static_cast<double>(line.rounds);
  }
  EXPECT_NEAR(*result.answer.errors[0].rmse, std::sqrt(squares / 140), 1e-12);
  EXPECT_TRUE(
      mentions(said.out, fmt::format("in {} of 2 series", results::better_than_best(result))));
}

TEST_F(RunAnswer, SaysWhatIsNotKnownYet) {
  auto rows = hours(0, 3);
  for (auto& row : rows) row.known = false;
  const auto path = write("y.csv", rows);
  const json result = answer_of({path, "--y", "y"});
  EXPECT_EQ(result["next"].size(), 3u);
  EXPECT_EQ(result["errors"][0]["rounds"], 0);
  EXPECT_TRUE(result["errors"][0]["rmse"].is_null());
  EXPECT_FALSE(result.contains("beside_best"));
  EXPECT_TRUE(
      mentions(run_program({"run", path, "--y", "y", "--quiet"}).out, "No outcome is known yet"));
}

TEST_F(RunAnswer, AColumnThatIsTheOutcomeIsRefused) {
  const std::string text = content(write("y.csv", hours(0, 40)));
  std::string copied = "when,y,a,b,c,truth\n";
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at), first = text.find(',', at) + 1;
    const std::string outcome = text.substr(first, text.find(',', first) - first);
    copied += text.substr(at, end - at) + "," + outcome + "\n";
    at = end + 1;
  }
  refuses({"run", file("copied.csv", copied), "--y", "y", "--quiet"},
          {"truth", "equals the outcome", "--ignore"});
}

// ---- Files as people have them --------------------------------------------------------------------

class RunFormats : public ForecastRowsTest {
 protected:
  // The forecasts, without times or rounds.
  std::vector<std::string> last(const Written& written) const {
    std::vector<std::string> out;
    for (const auto& row : written.forecasts) out.push_back(row.back());
    return out;
  }
};

TEST_F(RunFormats, GzippedAndFromStandardInputGiveTheSame) {
  const auto path = write("y.csv", hours(0, 60));
  const auto expected = last(run(path, {}));
  EXPECT_EQ(last(run(file("y.csv.gz", gzipped(content(path))), {})), expected);
  for (const auto& in : {path, dir_ / "y.csv.gz"}) {
    const Said said =
        run_program({"run", "-", "--y", "y", "--quiet", "--out", dir_ / "out"}, "", in);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    Cells cells = csv_rows(dir_ / "out/forecasts.csv");
    cells.erase(cells.begin());
    EXPECT_EQ(last({cells, {}}), expected);
    EXPECT_TRUE(mentions(said.out, "standard input"));
  }
}

TEST_F(RunFormats, DecimalCommasAndThousandsGiveTheSame) {
  std::string plain = "when,y,a,b\n", european = "when;y;a;b\n", swiss = "when,y,a,b\n";
  for (int t = 0; t < 60; ++t) {
    const int y = 1234500 + 1000 * (t % 7) + t;
    const auto time = ForecastRow{t}.time();
    const auto whole = [](int x, const char* sign) {
      return fmt::format("{}{}{:03}{}{:03}", x / 1000000, sign, x / 1000 % 1000, sign, x % 1000);
    };
    plain += fmt::format("{},{}.5,{}.25,{}.75\n", time, y, y + t % 3, y - 2 * (t % 4));
    european += fmt::format("{};{},5;{},25;{},75\n", time, whole(y, "."), whole(y + t % 3, "."),
                            whole(y - 2 * (t % 4), "."));
    swiss += fmt::format("{},{}.5,{}.25,{}.75\n", time, whole(y, "'"), whole(y + t % 3, "'"),
                         whole(y - 2 * (t % 4), "'"));
  }
  const auto expected = last(run(file("plain.csv", plain), {}));
  EXPECT_EQ(last(run(file("european.csv", european), {"--decimal", ",", "--thousands", "."})),
            expected);
  EXPECT_EQ(last(run(file("swiss.csv", swiss), {"--thousands", "'"})), expected);
  std::filesystem::remove_all(dir_ / "out");
  refuses({"run", dir_ / "european.csv", "--y", "y", "--quiet"}, {"european.csv", "row 1"});
  refuses({"run", dir_ / "plain.csv", "--y", "y", "--decimal", "x"}, {"--decimal"});
}

TEST_F(RunFormats, AnIndexColumnOfPandasIsLeftOutOrHoldsTheTimes) {
  const auto rows = csv_rows(write("y.csv", hours(0, 60)));
  // Dates suggest seasons, and numbers do not.
  const Written expected = run(dir_ / "y.csv", {"--no-season"});
  std::string counted = ",y,a,b,c\n", dated = ",y,a,b,c\n";
  for (std::size_t t = 1; t < rows.size(); ++t) {
    const std::string rest =
        "," + rows[t][1] + "," + rows[t][2] + "," + rows[t][3] + "," + rows[t][4] + "\n";
    counted += std::to_string(t - 1) + rest;
    dated += rows[t][0] + rest;
  }
  EXPECT_EQ(last(run(file("counted.csv", counted), {})), last(expected));
  EXPECT_EQ(csv_rows(dir_ / "out/forecasts.csv")[0][0], "round");
  const Written found = run(file("dated.csv", dated), {"--no-season"});
  EXPECT_EQ(found.forecasts, expected.forecasts);
  EXPECT_EQ(csv_rows(dir_ / "out/forecasts.csv")[0][0], "time");
}

TEST_F(RunFormats, TimesAreWrittenBackAsTheyWereRead) {
  std::string text = "day,y,a,b\n";
  for (int t = 1; t <= 28; ++t)
    text += fmt::format("{:02}.02.2026,{},{},{}\n", t, t % 5, std::sin(t), std::cos(t));
  const Written written = run(file("y.csv", text), {});
  for (std::size_t t = 0; t < written.forecasts.size(); ++t) {
    EXPECT_EQ(written.forecasts[t][0], fmt::format("{:02}.02.2026", t + 1));
    EXPECT_EQ(written.intervals[t][0], written.forecasts[t][0]);
  }
}

// ---- What was probably meant ----------------------------------------------------------------------

class Mistyped : public ProgramTest {};

TEST_F(Mistyped, ACommandNamesTheNearest) {
  for (const auto& [typed, meant] : {std::pair{"rum", "run"},
                                     {"forcast", "forecast"},
                                     {"oracel", "oracle"},
                                     {"method", "methods"},
                                     {"certfy", "certify"}}) {
    const std::string hint = std::string("did you mean ") + meant + "?";
    refuses({typed}, {typed, hint});
    refuses({typed, "y.csv", "--y", "y"}, {typed, hint});
  }
}

TEST_F(Mistyped, AnOptionNamesTheNearest) {
  const auto path = file("y.csv", "y,a,b\n1,2,3\n");
  for (const auto& [typed, meant] : {std::pair{"--metod", "--method"},
                                     {"--seasons", "--season"},
                                     {"--skip-learnt", "--skip-learned"},
                                     {"--jsn", "--json"}}) {
    refuses({"run", path, "--y", "y", typed}, {typed, meant});
  }
  refuses({"run", path, "--y", "y", "--sesaon=24"}, {"--sesaon", "--season"});
  refuses({"forecast", path, "--columns", "y"}, {"--column"});
}

TEST_F(Mistyped, ForecastsAreNoLossesForTheOracle) {
  std::string text = "a,b,c\n";
  for (int t = 0; t < 50; ++t) text += fmt::format("{},{},{}\n", 100 + t, 100.5 + t, 99 + t);
  const auto path = file("f.csv", text);
  refuses({"oracle", path}, {"forecasts", "pcgs run", "--y", "--losses"});
  const Said meant = run_program({"oracle", path, "--losses", "--quiet"});
  EXPECT_EQ(meant.exit_code, 0) << meant.err;
}

}  // namespace
}  // namespace pcgs::test
