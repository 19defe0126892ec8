// What `pcgs suite` prints, writes and refuses.
#include "research/suite.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <stdexcept>

#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "program.h"
#include "run/checks.h"
#include "support/csv.h"
#include "support/data_file.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

using nlohmann::json;

constexpr std::size_t kRounds = 60, kExperts = 5, kSequences = 3;

class SuiteCommand : public ProgramTest {
 protected:
  // A quick study, but for the options given.
  static std::vector<std::string> small(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"suite"};
    for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
             {"--rounds", "60"}, {"--experts", "5"}, {"--sequences", "3"}}) {
      if (std::find(more.begin(), more.end(), option) == more.end()) {
        arguments.insert(arguments.end(), {option, value});
      }
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  static json parsed(const std::vector<std::string>& more) {
    auto arguments = small(more);
    arguments.emplace_back("--json");
    return ProgramTest::parsed(arguments);
  }

  static json without_timing(json out) {
    out.erase("timing");
    if (out.contains("studies")) {
      for (json& study : out["studies"]) study.erase("timing");
    }
    return out;
  }

  // Every file below the test's folder.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "")) {
      if (entry.is_regular_file()) {
        names.push_back(std::filesystem::relative(entry.path(), dir_ / "").string());
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string content(const std::string& name) const { return test::content(dir_ / name); }

  // With outputs asked for, so that a partial one would show.
  void refuses(const std::vector<std::string>& more,
               const std::vector<std::string>& mentions) const {
    auto arguments = small(more);
    if (std::find(more.begin(), more.end(), "--out") == more.end()) {
      arguments.insert(arguments.end(), {"--out", dir_ / "out"});
    }
    ProgramTest::refuses(arguments, mentions);
  }
};

double number(const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  EXPECT_TRUE(end != text.c_str() && *end == '\0') << "not a number: " << text;
  return x;
}

std::vector<double> numbers(const json& array) { return array.get<std::vector<double>>(); }

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

double mean(const std::vector<double>& x) { return sum(x) / static_cast<double>(x.size()); }

double deviation(const std::vector<double>& x) {
  double squares = 0;
  for (const double y : x) squares += (y - mean(x)) * (y - mean(x));
  return std::sqrt(squares / static_cast<double>(x.size() - 1));
}

const json& named(const json& list, const std::string& name) {
  for (const json& one : list) {
    if (one["name"] == name) return one;
  }
  throw std::runtime_error("nothing is named " + name);
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> out;
  for (const auto& [key, value] : object.items()) out.insert(key);
  return out;
}

void expect_keys(const json& object, const std::vector<std::string>& wanted) {
  const auto there = keys(object);
  for (const auto& key : wanted) EXPECT_TRUE(there.contains(key)) << "no " << key;
}

// The i-th sequence of a study of the seed 7.
suite::Sequence sequence_of(const json& family, std::size_t i, std::size_t experts = kExperts) {
  return suite::generate(family.get<std::string>(), kRounds, experts, suite::evaluation_seed(7, i));
}

// What a method pays, round by round.
double lost(const std::string& method, const Matrix& losses) {
  Aggregator aggregator = make_aggregator(method, losses.columns);
  for (std::size_t t = 0; t < losses.rows; ++t) aggregator.learn(losses.row(t));
  return aggregator.total_loss();
}

TEST_F(SuiteCommand, MainPrintsTheDocumentedJson) {
  const json out = parsed({"--switches", "4", "--seed", "11"});
  expect_keys(out, {"config", "families"});
  for (const auto& [key, value] : std::map<std::string, std::size_t>{{"rounds", kRounds},
                                                                     {"experts", kExperts},
                                                                     {"sequences", kSequences},
                                                                     {"switches", 4},
                                                                     {"seed", 11}}) {
    EXPECT_EQ(out["config"][key], value) << key;
  }
  const std::vector<std::string> wanted = compare::all_methods(false);
  EXPECT_EQ(out["config"]["methods"], wanted);

  ASSERT_EQ(out["families"].size(), suite::families().size());
  for (std::size_t f = 0; f < suite::families().size(); ++f) {
    const json& family = out["families"][f];
    SCOPED_TRACE(family["name"]);
    expect_keys(family, {"name", "oracle", "methods", "comparisons"});
    EXPECT_EQ(family["name"], suite::families()[f].name);
    EXPECT_EQ(family["oracle"].size(), kSequences);
    const bool limited =
        static_cast<bool>(suite::generate(family["name"].get<std::string>(), 1, 2, 0).limit);
    const std::size_t methods = wanted.size() + (limited ? 1 : 0);
    ASSERT_EQ(family["methods"].size(), methods);
    for (std::size_t m = 0; m < methods; ++m) {
      const json& method = family["methods"][m];
      expect_keys(method, {"name", "regret", "mean", "std"});
      EXPECT_EQ(method["name"], m < wanted.size() ? wanted[m] : "bayes");
      const auto regret = numbers(method["regret"]);
      ASSERT_EQ(regret.size(), kSequences);
      EXPECT_NEAR(method["mean"], mean(regret), 1e-12);
      EXPECT_NEAR(method["std"], deviation(regret), 1e-12);
    }
    std::set<std::pair<std::string, std::string>> pairs;
    for (const json& pair : family["comparisons"]) pairs.emplace(pair["a"], pair["b"]);
    EXPECT_EQ(pairs.size(), methods * (methods - 1)) << "a pair comes twice, or is missing";
    EXPECT_EQ(family["comparisons"].size(), pairs.size());
  }
}

TEST_F(SuiteCommand, RegretsAreThoseOfTheLibrary) {
  const json out = parsed({"--method", "squint,fixed-share{eta=2,rho=0.05}", "--families",
                           "mix,drift{amplitude=0.05}", "--switches", "4"});
  ASSERT_EQ(out["families"].size(), 2u);
  for (const json& family : out["families"]) {
    for (std::size_t i = 0; i < kSequences; ++i) {
      const auto sequence = sequence_of(family["name"], i);
      const double oracle = switching_oracle(sequence.losses, 4)[4];
      EXPECT_EQ(family["oracle"][i], oracle);
      for (const char* name : {"squint", "fixed-share{eta=2,rho=0.05}"}) {
        EXPECT_NEAR(named(family["methods"], name)["regret"][i],
                    lost(name, sequence.losses) - oracle, 1e-12);
      }
    }
  }
}

TEST_F(SuiteCommand, ComparisonsArePairedBySequence) {
  const json out = parsed({"--method", "hedge,boa,fixed-share*", "--families", "switch,mix"});
  for (const json& family : out["families"]) {
    for (const json& pair : family["comparisons"]) {
      const auto a = numbers(named(family["methods"], pair["a"])["regret"]);
      const auto b = numbers(named(family["methods"], pair["b"])["regret"]);
      std::vector<double> improvements;
      double wins = 0;
      for (std::size_t i = 0; i < kSequences; ++i) {
        improvements.push_back(b[i] - a[i]);
        wins += a[i] < b[i] ? 1 : a[i] == b[i] ? 0.5 : 0;
      }
      EXPECT_NEAR(pair["win_rate"], wins / kSequences, 1e-12);
      EXPECT_NEAR(pair["mean_improvement"], mean(improvements), 1e-12);
      EXPECT_NEAR(pair["cohens_d"], mean(improvements) / deviation(improvements), 1e-9);
      for (const char* p : {"t_p", "wilcoxon_p"}) {
        EXPECT_GE(pair[p], 0);
        EXPECT_LE(pair[p], 1);
      }
    }
  }
}

TEST_F(SuiteCommand, ThreadsChangeNothingButTheTiming) {
  for (const char* study : {"main", "heavy-tail", "scaling", "mechanism", "ablation"}) {
    const std::vector<std::string> arguments = {"--study", study, "--pools", "3,8"};
    auto one = arguments, three = arguments;
    one.insert(one.end(), {"--threads", "1"});
    three.insert(three.end(), {"--threads", "3"});
    const json a = parsed(one), b = parsed(three);
    EXPECT_EQ(without_timing(a).dump(), without_timing(b).dump()) << study;
    EXPECT_EQ(a["timing"]["threads"], 1);
    EXPECT_EQ(b["timing"]["threads"], 3);
  }
}

TEST_F(SuiteCommand, TheLargestSeedThatIsTakenIsTakenAsItIs) {
  const std::uint64_t seed = 999'999'999'999'999'999;
  const json out =
      parsed({"--families", "switch", "--method", "hedge", "--seed", std::to_string(seed)});
  EXPECT_EQ(out["config"]["seed"], seed);
  const auto sequence =
      suite::generate("switch", kRounds, kExperts, suite::evaluation_seed(seed, 0));
  EXPECT_EQ(out["families"][0]["oracle"][0], switching_oracle(sequence.losses, 12)[12]);
}

TEST_F(SuiteCommand, HeavyTailHasACellForEveryTailAndJumpProbability) {
  const json out = parsed({"--study", "heavy-tail", "--method", "genshare,fixed-share"});
  std::set<std::pair<double, double>> cells;
  for (const json& cell : out["cells"]) {
    cells.emplace(cell["df"].get<double>(), cell["jump_probability"].get<double>());
    EXPECT_EQ(cell["oracle"].size(), kSequences);
    const auto sequence =
        sequence_of(fmt::format("heavy-tail{{df={},jump_probability={}}}", cell["df"].get<double>(),
                                cell["jump_probability"].get<double>()),
                    0);
    EXPECT_EQ(cell["oracle"][0], switching_oracle(sequence.losses, 12)[12]);
    EXPECT_EQ(cell["methods"].size(), 3u);  // and the limit
    for (const json& method : cell["methods"]) {
      const auto unclipped = numbers(method["unclipped_regret"]);
      ASSERT_EQ(unclipped.size(), kSequences);
      EXPECT_NEAR(method["unclipped"]["mean"], mean(unclipped), 1e-12);
      EXPECT_NE(method["unclipped"]["mean"], method["mean"]);
    }
  }
  EXPECT_EQ(cells.size(), 9u);
}

TEST_F(SuiteCommand, ScalingHasAPoolForEveryNumberOfExperts) {
  const json out = parsed({"--study", "scaling", "--pools", "2,9", "--method", "hedge,boa"});
  ASSERT_EQ(out["pools"].size(), 2u);
  for (std::size_t p = 0; p < 2; ++p) {
    const json& pool = out["pools"][p];
    const std::size_t experts = p == 0 ? 2 : 9;
    EXPECT_EQ(pool["experts"], experts);
    const auto sequence = sequence_of("switch", 1, experts);
    EXPECT_EQ(pool["oracle"][1], switching_oracle(sequence.losses, 12)[12]);
    double generating = 0;
    for (std::size_t t = 0; t < kRounds; ++t)
      generating += sequence.losses.row(t)[sequence.path[t]];
    EXPECT_NEAR(pool["generating_path"][1], generating, 1e-12);
    // regret against the path that generated = regret + oracle - that path's loss
    for (const json& method : pool["methods"]) {
      EXPECT_NEAR(method["generating_path_regret"]["mean"],
                  method["mean"].get<double>() + mean(numbers(pool["oracle"])) -
                      mean(numbers(pool["generating_path"])),
                  1e-10);
    }
  }
}

TEST_F(SuiteCommand, ThePapersMethodIsComparedWithAllOthersLikeTheFeaturedOne) {
  const std::string methods = "fixed-share,pcgs-tf,genshare,pcgs-tf:oracle{eta=2}";
  const json tails = parsed({"--study", "heavy-tail", "--method", methods});
  const json scaling = parsed({"--study", "scaling", "--method", methods, "--pools", "3,4"});
  std::vector<json> parts = tails["cells"];
  for (const json& pool : scaling["pools"]) parts.push_back(pool);
  ASSERT_EQ(parts.size(), 11u);
  for (const json& part : parts) {
    std::set<std::pair<std::string, std::string>> pairs;
    for (const json& pair : part["comparisons"]) {
      if (pair["b"] != "bayes") pairs.emplace(pair["a"], pair["b"]);
    }
    std::set<std::pair<std::string, std::string>> expected;
    for (const char* ours : {"pcgs-tf", "pcgs-tf:oracle{eta=2}"}) {
      for (const json& other : part["methods"]) {
        const std::string name = other["name"];
        if (name != ours && name != "bayes") expected.emplace(ours, name);
      }
    }
    EXPECT_EQ(pairs, expected);
    EXPECT_EQ(pairs.size(), 6u);
  }
}

TEST_F(SuiteCommand, MechanismShowsTheMethodsThatRestart) {
  const json out = parsed({"--study", "mechanism", "--method", "boa,fixed-share,genshare,hedge*"});
  EXPECT_EQ(out["config"]["methods"], json({"fixed-share", "genshare"}));
  ASSERT_EQ(out["families"].size(), 7u);
  for (const json& family : out["families"]) {
    ASSERT_EQ(family["methods"].size(), 2u);
    const json uniform = named(family["methods"], "fixed-share");
    EXPECT_NEAR(uniform["rho_ratio"], 1, 1e-12);
    EXPECT_NEAR(uniform["q_on_next"], 1.0 / kExperts, 1e-12);
    EXPECT_NEAR(uniform["effective_complexity"], uniform["uniform_complexity"], 1e-9);
    EXPECT_NE(named(family["methods"], "genshare")["rho_ratio"], 1);
  }
}

TEST_F(SuiteCommand, AblationComparesVariantsWithTheShippedMethods) {
  const json out = parsed({"--study", "ablation", "--switches", "4"});
  std::vector<std::string> names;
  for (const json& family : out["families"]) names.push_back(family["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"mix", "predictive", "heavy-tail"}));
  for (const json& family : out["families"]) {
    SCOPED_TRACE(family["name"]);
    ASSERT_EQ(family["methods"].size(), 8u);
    ASSERT_EQ(family["comparisons"].size(), 7u);
    for (const json& pair : family["comparisons"]) EXPECT_EQ(pair["a"], "pcgs-tf");
    for (std::size_t i = 0; i < kSequences; ++i) {
      const Matrix losses = sequence_of(family["name"], i).losses;
      const double oracle = switching_oracle(losses, 4)[4];
      EXPECT_EQ(family["oracle"][i], oracle);
      for (const auto& [variant, method] : std::vector<std::pair<std::string, std::string>>{
               {"pcgs-tf", "pcgs-tf"}, {"oracle recipe (eta = 4)", "pcgs-tf:oracle"}}) {
        EXPECT_NEAR(named(family["methods"], variant)["regret"][i], lost(method, losses) - oracle,
                    1e-12);
      }
    }
    // eta = 4 is one of the constants to choose from.
    EXPECT_LE(named(family["methods"], "oracle recipe, constant eta*")["mean"],
              named(family["methods"], "oracle recipe (eta = 4)")["mean"]);
  }
}

TEST_F(SuiteCommand, AblationAlsoPlaysModelsThatWereRetrained) {
  const std::string folder = data_file("../models/ablation");
  const json out = parsed({"--study", "ablation", "--switches", "4", "--retrained", folder});
  const json& family = out["families"][0];
  EXPECT_EQ(family["methods"].size(), 14u);
  const Matrix losses = sequence_of("mix", 0).losses;
  EXPECT_NEAR(named(family["methods"], "retrained: no-attention")["regret"][0],
              lost("pcgs-tf{model=" + folder + "/no-attention.safetensors}", losses) -
                  switching_oracle(losses, 4)[4],
              1e-12);
  EXPECT_NE(named(family["methods"], "scaled, not clipped")["mean"],
            named(family["methods"], "pcgs-tf")["mean"]);
}

TEST_F(SuiteCommand, AllIsEveryStudyUnderItsName) {
  const std::vector<std::string> rest = {"--pools",         "2,3",        "--method",
                                         "genshare,hedge*", "--families", "switch"};
  auto arguments = rest;
  arguments.insert(arguments.end(), {"--study", "all"});
  const json all = parsed(arguments);
  EXPECT_EQ(keys(all["studies"]),
            (std::set<std::string>{"main", "heavy-tail", "scaling", "mechanism", "ablation"}));
  for (const auto& [name, study] : all["studies"].items()) {
    arguments = name == "ablation" ? std::vector<std::string>() : rest;  // it has its own methods
    arguments.insert(arguments.end(), {"--study", name});
    EXPECT_EQ(without_timing(study), without_timing(parsed(arguments))) << name;
  }
}

// The main study with files.
class SuiteFiles : public SuiteCommand {
 protected:
  json study(const std::string& methods, const std::string& families) {
    return parsed({"--method", methods, "--families", families, "--out", dir_ / "a/b"});
  }
};

TEST_F(SuiteFiles, JsonIsWhatIsPrinted) {
  const json out = study("genshare,fixed-share*", "switch,mix");
  EXPECT_EQ(json::parse(content("a/b/main.json")), out);
}

TEST_F(SuiteFiles, RegretsCsvHasTheNumbersOfTheJson) {
  const json out = study("genshare,fixed-share{eta=2,rho=0.1},fixed-share*", "switch,mix");
  const auto rows = csv_rows(dir_ / "a/b/main-regrets.csv");
  EXPECT_EQ(rows[0], (std::vector<std::string>{"family", "sequence", "method", "regret"}));
  std::map<std::vector<std::string>, double> written;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 4u);
    written[{rows[i][0], rows[i][1], rows[i][2]}] = number(rows[i][3]);
  }
  EXPECT_EQ(written.size(), rows.size() - 1) << "a row comes twice";
  std::size_t expected = 0;
  for (const json& family : out["families"]) {
    for (const json& method : family["methods"]) {
      for (std::size_t i = 0; i < kSequences; ++i, ++expected) {
        EXPECT_EQ(written.at({family["name"], std::to_string(i), method["name"]}),
                  method["regret"][i]);
      }
    }
  }
  EXPECT_EQ(written.size(), expected);
}

TEST_F(SuiteFiles, ComparisonsCsvHasTheNumbersOfTheJson) {
  const json out = study("genshare,hedge,fixed-share*", "switch,mix");
  const auto rows = csv_rows(dir_ / "a/b/main-comparisons.csv");
  std::size_t row = 0;
  for (const json& family : out["families"]) {
    for (const json& pair : family["comparisons"]) {
      ASSERT_LT(++row, rows.size());
      ASSERT_EQ(rows[row].size(), rows[0].size());
      for (std::size_t c = 0; c < rows[0].size(); ++c) {
        const std::string& head = rows[0][c];
        if (head == "family") {
          EXPECT_EQ(json(rows[row][c]), family["name"]);
        } else if (head == "a" || head == "b") {
          EXPECT_EQ(json(rows[row][c]), pair[head]);
        } else {
          EXPECT_EQ(number(rows[row][c]), pair[head]) << head;
        }
      }
    }
  }
  EXPECT_EQ(row + 1, rows.size());
}

TEST_F(SuiteFiles, MainTableHasTheMeansAndDeviationsOfTheJson) {
  const json out = study("genshare,hedge,fixed-share*", "switch,mix");
  const auto rows = csv_rows(dir_ / "a/b/main.csv");
  EXPECT_EQ(rows[0], (std::vector<std::string>{"method", "switch", "mix"}));
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[5][0], "fixed-share**");
  for (std::size_t f = 0; f < 2; ++f) {
    const auto regret = numbers(out["families"][f]["fixed_share_tuned_per_sequence"]["regret"]);
    EXPECT_EQ(rows[5][1 + f], fmt::format("{:.2f} ± {:.2f}", mean(regret), deviation(regret)));
  }
  for (std::size_t m = 0; m < 4; ++m) {
    for (std::size_t f = 0; f < 2; ++f) {
      const json& methods = out["families"][f]["methods"];
      const std::string cell = rows[1 + m][1 + f];
      if (m == methods.size()) {
        EXPECT_EQ(rows[1 + m][0], "bayes");
        EXPECT_EQ(cell, "-") << "mix has no limit";
        continue;
      }
      EXPECT_EQ(json(rows[1 + m][0]), methods[m]["name"]);
      EXPECT_EQ(cell, fmt::format("{:.2f} ± {:.2f}", methods[m]["mean"].get<double>(),
                                  methods[m]["std"].get<double>()));
    }
  }
}

