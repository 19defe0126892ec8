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

const std::vector<Options>& many_options() {
  static const std::vector<Options> all = {
      {},
      {"--season", "24,168"},
      {"--method", "ml-poly", "--season", "24"},
      {"--method", "boa", "--loss", "absolute"},
      {"--method", "genshare", "--scale", "400"},
      {"--method", "guard"},
      {"--method", "fixed-share", "--scale", "catoni:auto"},
      {"--method", "blend", "--season", "12", "--loss", "pinball", "--tau", "0.3"},
      {"--method", "pcgs-tf:combine", "--intervals", "50"},
  };
  return all;
}

TEST_F(RunPieces, EqualOneRunToTheBitWithGapsInTime) {
  const auto rows = hours(0, 230, {100, 101, 170});
  for (const Options& options : many_options()) {
    SCOPED_TRACE(::testing::PrintToString(options));
    auto whole_options = options;
    whole_options.insert(whole_options.end(), {"--save", dir_ / "whole"});
    const Written whole = run(write("whole.csv", rows), whole_options);
    const Written pieces = run_pieces(rows, {55, 56, 100, 160}, options, dir_ / "pieces");
    EXPECT_EQ(pieces.forecasts, whole.forecasts);
    EXPECT_EQ(pieces.intervals, whole.intervals);
    EXPECT_EQ(content(dir_ / "pieces"), content(dir_ / "whole"));
    std::filesystem::remove(dir_ / "pieces");
  }
}

TEST_F(RunPieces, ARowAtATimeEqualsOneRun) {
  const auto rows = hours(0, 60, {40});
  const Options options = {"--method", "ml-poly", "--season", "6"};
  auto whole_options = options;
  whole_options.insert(whole_options.end(), {"--save", dir_ / "whole"});
  const Written whole = run(write("whole.csv", rows), whole_options);
  std::vector<std::size_t> ends;
  for (std::size_t end = 1; end < rows.size(); ++end) ends.push_back(end);
  const Written pieces = run_pieces(rows, ends, options, dir_ / "pieces");
  EXPECT_EQ(pieces.forecasts, whole.forecasts);
  EXPECT_EQ(content(dir_ / "pieces"), content(dir_ / "whole"));
}

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

