// pcgs report and --report: pages, and what is said where there can be none.
#include "show/report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

using nlohmann::ordered_json;

// The data of a chart: what stands between its tags.
ordered_json chart(const std::string& page, const std::string& id) {
  const auto figure = page.find("id=\"" + id + "\"");
  EXPECT_NE(figure, std::string::npos) << id;
  if (figure == std::string::npos) return {};
  const std::string tag = "<script type=\"application/json\">";
  const auto first = page.find(tag, figure) + tag.size();
  return ordered_json::parse(page.substr(first, page.find("</script>", first) - first));
}

class Report : public ProgramTest {
 protected:
  void SetUp() override {
    if (!report::available()) GTEST_SKIP() << "this build makes no pages";
    std::ofstream losses(dir_ / "losses.csv");
    losses << "a,b,c\n";
    for (int t = 0; t < 120; ++t) {
      for (int k = 0; k < 3; ++k) {
        losses << (k == 0 ? "" : ",")
               << ((t / 30) % 3 == k ? 0.1 : 0.6 + 0.01 * ((t * (k + 3)) % 11));
      }
      losses << '\n';
    }
    std::ofstream series(dir_ / "series.csv");
    series << "load\n";
    for (int t = 0; t < 200; ++t) series << 10 + (t % 7) + 0.1 * (t % 5) << '\n';
  }

  Said run(const std::vector<std::string>& arguments) const {
    Said said = run_program(arguments);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return said;
  }

  void refuses(const std::vector<std::string>& arguments, const std::string& mention) const {
    ProgramTest::refuses(arguments, {mention});
    EXPECT_FALSE(std::filesystem::exists(dir_ / "page.html"));
  }
};

TEST_F(Report, JsonStaysAloneOnStandardOutput) {
  const Said said = run(
      {"run", dir_ / "losses.csv", "--method", "hedge", "--json", "--report", dir_ / "page.html"});
  EXPECT_EQ(ordered_json::parse(said.out)["rounds"], 120);
}

TEST_F(Report, OfResultsAndTraceShowsWhatTheRunItselfShows) {
  const Said said = run({"run", dir_ / "losses.csv", "--method", "genshare,adahedge", "--trace",
                         dir_ / "t.csv", "--json", "--report", dir_ / "direct.html"});
  std::ofstream(dir_ / "r.json") << said.out;
  run({"report", dir_ / "r.json", dir_ / "t.csv", "--out", dir_ / "page.html"});
  const std::string direct = content(dir_ / "direct.html"), later = content(dir_ / "page.html");
  for (const char* id : {"regret-1", "depth-1-1-weights", "depth-1-1-rho", "depth-1-1-certificate",
                         "depth-1-2-weights", "restarts-1-1-q", "regret-by-method"}) {
    const ordered_json a = chart(direct, id), b = chart(later, id);
    EXPECT_EQ(a, b) << id;
    EXPECT_FALSE(a["groups"].empty()) << id;
  }
}

// Hours from March on, the last ten without an outcome; model b takes over from a.
void write_hours(const std::string& path) {
  std::ofstream hours(path);
  hours << "ds,load,a,b\n";
  for (int t = 0; t < 400; ++t) {
    const double y = 20 + (t % 24) + 0.1 * (t % 7);
    hours << "2025-03-" << (t / 24 < 9 ? "0" : "") << 1 + t / 24 << ' ' << (t % 24 < 10 ? "0" : "")
          << t % 24 << ":00," << (t < 390 ? std::to_string(y) : "") << ','
          << y + (t < 200 ? 0.3 : 1.7) * (t % 3 - 1) << ',' << y - 0.8 * (t % 2) << '\n';
  }
}

TEST_F(Report, OfForecastsHasDatesAndTheAnswerFirst) {
  write_hours(dir_ / "hours.csv");
  run({"run", dir_ / "hours.csv", "--y", "load", "--time", "ds", "--method", "hedge,blend",
       "--report", dir_ / "page.html"});
  const std::string page = content(dir_ / "page.html");
  EXPECT_LT(page.find("The combination&#39;s error"), page.find("id=\"methods\""));
  for (const char* id : {"gains-chart", "latest-chart", "held-chart", "forecasts-1", "errors-1",
                         "regret-1", "depth-1-1-weights", "time-1-overview"}) {
    const ordered_json data = chart(page, id);
    EXPECT_EQ(data["calendar"], ordered_json::parse(R"({"origin":1740787200000,"unit":3600000})"))
        << id;
    EXPECT_EQ(data["values"]["first"], id == std::string("latest-chart") ? 54 : 0) << id;
  }
  // The combination comes first.
  EXPECT_EQ(chart(page, "regret-1")["values"]["series"], ordered_json({"blend", "hedge"}));
  EXPECT_EQ(chart(page, "errors-by-1")["groups"][0]["bin"].size(), 24U);
}