// The paper's Table 2, for what the study is about and for the paper's own method.
TEST_F(SuiteFiles, TestsOfTheFeaturedAndOfThePapersMethodAreTablesOfTheirOwn) {
  const json out = study("genshare,pcgs-tf,pcgs-tf:oracle,fixed-share,fixed-share*", "switch,mix");
  for (const auto& [table, method] :
       {std::pair{"featured", "pcgs-tf"}, std::pair{"recipe", "pcgs-tf:oracle"}}) {
    SCOPED_TRACE(table);
    const auto rows = csv_rows(dir_ / fmt::format("a/b/{}.csv", table));
    EXPECT_EQ(rows[0], (std::vector<std::string>{"family", "against", "won", "improvement", "t: p",
                                                 "Wilcoxon: p", "Cohen's d"}));
    ASSERT_EQ(rows.size(), 7u);
    std::size_t row = 0;
    for (const json& family : out["families"]) {
      for (const char* other : {"genshare", "fixed-share", "fixed-share*"}) {
        const auto& cells = rows[++row];
        json pair;
        for (const json& one : family["comparisons"]) {
          if (one["a"] == method && one["b"] == other) pair = one;
        }
        EXPECT_EQ(json(cells[0]), family["name"]);
        EXPECT_EQ(cells[1], other);
        EXPECT_EQ(cells[2], fmt::format("{:.0f} %", 100 * pair["win_rate"].get<double>()));
        EXPECT_EQ(cells[5], fmt::format("{:.0e}", pair["wilcoxon_p_holm"].get<double>()));
      }
    }
  }
  const auto trace = csv_rows(dir_ / "a/b/traces/switch-trace.csv");
  EXPECT_TRUE(std::any_of(trace.begin(), trace.end(),
                          [](const auto& cells) { return cells[0] == "pcgs-tf:oracle"; }));
}

