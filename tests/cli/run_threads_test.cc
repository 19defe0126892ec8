// pcgs run --by on several threads: what it prints and writes is that of one.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <utility>

#include "forecast_rows.h"

namespace pcgs::test {
namespace {

using Options = std::vector<std::string>;

class RunThreads : public ForecastRowsTest {
 protected:
  // Hours `from` to `to` of twelve series, of which each begins a little later than the one before;
  // the last hours of the first are to come.
  static ForecastRows panel(int from, int to) {
    ForecastRows rows;
    for (int t = from; t < to; ++t) {
      for (int s = 0; s < 12; ++s) {
        if (t < 2 * s) continue;
        const bool known = s > 0 || t < 45;
        rows.push_back({t, std::string("site ") + static_cast<char>('a' + s), known});
      }
    }
    return rows;
  }

  static Said run_on(std::size_t threads, const std::string& path, const Options& more) {
    Options options = {"run", path, "--y", "y", "--by", "site"};
    options.insert(options.end(), {"--threads", std::to_string(threads)});
    options.insert(options.end(), more.begin(), more.end());
    return run_program(options);
  }

  // What two runs say and write, of which the second goes on from the first.
  std::map<std::string, std::string> all_of(std::size_t threads) const {
    std::map<std::string, std::string> all;
    const auto keep = [&](const std::string& when, const std::string& path, Options more) {
      more.insert(more.end(), {"--state", dir_ / "state", "--out", dir_ / "out"});
      const Said said = run_on(threads, path, more);
      EXPECT_EQ(said.exit_code, 0) << said.err;
      all[when + ": out"] = said.out;
      all[when + ": err"] = said.err;
      for (const char* name :
           {"state", "page.html", "out/results.json", "out/forecasts.csv", "out/intervals.csv"}) {
        all[when + ": " + name] = content(dir_ / name);
      }
    };
    keep("first", write("first.csv", panel(0, 30)), {"--report", dir_ / "page.html"});
    keep("second", write("second.csv", panel(26, 48)), {"--skip-learned", "--json"});
    for (const char* name : {"state", "page.html", "out"}) std::filesystem::remove_all(dir_ / name);
    return all;
  }
};

TEST_F(RunThreads, ChangeNoByteOfWhatIsSaidAndWritten) {
  const auto alone = all_of(1);
  EXPECT_NE(alone.at("first: state"), alone.at("second: state"));
  for (const std::size_t threads : std::vector<std::size_t>{2, 3, 7}) {
    for (const auto& [what, bytes] : all_of(threads)) {
      EXPECT_TRUE(bytes == alone.at(what)) << what << " on " << threads << " threads";
    }
  }
}

TEST_F(RunThreads, ChangeNothingForSeveralMethods) {
  const auto path = write("all.csv", panel(0, 48));
  const Options options = {"--method", "hedge,fixed-share*,ml-poly", "--loss", "absolute",
                           "--json"};
  const Said alone = run_on(1, path, options);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  for (const std::size_t threads : std::vector<std::size_t>{2, 3, 7}) {
    EXPECT_EQ(run_on(threads, path, options).out, alone.out) << threads;
  }
}

// Series d runs backwards late in the file and series h early, and d comes first in order.
TEST_F(RunThreads, RefuseTheFirstSeriesThatIsWrong) {
  auto rows = panel(0, 48);
  const auto swap_hours = [&](const std::string& site, int first, int second) {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].series == site && (rows[i].t == first || rows[i].t == second)) at.push_back(i);
    }
    std::swap(rows[at[0]], rows[at[1]]);
    return at[1] + 1;  // the row of the file that is too early
  };
  const std::size_t later = swap_hours("site d", 40, 41);
  const std::size_t sooner = swap_hours("site h", 20, 21);
  ASSERT_LT(sooner, later);
  const auto path = write("wrong.csv", rows);
  for (const std::size_t threads : std::vector<std::size_t>{1, 2, 3, 7}) {
    refuses({"run", path, "--y", "y", "--by", "site", "--quiet", "--threads",
             std::to_string(threads), "--out", dir_ / "out", "--state", dir_ / "state"},
            {fmt::format("wrong.csv: row {}, ", later)});
  }
}

}  // namespace
}  // namespace pcgs::test
