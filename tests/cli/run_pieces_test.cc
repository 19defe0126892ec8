// pcgs run, again and again: what is saved, what goes on, and what is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/forecast_rows.h"
#include "support/expect.h"

namespace pcgs::test {
namespace {

using nlohmann::json;
using Options = std::vector<std::string>;

class RunPieces : public ForecastRowsTest {};

TEST_F(RunPieces, SeasonsThatTimesSuggestAreTheDefault) {
  const auto path = write("y.csv", hours(0, 150));
  const auto suggested = run(path, {}).forecasts;
  EXPECT_EQ(suggested, run(path, {"--season", "24,168"}).forecasts);
  EXPECT_NE(suggested, run(path, {"--no-season"}).forecasts);
  const Said said = run_program({"run", path, "--y", "y", "--json"});
  EXPECT_TRUE(mentions(said.err, "24 and 168"));
  EXPECT_TRUE(mentions(said.err, "--no-season"));
  refuses({"run", path, "--y", "y", "--season", "24", "--no-season"}, {"--no-season"});
}

TEST_F(RunPieces, AGapMovesThePhaseOfASeason) {
  const auto rows = hours(0, 150, {60});
  const auto with_gap = run(write("gap.csv", rows), {"--season", "24"});
  std::string text = content(write("gap.csv", rows));
  text.erase(0, text.find('\n') + 1);
  std::string without_times = "y,a,b,c\n";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    without_times += text.substr(text.find(',', at) + 1, end - text.find(',', at));
    at = end + 1;
  }
  const auto without = run(file("none.csv", without_times), {"--season", "24"});
  ASSERT_EQ(with_gap.forecasts.size(), without.forecasts.size());
  for (std::size_t t = 0; t <= 59; ++t) {
    ASSERT_EQ(with_gap.forecasts[t].back(), without.forecasts[t].back()) << "before the gap";
  }
  EXPECT_NE(with_gap.forecasts.back().back(), without.forecasts.back().back());
}

// What is said of a run that goes on is about its own rounds, on losses that are divided by what the
// rounds before have taught: losses and regrets of two pieces add up to those of one run.
TEST_F(RunPieces, ReportTheLossAndTheRegretOfTheirOwnRounds) {
  constexpr std::size_t kFirst = 150;
  const auto rows = hours(0, 220);
  const auto whole = write("whole.csv", rows), first = write("first.csv", part(rows, 0, kFirst)),
             second = write("second.csv", part(rows, kFirst, rows.size()));
  for (const Options& options : {Options{"--method", "fixed-share", "--scale", "auto"},
                                 Options{"--method", "genshare", "--loss", "absolute"},
                                 Options{"--method", "hedge", "--scale", "30"}}) {
    SCOPED_TRACE(::testing::PrintToString(options));
    const auto played = [&](const std::string& path, const Options& more) {
      Options all = {"run",    path,      "--y",         "y",       "--switches",  "0,20",
                     "--json", "--quiet", "--no-season", "--trace", dir_ / "trace"};
      if (more.front() == "--resume") std::erase(all, "--no-season");
      all.insert(all.end(), more.begin(), more.end());
      return parsed(all);
    };
    auto saving = options;
    saving.insert(saving.end(), {"--save", dir_ / "state"});
    const json before = played(first, saving);
    const json after = played(second, {"--resume", dir_ / "state"});
    const json once = played(whole, options);
    const auto of = [](const json& run, const char* what) {
      return run["methods"][0][what].get<double>();
    };
    EXPECT_EQ(after["rounds"], rows.size() - kFirst);
    for (const char* what : {"total_loss", "total_forecast_loss"}) {
      EXPECT_NEAR(of(before, what) + of(after, what), of(once, what), 1e-9) << what;
    }
    // The best expert of the second piece alone, from the losses that the whole run wrote down.
    const Cells trace = csv_rows(dir_ / "trace");
    std::vector<double> experts(3);
    const auto head = trace.front();
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name = std::string("loss:") + "abc"[k];
      const auto column = std::find(head.begin(), head.end(), name) - head.begin();
      for (std::size_t t = 1 + kFirst; t < trace.size(); ++t) {
        experts[k] += std::stod(trace[t][static_cast<std::size_t>(column)]);
      }
    }
    const double best = *std::min_element(experts.begin(), experts.end());
    EXPECT_NEAR(after["oracle"]["0"].get<double>(), best, 1e-9);
    EXPECT_NEAR(after["methods"][0]["dynamic_regret"]["0"].get<double>(),
                of(once, "total_loss") - of(before, "total_loss") - best, 1e-9);
    EXPECT_NEAR(after["methods"][0]["forecast_regret"]["0"].get<double>(),
                of(once, "total_forecast_loss") - of(before, "total_forecast_loss") - best, 1e-9);
  }
}