TEST_F(Report, OfForecastsThatAllAreToComeShowsThemAlone) {
  std::ofstream(dir_ / "coming.csv") << "ds,y,a,b\n2025-03-01,,1,2\n2025-03-02,,2,4\n";
  run({"run", dir_ / "coming.csv", "--y", "y", "--time", "ds", "--report", dir_ / "page.html"});
  const std::string page = content(dir_ / "page.html");
  EXPECT_NE(page.find("No outcome is known yet"), std::string::npos);
  EXPECT_FALSE(chart(page, "latest-chart")["groups"].empty());
  for (const char* id : {"forecasts-1", "regret-1", "gains-chart"}) {
    EXPECT_EQ(page.find("id=\"" + std::string(id) + "\""), std::string::npos) << id;
  }
}

TEST_F(Report, OfForecastsThatWereSavedShowsWhatTheirJsonHas) {
  write_hours(dir_ / "hours.csv");
  run({"run", dir_ / "hours.csv", "--y", "load", "--time", "ds", "--out", dir_ / "results",
       "--switches", "5"});
  run({"report", dir_ / "results", "--out", dir_ / "page.html"});
  const std::string page = content(dir_ / "page.html");
  EXPECT_NE(page.find("The combination&#39;s error"), std::string::npos);
  for (const char* id : {"errors", "weights-now", "coming", "intervals"}) {
    EXPECT_NE(page.find("id=\"" + std::string(id) + "\""), std::string::npos) << id;
  }
  EXPECT_EQ(page.find("id=\"gains-chart\""), std::string::npos);
}

TEST_F(Report, OfAllStudiesShowsAllOfThem) {
  const std::vector<std::string> small = {"suite",    "--study",   "all",      "--rounds",
                                          "40",       "--experts", "4",        "--sequences",
                                          "2",        "--pools",   "4,8",      "--out",
                                          dir_ / "s", "--quiet",   "--report", dir_ / "page.html"};
  run(small);
  run({"report", dir_ / "s", "--out", dir_ / "later.html"});
  for (const std::string file : {"page.html", "later.html"}) {
    const std::string page = content(dir_ / file);
    for (const char* id : {"summary", "main", "heavy-tail", "scaling", "ablation", "mechanism",
                           "depth", "restarts", "means", "tests", "tests-recipe", "wins", "closed",
                           "grid", "grid-recipe", "scaling-chart", "ablation-chart"}) {
      EXPECT_NE(page.find("id=\"" + std::string(id) + "\""), std::string::npos) << file << id;
    }
  }
}

TEST_F(Report, OfAForecastAndOfElectricity) {
  run({"forecast", dir_ / "series.csv", "--column", "load", "--season", "7", "--method",
       "fixed-share", "--out", dir_ / "f.csv", "--report", dir_ / "forecast.html"});
  const std::string forecast = content(dir_ / "forecast.html");
  EXPECT_FALSE(chart(forecast, "forecasts-1")["groups"].empty());
  EXPECT_FALSE(chart(forecast, "depth-1-1-certificate")["groups"].empty());
  run({"electricity", dir_ / "series.csv", "--column", "load", "--season", "7", "--burn-in", "40",
       "--method", "fixed-share", "--report", dir_ / "electricity.html"});
  EXPECT_FALSE(chart(content(dir_ / "electricity.html"), "regret-1")["groups"].empty());
}

TEST_F(Report, OfAResumedRunShowsOnlyWhatItSaw) {
  run({"run", dir_ / "losses.csv", "--method", "fixed-share", "--save", dir_ / "state"});
  run({"run", dir_ / "losses.csv", "--resume", dir_ / "state", "--report", dir_ / "page.html"});
  const std::string page = content(dir_ / "page.html");
  EXPECT_EQ(chart(page, "regret-1")["groups"][0]["round"][0], 121);
  // Its certificate began with the first run, whose rounds are not here.
  EXPECT_EQ(page.find("depth-1-1-certificate"), std::string::npos);
}

TEST_F(Report, RefusesWithASentenceAndNoPage) {
  std::ofstream(dir_ / "text.txt") << "hello";
  std::ofstream(dir_ / "other.json") << "{\"a\": 1}";
  std::ofstream(dir_ / "short.csv") << "method,round,mixture_loss,x\n";
  std::filesystem::create_directory(std::string(dir_ / "empty"));
  const std::string out = dir_ / "page.html";
  refuses({"report", dir_ / "nowhere.json", "--out", out}, "nowhere.json");
  refuses({"report", dir_ / "text.txt", "--out", out}, "text.txt: is neither JSON nor a trace");
  refuses({"report", dir_ / "other.json", "--out", out}, "other.json: has no kind");
  refuses({"report", dir_ / "short.csv", "--out", out}, "short.csv: is not a trace");
  refuses({"report", dir_ / "empty", "--out", out}, "empty: holds no results");
  refuses({"report", dir_ / "other.json", "--out", dir_ / "other.json"}, "is named twice");
  refuses({"run", dir_ / "losses.csv", "--report", dir_ / "losses.csv"}, "is named twice");
  refuses({"run", dir_ / "losses.csv", "--report", dir_ / "empty"}, "empty");
}