TEST_F(SuiteFiles, TheFeaturedMethodIsThePapersOwnWhereNoOtherIsLearned) {
  study("genshare,pcgs-tf:oracle,fixed-share*", "switch");
  EXPECT_EQ(csv_rows(dir_ / "a/b/featured.csv").size(), 3u);
  const auto all = files();
  EXPECT_EQ(std::count(all.begin(), all.end(), "a/b/recipe.csv"), 0);
}

TEST_F(SuiteFiles, CurvesAddUpToTheRegretsOfTheFirstSequence) {
  const json out = study("genshare,fixed-share{eta=2,rho=0.1},hedge*", "switch,adversarial");
  for (const json& family : out["families"]) {
    const std::string name = family["name"];
    const auto rows = csv_rows(dir_ / ("a/b/traces/" + name + ".csv"));
    ASSERT_EQ(rows.size(), 1 + kRounds);
    const auto sequence = sequence_of(name, 0);
    const auto column = [&](const std::string& head) {
      const auto at = std::find(rows[0].begin(), rows[0].end(), head);
      if (at == rows[0].end()) throw std::runtime_error("no column " + head);
      std::vector<double> values;
      for (std::size_t t = 1; t < rows.size(); ++t) {
        values.push_back(number(rows[t].at(static_cast<std::size_t>(at - rows[0].begin()))));
      }
      return values;
    };
    const double oracle = family["oracle"][0];
    EXPECT_NEAR(sum(column("loss:oracle_path")), oracle, 1e-10);
    EXPECT_NEAR(sum(column("loss:generating_path")), family["generating_path"][0], 1e-10);
    for (const char* method : {"genshare", "fixed-share{eta=2,rho=0.1}"}) {
      EXPECT_NEAR(sum(column(std::string("loss:") + method)) - oracle,
                  named(family["methods"], method)["regret"][0], 1e-10);
    }
    const auto path = column("generating_path");
    for (std::size_t t = 0; t < kRounds; ++t) EXPECT_EQ(path[t], sequence.path[t] + 1);
  }
}