TEST_F(RunPieces, AFileWithoutANewRowLeavesTheStateAlone) {
  const auto path = write("y.csv", hours(0, 60));
  run(path, {"--state", dir_ / "state"});
  const std::string before = content(dir_ / "state");
  const Said said =
      run_program({"run", path, "--y", "y", "--state", dir_ / "state", "--skip-learned"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(mentions(said.out, "no row is new"));
  EXPECT_EQ(content(dir_ / "state"), before);
}

// Every hour the rows that are known and the next ones, some of which stay without an outcome.
TEST_F(RunPieces, CanForecastTheNextRowsEachTime) {
  auto rows = hours(0, 120);
  rows[80].known = rows[81].known = false;
  const Options options = {"--season", "24"};
  auto whole_options = options;
  whole_options.insert(whole_options.end(), {"--save", dir_ / "whole"});
  const Written whole = run(write("whole.csv", rows), whole_options);
  std::size_t from = 0;
  for (const std::size_t to : {60u, 81u, 100u, 120u}) {
    auto piece = part(rows, from, to);
    const std::size_t known = piece.size();
    for (int t = static_cast<int>(to); t < static_cast<int>(to) + 3; ++t) {
      piece.push_back({t, "", false});
    }
    auto arguments = from == 0 ? options : Options{};
    arguments.insert(arguments.end(), {"--state", dir_ / "pieces"});
    const Written written = run(write("piece.csv", piece), arguments);
    ASSERT_EQ(written.forecasts.size(), known + 3);
    for (std::size_t t = 0; t < known; ++t) {
      EXPECT_EQ(written.forecasts[t], whole.forecasts[from + t]);
    }
    if (to < rows.size()) {  // what comes is forecast as it will be, but for its outcome
      EXPECT_EQ(written.forecasts[known].back(), whole.forecasts[to].back());
    }
    from = to;
  }
  EXPECT_EQ(content(dir_ / "pieces"), content(dir_ / "whole"));
}

TEST_F(RunPieces, RowsWithoutAnOutcomeInsideAreForecastAndCounted) {
  auto rows = hours(0, 100);
  for (const std::size_t t : {20u, 21u, 22u}) rows[t].known = false;
  const auto path = write("y.csv", rows);
  const json result = parsed({"run", path, "--y", "y", "--json", "--quiet"});
  EXPECT_EQ(result["rounds_without_outcome"], 3);
  EXPECT_EQ(result["errors"][0]["rounds"], 97);
  EXPECT_TRUE(result["next"].empty());
  const Said said = run_program({"run", path, "--y", "y", "--quiet"});
  EXPECT_TRUE(mentions(said.out, "3 rows without an outcome"));
  const Written written = run(path, {});
  for (const std::size_t t : {20u, 21u, 22u}) {
    EXPECT_EQ(written.forecasts[t][1], "");
    EXPECT_NE(written.forecasts[t][2], "");
  }
  // Nothing is learned from them: as if nobody had forecast them, but for the clock.
  auto left_out = rows;
  std::erase_if(left_out, [](const ForecastRow& row) { return !row.known; });
  const Written skipped = run(write("z.csv", left_out), {});
  EXPECT_EQ(skipped.forecasts.back(), written.forecasts.back());
}

TEST_F(RunPieces, OfAnotherRunAreRefused) {
  const auto rows = hours(0, 80);
  const std::string state = dir_ / "state";
  run(write("first.csv", part(rows, 0, 40)), {"--season", "24", "--save", state});
  const auto second = write("second.csv", part(rows, 40, 80));
  std::filesystem::remove_all(dir_ / "out");
  const auto refused = [&](const std::string& input, Options options, const Options& mention) {
    options.insert(options.begin(), {"run", input, "--resume", state, "--quiet"});
    refuses(options, mention);
  };
  refused(second, {}, {"state", "--y"});
  refused(second, {"--y", "y", "--loss", "absolute"}, {"squared"});
  refused(second, {"--y", "y", "--method", "ml-poly"}, {"blend", "--method"});
  refused(second, {"--y", "y", "--scale", "7"}, {"--scale"});
  refused(second, {"--y", "y", "--drop", "a"}, {"has a", "--ignore"});
  refused(second, {"--y", "y", "--ignore", "when"}, {"--time"});
  refused(write("over.csv", part(rows, 39, 80)), {"--y", "y"},
          {"row 1", "2026-03-02 15:00", "--skip-learned"});
  // Choices that agree do no harm.
  const Said said = run_program({"run", second, "--y", "y", "--season", "24", "--loss", "squared",
                                 "--intervals", "80,95", "--resume", state, "--quiet"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

// c is missing and sleeps, then is dropped; d comes.
TEST_F(RunPieces, FollowExpertsThatComeAreMissingAndLeave) {
  const auto rows = hours(0, 90);
  const std::string state = dir_ / "state";
  run(write("first.csv", part(rows, 0, 40)), {"--state", state});
  const auto second = write("second.csv", part(rows, 40, 60));
  const auto third = write("third.csv", part(rows, 60, 75));
  const auto fourth = write("fourth.csv", part(rows, 75, 90));
  const auto said_of = [&](const std::string& input, const Options& options) {
    Options all = {"run", input, "--y", "y", "--state", state};
    all.insert(all.end(), options.begin(), options.end());
    const Said said = run_program(all);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return said;
  };
  Said said = said_of(second, {"--ignore", "c"});
  EXPECT_TRUE(mentions(said.err, "not here, but known to"));
  EXPECT_TRUE(mentions(said.err, "--drop"));
  said = said_of(third, {});  // it is back, with what it had learned
  EXPECT_FALSE(mentions(said.err, "new to"));
  said = said_of(fourth, {"--ignore", "c", "--drop", "c"});
  EXPECT_TRUE(mentions(said.err, "taken out of"));
  std::string text = content(fourth);
  text.replace(text.find("a,b,c"), 5, "a,b,d");
  for (std::size_t at = text.find("2026-03-04"); at != std::string::npos;
       at = text.find("2026-03-04", at + 1)) {
    text.replace(at, 10, "2026-04-04");
  }
  said = said_of(file("fifth.csv", text), {"--json"});
  EXPECT_TRUE(mentions(said.err, "new to"));
  const auto weights = json::parse(said.out)["weights_now"];
  EXPECT_EQ(weights.size(), 3u);
  EXPECT_TRUE(weights.contains("d") && !weights.contains("c")) << weights;
  refuses({"run", fourth, "--y", "y", "--drop", "a"}, {"--drop", "--resume"});
}

TEST_F(RunPieces, SkippingLearnedRowsNeedsAState) {
  refuses({"run", write("y.csv", hours(0, 30)), "--y", "y", "--skip-learned"},
          {"--resume", "--state"});
}

TEST_F(RunPieces, ADamagedStateIsRefusedAndKept) {
  const auto path = write("y.csv", hours(0, 60));
  run(path, {"--save", dir_ / "state"});
  std::filesystem::remove_all(dir_ / "out");
  const std::string whole = content(dir_ / "state");
  const auto next = write("next.csv", hours(60, 70));
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 16;
  for (const std::string& damaged : {flipped, whole.substr(0, whole.size() / 2)}) {
    file("state", damaged);
    refuses({"run", next, "--y", "y", "--state", dir_ / "state", "--quiet"}, {"state"});
    EXPECT_EQ(content(dir_ / "state"), damaged);
  }
}

// ---- Several series ------------------------------------------------------------------------------

class RunSeries : public ForecastRowsTest {
 protected:
  // Three series, one of which begins late and has gaps; each in the order of time, otherwise in any.
  static ForecastRows interleaved(std::uint64_t seed) {
    std::vector<ForecastRows> series = {hours(0, 90, {}, "north"), hours(30, 95, {70, 71}, "south"),
                                        hours(0, 60, {}, "east")};
    std::vector<std::size_t> at(series.size());
    Random random(seed);
    ForecastRows rows;
    for (;;) {
      std::vector<std::size_t> left;
      for (std::size_t i = 0; i < series.size(); ++i) {
        if (at[i] < series[i].size()) left.push_back(i);
      }
      if (left.empty()) return rows;
      const std::size_t i = left[random.below(left.size())];
      rows.push_back(series[i][at[i]++]);
    }
  }
};

TEST_F(RunSeries, RowsJoinBackInTheOrderOfTheFile) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto rows = interleaved(seed);
    const Written all = run(write("all.csv", rows), {"--by", "site", "--method", "ml-poly"});
    ASSERT_EQ(all.forecasts.size(), rows.size());
    ASSERT_EQ(all.intervals.size(), rows.size());
    EXPECT_EQ(csv_rows(dir_ / "out/forecasts.csv")[0],
              (std::vector<std::string>{"when", "site", "outcome", "ml-poly"}));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const Cells* cells : {&all.forecasts, &all.intervals}) {
        EXPECT_EQ((*cells)[i][0], rows[i].time());
        EXPECT_EQ((*cells)[i][1], rows[i].series);
      }
    }
  }
}

TEST_F(RunSeries, RefuseWhatBelongsToOneSeries) {
  const auto path = write("all.csv", interleaved(1));
  run(path, {"--by", "site", "--save", dir_ / "many"});
  run(write("one.csv", hours(0, 30)), {"--save", dir_ / "one"});
  std::filesystem::remove_all(dir_ / "out");
  refuses({"run", path, "--y", "y", "--ignore", "site", "--quiet"}, {"--by"});
  refuses({"run", path, "--y", "y", "--by", "site", "--resume", dir_ / "one", "--quiet"},
          {"one series"});
  refuses({"run", dir_ / "one.csv", "--y", "y", "--resume", dir_ / "many", "--quiet"},
          {"3 series", "--by site"});
  refuses({"run", path, "--y", "y", "--by", "place", "--quiet"}, {"place"});
  refuses({"run", path, "--by", "site"}, {"--y"});
  refuses({"run", path, "--y", "y", "--by", "site", "--trace", dir_ / "t.csv"},
          {"--trace", "--by"});
  refuses({"run", path, "--y", "y", "--by", "site", "--resume", dir_ / "many", "--quiet"},
          {"--skip-learned"});
}

}  // namespace
}  // namespace pcgs::test