TEST_F(Report, AnExpertWithoutWeightIsNotASleeper) {
  std::ofstream losses(dir_ / "ties.csv");
  losses << "a,b\n";
  for (int t = 0; t < 30; ++t) losses << "0,1\n";
  for (int t = 0; t < 50; ++t) losses << "0.5,0.5\n";  // ml-poly gives b nothing here
  for (int t = 0; t < 200; ++t) losses << "1,0\n";
  losses.close();
  const Said said = run({"run", dir_ / "ties.csv", "--method", "ml-poly", "--switches", "0",
                         "--json", "--trace", dir_ / "t.csv"});
  std::ofstream(dir_ / "r.json") << said.out;
  run({"report", dir_ / "r.json", dir_ / "t.csv", "--out", dir_ / "page.html"});
  const auto regret = chart(content(dir_ / "page.html"), "regret-1")["groups"][0]["value"];
  EXPECT_NEAR(regret.back().get<double>(),
              ordered_json::parse(said.out)["methods"][0]["dynamic_regret"]["0"].get<double>(),
              0.01);
}

TEST_F(Report, ATraceSaysWhoSlept) {
  std::ofstream forecasts(dir_ / "f.csv");
  forecasts << "y,a,b\n";
  for (int t = 0; t < 60; ++t) {
    const double y = 1 + 0.01 * (t % 5);
    forecasts << y << ',' << (t % 3 == 0 ? "" : std::to_string(y + 0.1)) << ',' << y + 1 << '\n';
  }
  forecasts.close();
  const Said said = run({"run", dir_ / "f.csv", "--y", "y", "--scale", "1", "--method",
                         "fixed-share", "--json", "--trace", dir_ / "t.csv", "--certificate",
                         dir_ / "c.json", "--report", dir_ / "direct.html"});
  run({"certify", dir_ / "t.csv", dir_ / "c.json"});
  std::ofstream(dir_ / "r.json") << said.out;
  run({"report", dir_ / "r.json", dir_ / "t.csv", "--out", dir_ / "page.html"});
  for (const char* id : {"regret-1", "depth-1-1-weights", "depth-1-1-certificate"}) {
    EXPECT_EQ(chart(content(dir_ / "direct.html"), id), chart(content(dir_ / "page.html"), id));
  }
}

TEST_F(Report, RefusesATraceOfAnotherRun) {
  const Said said = run({"run", dir_ / "losses.csv", "--method", "hedge,fixed-share", "--json"});
  std::ofstream(dir_ / "r.json") << said.out;
  const auto refuses_trace_of = [&](const std::string& losses, const std::string& methods,
                                    const std::string& why) {
    std::ofstream(dir_ / "other.csv") << losses;
    run({"run", dir_ / "other.csv", "--method", methods, "--trace", dir_ / "t.csv"});
    refuses({"report", dir_ / "r.json", dir_ / "t.csv", "--out", dir_ / "page.html"},
            "t.csv: is not a trace of the run in " + (dir_ / "r.json") + ": " + why);
  };
  refuses_trace_of("a,b\n0,1\n1,0\n", "hedge", "it has other experts");
  refuses_trace_of("a,b,c\n0,1,1\n1,0,0\n", "hedge", "it has 2 rounds, and not 120");
  refuses_trace_of(content(dir_ / "losses.csv"), "hedge,adahedge", "it has adahedge");
  run({"run", dir_ / "losses.csv", "--method", "hedge", "--trace", dir_ / "t.csv"});
  run({"report", dir_ / "r.json", dir_ / "t.csv", "--out", dir_ / "good.html"});
  refuses({"report", dir_ / "r.json", dir_ / "t.csv", dir_ / "t.csv", "--out", dir_ / "page.html"},
          "t.csv: is a second trace of the run in ");
}

TEST_F(Report, PairsResultsWithTheTraceOfTheSameRun) {
  run({"run", dir_ / "losses.csv", "--method", "hedge,fixed-share", "--out", dir_ / "results",
       "--trace", dir_ / "t.csv"});
  run({"report", dir_ / "results", dir_ / "t.csv", "--out", dir_ / "page.html"});
  EXPECT_NE(content(dir_ / "page.html").find("Cut into"), std::string::npos);
}

TEST_F(Report, OfAForecastThatWasNeverJudged) {
  std::ofstream(dir_ / "one.csv") << "v\n3\n";
  run({"forecast", dir_ / "one.csv", "--column", "v", "--scale", "1", "--out", dir_ / "o.csv",
       "--report", dir_ / "page.html"});
  EXPECT_NE(content(dir_ / "page.html").find("id=\"coming\""), std::string::npos);
}

TEST_F(Report, RefusesATraceThatWasCut) {
  run({"run", dir_ / "losses.csv", "--method", "fixed-share,hedge", "--trace", dir_ / "t.csv"});
  std::string trace = content(dir_ / "t.csv");
  trace.resize(trace.rfind('\n', trace.size() - 2) + 1);
  std::ofstream(dir_ / "cut.csv") << trace;
  refuses({"report", dir_ / "cut.csv", "--out", dir_ / "page.html"},
          "played different numbers of rounds");
}

}  // namespace
}  // namespace pcgs::test