TEST_F(SuiteFiles, TracesShowEveryRoundOfAMethodOnce) {
  for (const char* methods : {"genshare,boa,fixed-share,hedge", "hedge,fixed-share", "fixed-share",
                              "variable-share,genshare", "boa"}) {
    study(methods, "switch");
    const auto rows = csv_rows(dir_ / "a/b/traces/switch-trace.csv");
    std::map<std::string, std::vector<std::string>> rounds_of;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i].size(), rows[0].size());
      rounds_of[rows[i][0]].push_back(rows[i][1]);
    }
    EXPECT_FALSE(rounds_of.empty()) << methods;
    for (const auto& [method, rounds] : rounds_of) {
      EXPECT_EQ(rounds.size(), kRounds) << method << " of " << methods;
      EXPECT_EQ(std::set(rounds.begin(), rounds.end()).size(), kRounds) << method;
    }
  }
}

TEST_F(SuiteFiles, EveryStudyLeavesItsFiles) {
  parsed({"--study", "all", "--pools", "2,3", "--method", "genshare,fixed-share*", "--families",
          "switch", "--out", dir_ / "out"});
  const auto all = files();
  for (const char* study : {"main", "heavy-tail", "scaling", "mechanism", "ablation"}) {
    for (const char* kind : {"json", "csv", "tex"}) {
      const std::string name = fmt::format("out/{}.{}", study, kind);
      EXPECT_EQ(std::count(all.begin(), all.end(), name), 1) << name;
    }
    EXPECT_FALSE(json::parse(content(fmt::format("out/{}.json", study))).empty());
  }
}