TEST_F(RunPieces, OverlappingFilesEqualOneRunWhereLearnedRowsAreSkipped) {
  const auto rows = hours(0, 200, {120});
  for (const Options& options : {Options{"--season", "24"}, Options{"--method", "boa"}}) {
    auto whole_options = options;
    whole_options.insert(whole_options.end(), {"--save", dir_ / "whole"});
    const Written whole = run(write("whole.csv", rows), whole_options);
    const Written pieces = run_pieces(rows, {60, 61, 130, 198}, options, dir_ / "pieces", 25);
    EXPECT_EQ(pieces.forecasts, whole.forecasts);
    EXPECT_EQ(pieces.intervals, whole.intervals);
    EXPECT_EQ(content(dir_ / "pieces"), content(dir_ / "whole"));
    std::filesystem::remove(dir_ / "pieces");
  }
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

TEST_F(RunPieces, RowsWithoutAnOutcomeAtTheEndAreForecastAndLeaveNoTrace) {
  const auto known = hours(0, 120, {70});
  auto more = known;
  for (int t = 120; t < 126; ++t) more.push_back({t, "", false});
  for (const Options& options : many_options()) {
    SCOPED_TRACE(::testing::PrintToString(options));
    auto without = options, with = options;
    without.insert(without.end(), {"--save", dir_ / "without"});
    with.insert(with.end(), {"--save", dir_ / "with"});
    const Written short_run = run(write("short.csv", known), without);
    const Written long_run = run(write("long.csv", more), with);
    EXPECT_EQ(content(dir_ / "with"), content(dir_ / "without"));
    ASSERT_EQ(long_run.forecasts.size(), more.size());
    for (std::size_t t = 0; t < more.size(); ++t) {
      if (t < known.size()) {
        EXPECT_EQ(long_run.forecasts[t], short_run.forecasts[t]);
        EXPECT_EQ(long_run.intervals[t], short_run.intervals[t]);
        continue;
      }
      EXPECT_EQ(long_run.forecasts[t][1], "") << "the outcome";
      EXPECT_NE(long_run.forecasts[t].back(), "");
      EXPECT_NE(long_run.intervals[t].back(), "");
    }
  }
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

TEST_F(RunPieces, AStateThatHasLearnedNothingGoesOnAsIfItWereNotThere) {
  auto nothing_known = hours(0, 5);
  for (auto& row : nothing_known) row.known = false;
  run(write("none.csv", nothing_known), {"--season", "24", "--state", dir_ / "state"});
  const auto rows = hours(0, 80);
  const Written resumed = run(write("rows.csv", rows), {"--state", dir_ / "state"});
  const Written whole = run(dir_ / "rows.csv", {"--season", "24", "--save", dir_ / "whole"});
  EXPECT_EQ(resumed.forecasts, whole.forecasts);
  EXPECT_EQ(content(dir_ / "state"), content(dir_ / "whole"));
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
  refused(second, {"--y", "a", "--experts", "y,b,c"}, {"forecast y, not a"});
  refused(second, {"--y", "y", "--loss", "absolute"}, {"squared"});
  refused(second, {"--y", "y", "--intervals", "50"}, {"--intervals"});
  refused(second, {"--y", "y", "--method", "ml-poly"}, {"blend", "--method"});
  refused(second, {"--y", "y", "--season", "12"}, {"--season"});
  refused(second, {"--y", "y", "--method", "boa,ml-poly"}, {"one method"});
  refused(second, {"--y", "y", "--scale", "7"}, {"--scale"});
  refused(second, {"--y", "y", "--drop", "a"}, {"has a", "--ignore"});
  refused(second, {"--y", "y", "--drop", "z"}, {"no expert z"});
  refused(file("others.csv", "when,y,d,e\n2026-03-09 00:00,1,2,3\n"), {"--y", "y"},
          {"saved for a, b, c", "none of them"});
  refused(second, {"--y", "y", "--ignore", "when"}, {"--time"});
  refused(second, {"--y", "y", "--by", "when"}, {"--by"});
  refused(dir_ / "first.csv", {"--y", "y"}, {"row 1", "--skip-learned"});
  refused(write("over.csv", part(rows, 39, 80)), {"--y", "y"}, {"row 1", "2026-03-02 15:00"});
  // Choices that agree do no harm.
  const Said said = run_program({"run", second, "--y", "y", "--season", "24", "--loss", "squared",
                                 "--intervals", "80,95", "--resume", state, "--quiet"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

// A file with its columns in another order is the same file.
TEST_F(RunPieces, FollowTheNamesOfExpertsInAnyOrder) {
  const auto rows = hours(0, 80);
  const auto first = write("first.csv", part(rows, 0, 40)),
             second = write("second.csv", part(rows, 40, 80));
  run(first, {"--save", dir_ / "state"});
  const auto go_on = [&](const Options& options) {
    Options all = {"--resume", dir_ / "state", "--save", dir_ / "after"};
    all.insert(all.end(), options.begin(), options.end());
    const Written written = run(second, all);
    return std::pair(written.forecasts, content(dir_ / "after"));
  };
  EXPECT_EQ(go_on({"--experts", "b,c,a"}), go_on({}));
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

TEST_F(RunPieces, TimesThatRepeatOrRunBackwardsAreRefused) {
  auto rows = hours(0, 30);
  rows[12] = rows[11];
  refuses({"run", write("twice.csv", rows), "--y", "y", "--quiet"}, {"row 13", "repeats", "--by"});
  rows = hours(0, 30);
  std::swap(rows[12], rows[13]);
  refuses({"run", write("back.csv", rows), "--y", "y", "--quiet"}, {"row 14", "is before", "--by"});
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
  Random random(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::string damaged = whole;
    if (repeat % 2 == 0) {
      damaged.resize(random.below(whole.size()));
    } else {
      damaged[random.below(whole.size())] ^= 16;
    }
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

TEST_F(RunSeries, EachHasTheNumbersOfARunOnItsOwn) {
  const auto rows = interleaved(1);
  const auto path = write("all.csv", rows);
  for (const Options& options : {Options{"--season", "24"}, Options{"--method", "boa"}}) {
    auto together = options;
    together.insert(together.end(), {"--by", "site"});
    const Written all = run(path, together);
    const json result = json::parse(content(dir_ / "out/results.json"));
    EXPECT_EQ(result["kind"], "series");
    EXPECT_EQ(result["rounds"], rows.size());
    ASSERT_EQ(result["series"].size(), 3u);
    for (const json& one : result["series"]) {
      const std::string name = one["key"][0];
      ForecastRows own;
      Cells of_all;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].series != name) continue;
        own.push_back({rows[i].t, rows[i].series});
        of_all.push_back(all.forecasts[i]);
        of_all.back().erase(of_all.back().begin() + 1);  // the site
      }
      auto alone = options;
      alone.insert(alone.end(), {"--ignore", "site"});
      const Written single = run(write("own.csv", own), alone);
      EXPECT_EQ(of_all, single.forecasts) << name;
      const json expected = json::parse(content(dir_ / "out/results.json"));
      for (const char* field : {"errors", "beside_best", "beside_equal_weights", "weights_now",
                                "measure", "next", "times"}) {
        EXPECT_EQ(one[field], expected[field]) << name << ": " << field;
      }
      EXPECT_EQ(one["rounds"], own.size());
    }
  }
}

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

TEST_F(RunSeries, InPiecesEqualOneRunToTheBit) {
  const auto rows = interleaved(2);
  for (const Options& options :
       {Options{"--by", "site", "--season", "24"}, Options{"--by", "site", "--method", "boa"},
        Options{"--by", "site", "--loss", "absolute", "--intervals", "50,90"}}) {
    SCOPED_TRACE(::testing::PrintToString(options));
    auto whole_options = options;
    whole_options.insert(whole_options.end(), {"--save", dir_ / "whole"});
    const Written whole = run(write("whole.csv", rows), whole_options);
    const Written pieces = run_pieces(rows, {20, 21, 120}, options, dir_ / "pieces");
    EXPECT_EQ(pieces.forecasts, whole.forecasts);
    EXPECT_EQ(pieces.intervals, whole.intervals);
    EXPECT_EQ(content(dir_ / "pieces"), content(dir_ / "whole"));
    std::filesystem::remove(dir_ / "pieces");
    const Written overlapping = run_pieces(rows, {20, 120}, options, dir_ / "pieces", 15);
    EXPECT_EQ(overlapping.forecasts, whole.forecasts);
    EXPECT_EQ(content(dir_ / "pieces"), content(dir_ / "whole"));
    std::filesystem::remove(dir_ / "pieces");
  }
}

TEST_F(RunSeries, DoNotDependOnTheOrderOfRowsBetweenThem) {
  run(write("a.csv", interleaved(3)), {"--by", "site", "--save", dir_ / "a"});
  run(write("b.csv", interleaved(4)), {"--by", "site", "--save", dir_ / "b"});
  EXPECT_EQ(content(dir_ / "a"), content(dir_ / "b"));
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

TEST_F(RunSeries, OneThatRunsBackwardsIsRefusedWithItsRow) {
  auto rows = interleaved(1);
  // Two rows of one series that are next to each other in it.
  std::size_t first = 100, second = 101;
  while (rows[second].series != rows[first].series) ++second;
  std::swap(rows[first], rows[second]);
  refuses({"run", write("all.csv", rows), "--y", "y", "--by", "site", "--quiet"},
          {"row " + std::to_string(second + 1), "is before"});
}

TEST_F(RunSeries, LongFormatGivesTheNumbersOfWide) {
  const auto rows = interleaved(5);
  const auto wide = csv_rows(write("wide.csv", rows));
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < wide.size(); ++i) {
    for (std::size_t k = 3; k < 6; ++k) {
      lines.push_back(wide[i][0] + "," + wide[i][1] + "," + wide[i][2] + "," + wide[0][k] + "," +
                      wide[i][k] + "\n");
    }
  }
  const Written expected = run(dir_ / "wide.csv", {"--by", "site", "--season", "24"});
  const auto by_key = [](const Cells& cells) {
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> out;
    for (const auto& row : cells) out[{row[0], row[1]}] = row;
    return out;
  };
  const std::string header = "when,site,y,model,value\n";
  Random random(1);
  for (int repeat = 0; repeat < 3; ++repeat) {
    // Experts stay in the order of the columns: the first round names them.
    for (std::size_t i = lines.size(); i > 4 && repeat > 0; --i) {
      std::swap(lines[i - 1], lines[3 + random.below(i - 3)]);
    }
    std::string text = header;
    for (const auto& line : lines) text += line;
    const Written found =
        run(file("long.csv", text), {"--by", "site", "--season", "24", "--expert-column", "model"});
    EXPECT_EQ(by_key(found.forecasts), by_key(expected.forecasts));
    EXPECT_EQ(by_key(found.intervals), by_key(expected.intervals));
  }
  std::string twice = header + lines[0] + lines[1] + lines[0];
  std::filesystem::remove_all(dir_ / "out");
  refuses({"run", file("twice.csv", twice), "--y", "y", "--by", "site", "--expert-column", "model",
           "--quiet"},
          {"row 3", "second time"});
}

}  // namespace
}  // namespace pcgs::test