TEST_F(SuiteCommand, UnknownNamesAreRefusedWithThoseThatExist) {
  refuses({"--families", "swich"}, {"swich", "heavy-tail", "adversarial"});
  refuses({"--method", "hedge,sledge"}, {"sledge", "fixed-share"});
  refuses({"--families", ""}, {"--families", "all"});
  refuses({"--families", "switch,,mix"}, {"switch,,mix", "comma"});
  refuses({"--study", "maine"}, {"maine", "heavy-tail"});
}

TEST_F(SuiteCommand, GivingSomethingTwiceIsRefused) {
  refuses({"--method", "hedge,boa,hedge"}, {"hedge", "twice"});
  refuses({"--families", "mix,switch{gap=0.1,least=9},switch{gap=0.1,least=9}"}, {"twice"});
  refuses({"--pools", "4,9,4"}, {"--pools", "4", "twice"});
}

TEST_F(SuiteCommand, AModelIsForTheMethodThatHasOne) {
  refuses({"--method", "hedge,boa", "--model", data_file("../models/regret.safetensors")},
          {"--model", "pcgs-tf"});
  refuses({"--method", "pcgs-tf", "--model", dir_ / "absent"}, {"absent"});
}

TEST_F(SuiteCommand, BadNumbersAreRefused) {
  for (const char* option :
       {"--rounds", "--experts", "--sequences", "--switches", "--threads", "--seed", "--pools"}) {
    for (const char* value : {"-1", "few", "1.5", "99999999999999999999999", "nan", ""}) {
      refuses({option, value, "--method", "hedge", "--families", "switch"}, {option});
    }
  }
  for (const char* option : {"--rounds", "--experts", "--sequences", "--pools"}) {
    refuses({option, "0"}, {option});
  }
  refuses({"--pools", "4,0"}, {"--pools"});
  refuses({"--seed", "1000000000000000000"}, {"--seed", "18 digits"});
}

TEST_F(SuiteCommand, AnOutputThatIsAFileIsRefused) {
  std::ofstream(dir_ / "file") << "precious";
  refuses({"--method", "hedge", "--families", "switch", "--out", dir_ / "file"}, {"file"});
  refuses({"--method", "hedge", "--families", "switch", "--out", dir_ / "file/below"}, {"file"});
  EXPECT_EQ(content("file"), "precious");
}

TEST_F(SuiteCommand, MechanismWithoutAMethodThatRestartsIsRefusedBeforeAnyStudy) {
  refuses({"--study", "mechanism", "--method", "boa"}, {"fixed-share"});
  refuses({"--study", "all", "--pools", "2", "--method", "boa", "--families", "switch"},
          {"fixed-share"});
}

TEST_F(SuiteCommand, PrintsASequenceToTheLastDigit) {
  const Said said = run_program({"suite", "--sequence", "heavy-tail{df=2}", "--unclipped",
                                 "--rounds", "5", "--experts", "3", "--seed", "9"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  std::string expected = "e1,e2,e3\n";
  const Matrix made = suite::generate("heavy-tail{df=2}", 5, 3, 9).unclipped;
  for (std::size_t t = 0; t < 5; ++t) {
    expected += fmt::format("{},{},{}\n", made.row(t)[0], made.row(t)[1], made.row(t)[2]);
  }
  EXPECT_EQ(said.out, expected);
  refuses({"--sequence", "swich"}, {"swich", "heavy-tail"});
}

TEST_F(SuiteCommand, HelpShowsTheFamilies) {
  const Said said = run_program({"suite", "--help"});
  EXPECT_EQ(said.exit_code, 0);
  for (const auto& family : suite::families()) {
    EXPECT_NE(said.out.find(std::string(family.summary)), std::string::npos) << family.name;
  }
}

}  // namespace
}  // namespace pcgs::test
