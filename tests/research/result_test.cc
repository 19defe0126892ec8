// Every kind of result, of users and of studies: to JSON and back, onto a page, and what is refused.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "pcgs/error.h"
#include "research/electricity.h"
#include "research/oracle_study.h"
#include "research/study.h"
#include "show/blocks.h"
#include "show/forecast_result.h"
#include "show/report.h"
#include "show/run_result.h"
#include "show/training_result.h"
#include "support/data_file.h"

namespace pcgs::results {
namespace {

using nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

StudyConfig config() { return {{600, 32, 2, 12, 7, {"guard", "fixed-share*"}}, "guard"}; }

MethodRegret full_method() {
  return {"fixed-share*",   "fixed-share{eta=8}", {1.5, -2.25},       -0.375, 2.65, 0.25,
          Spread{0.1, 0.3}, {2.5, -1.25},         Spread{0.625, 2.75}};
}
MethodRegret bare_method() { return {"guard", "", {0.1, 1e-300}, 0.05, 0.07, {}, {}}; }

MethodPair full_pair() {
  return {"guard", "fixed-share*", {0.5, 1.25, 3.5, 0.01, 2, 0.5, 0.7, -1, 4}, 0.02, 0.5};
}
MethodPair bare_pair() {
  stats::Paired paired;
  paired.win_rate = 1;
  return {"fixed-share*", "guard", paired, {}, {}};
}

ForecastAnswer full_answer() {
  ForecastAnswer answer;
  answer.measure = "pinball loss";
  answer.errors = {{"blend", "method", 297, 1.5, 1.25, 0.04, -0.125, 0.5, {}},
                   {"equal weights", "reference", 297, 2.5, 2.25, {}, 0.25, 0.75, -33.5},
                   {"a", "expert", 200, {}, {}, {}, {}, {}, {}},
                   {"b", "expert", 0, {}, {}, {}, {}, {}, {}}};
  answer.beside_best = {"a", 200, -6.25, {-9.5, -2.5}, 0.001};
  answer.beside_equal = {"equal weights", 297, -33.5, {}, {}};
  answer.rounds_without_outcome = 2;
  answer.next = {{"2026-03-01 05:00", 299, 12.5, {{{"0.8", {11, 13.5}}, {"0.95", {10, 15}}}}},
                 {"", 300, {}, {}}};
  answer.weights_now.by_name = {{"a", 0.25}, {"b", 0.75}};
  answer.times = {"when", "2026-02-01", "2026-03-01 05:00"};
  return answer;
}
ForecastAnswer bare_answer() {
  ForecastAnswer answer;
  answer.measure = "RMSE";
  answer.errors = {{"hedge", "method", 0, {}, {}, {}, {}, {}, {}}};
  return answer;
}

SeriesResult series() {
  ForecastAnswer together = full_answer();
  together.next.clear();
  together.weights_now.by_name.clear();
  return {{"store", "item"},
          {"a", "b"},
          600,
          together,
          {{{"Köln", "milk, fresh"}, 300, full_answer()}, {{"", "bread"}, 300, bare_answer()}}};
}

QuantileResult quantiles() {
  QuantileResult out;
  out.levels = {0.1, 0.5, 0.9};
  out.scale = "log1p";
  out.by = {"place", "horizon"};
  out.experts = {"a", "b"};
  out.rounds = 20;
  out.answer = full_answer();
  out.answer.next.clear();
  out.shapes = {{"blend", 20, {{{"0.8", 0.75}}}, 1.5, 0.25, 0.125}};
  out.between = {1, 2, 3, 4};
  out.crossed = 2;
  out.wild = 1;
  const QuantileResult::Scores scored = {
      10,
      0.5,
      out.answer.beside_best,
      out.answer.beside_equal,
      out.shapes[0],
      {{"equal-weight linear pool", 10, 0.75, -33.5}, {"a", 6, {}, {}}}};
  out.proved = QuantileResult::Proved{18, 0.875, -0.25, 0.5, 0.125, 0.375};
  out.series = {{{"Köln", "1"}, scored, out.proved}, {{"", "2"}, {10, {}, {}, {}, {}, {}}, {}}};
  out.values = {{"horizon", "1", scored}, {"place", "", {10, {}, {}, {}, {}, {}}}};
  out.coming = {{{"Köln", "1"}, "2026-03-01", "2026-03-08", {1, 2, 3}},
                {{"", "2"}, "2026-03-01", "", {}}};
  return out;
}

RunResult run() {
  const RunResult::Method full = {
      .name = "fixed-share*",
      .full_name = "fixed-share*{season=24}",
      .chosen_in_hindsight = "fixed-share{eta=8}",
      .total_loss = 12.5,
      .mean_forecast_loss = 3.25,
      .total_forecast_loss = 11.25,
      .forecast_regret = by_budget({5, 20}, {0.5, -kInfinity}),
      .dynamic_regret = by_budget({5, 20}, {1, -kInfinity}),
      .unclipped = RunResult::Unclipped{{}, by_budget({5, 20}, {kInfinity, 4})},
      .switch_costs = RunResult::Movement{7.5, 16.25, by_budget({5, 20}, {2, -kInfinity}), 3.5},
      .certificate = RunResult::Proof{9.5, 8.25, true, true, 20},
      .ns_per_round = 66.5,
      .next_weights = {0.25, 0.75},
      .intervals = {{0.8, 299, 0.81, 2.5}, {0.95, 0, {}, {}}}};
  const RunResult::Method bare = {.name = "guard",
                                  .chosen_in_hindsight = "",
                                  .total_loss = 13,
                                  .mean_forecast_loss = {},
                                  .dynamic_regret = by_budget({5, 20}, {1.5, 2.5}),
                                  .certificate = {},
                                  .ns_per_round = 7e9,
                                  .next_weights = {0, 1}};
  RunResult::Method infinite = bare;
  infinite.name = "log loss of a forecast of zero";
  infinite.mean_forecast_loss = finite(kInfinity);
  infinite.certificate = RunResult::Proof{1, 2, false, false, {}};
  RunResult out = {300,
                   {"a", "b"},
                   {5, 20},
                   by_budget({5, 20}, {11.5, kInfinity}),
                   RunResult::BestExpert{"a", 14},
                   2.5,
                   3,
                   {full, bare, infinite}};
  out.bound = "catoni";
  out.unclipped_oracle = by_budget({5, 20}, {23, kInfinity});
  out.switch_costs = {0.5, by_budget({5, 20}, {12.5, kInfinity}), {}, 0};
  return out;
}

StudyResult study(std::size_t form, std::vector<Part> parts) {
  return {&kStudies[form], config(), Timing{1.5, 2}, std::move(parts)};
}

StudyResult main_study() {
  return study(0, {{.family = "switch",
                    .oracle = {1, 2},
                    .generating_path = {1.5, 2.5},
                    .methods = {full_method(), bare_method()},
                    .fixed_share_tuned_per_sequence = Part::Tuned{{0.5, 0.25}, 0.375},
                    .comparisons = {full_pair(), bare_pair()}},
                   {.family = "drift", .oracle = {1, 2}, .methods = {bare_method()}}});
}

StudyResult heavy_tail_study() {
  return study(1, {{.cell = Part::Cell{2, 0.03},
                    .oracle = {1, 2},
                    .methods = {bare_method(), full_method()},
                    .comparisons = {full_pair()}}});
}

StudyResult scaling_study() {
  StudyResult out = study(2, {{.experts = 4096,
                               .oracle = {3, 4},
                               .generating_path = {3.5, 4.5},
                               .methods = {full_method()},
                               .comparisons = {bare_pair()}}});
  out.config.experts = 0;
  return out;
}

StudyResult mechanism_study() {
  StudyResult out = study(3, {});
  out.families = {{"switch", {{"guard", 12, 0.1, 0.01, 10, 0.3, 2.5, -0.2, 40, 50}}}};
  return out;
}

StudyResult ablation_study() {
  StudyResult out = study(4, {{.family = "mix",
                               .oracle = {1, 2},
                               .methods = {bare_method()},
                               .comparisons = {bare_pair()}}});
  out.config.methods.clear();
  out.config.featured.clear();
  return out;
}

ElectricityResult electricity() {
  ElectricityResult out = {
      "house.txt",
      "power",
      {24, 168},
      20000,
      48,
      13952,
      6000,
      1.5,
      {"lag1", "rls"},
      {"rls", 0.02},
      {5, 20},
      by_budget({5, 20}, {0.015, 0.0125}),
      {{"guard", "", "", 0.019, by_budget({5, 20}, {0.004, 0.0065}), 5000},
       {"fixed-share*", "fixed-share{eta=8}", "", 0.02, by_budget({5, 20}, {1, 2}), 60},
       {"fixed-share", "", "fixed-share{eta=4}", 0.02, by_budget({5, 20}, {1, 2}), 60}}};
  out.bound = "catoni";
  out.unclipped_oracle_mean_loss = by_budget({5, 20}, {0.25, 0.125});
  out.methods[0].unclipped_mean_loss = 0.5;
  for (auto& method : out.methods) {
    method.unclipped_regret_per_round = by_budget({5, 20}, {0.25, kInfinity});
  }
  return out;
}

ForecastResult forecast() {
  return {3,
          1,
          "load",
          "guard",
          "squared",
          2.5,
          0.5,
          {{"lag1", 2, 0.75, 0.5, 10.5, 0.25}, {"late", 0, {}, {}, {}, 0.75}},
          10.25,
          {std::nullopt, 9.5, 10},
          {{0.8, 9.5, 11}, {0.95, 9.25, 12}}};
}

OracleResult oracle() {
  OracleResult out = {400, 12, by_budget({0, 7}, {kInfinity, 20.5}), {}, 0.001, 5e9};
  out.switches_used.at_budgets = {{0, {}}, {7, 6}};
  return out;
}
OracleResult costly_oracle() {
  OracleResult out = oracle();
  out.switch_cost = 0.5;
  out.unlimited = {23.5, 11};
  return out;
}

TrainingResult training() {
  const HeldOutResult full = {"switch", -0.25, 0.75, 12.5, 20.25, 11.5, {}},
                      bare = {"prior", {}, 0.5, {}, {}, {}, {}},
                      combines = {"errors", 0.125, 1, {}, {}, {}, 0.975};
  return {"both",
          3,
          2,
          1,
          61,
          {{{1, 2, 3}, {0.5, std::nullopt, -1e-300}, {0.001, 0.002, 0.0005}},
           {{0, {}, {full, bare, combines}}, {2, -0.5, {full, bare, combines}}}},
          {{{"a", "both"}, {"b", "0.002"}}}};
}

Result read(std::string_view text) { return read_result(text, "r.json", all_kinds()); }

// Of every kind one with everything in it, and one with all that can be absent absent.
std::vector<Result> examples() {
  RunResult nobody_awake = run();
  nobody_awake.best_expert.reset();
  nobody_awake.methods.resize(1);
  nobody_awake.methods[0].certificate.reset();
  StudyResult untimed = main_study();
  untimed.timing.reset();
  RunResult on_forecasts = run();
  on_forecasts.answer = full_answer();
  RunResult without_outcomes = run();
  without_outcomes.answer = bare_answer();
  ForecastResult no_round = forecast();
  no_round.scale.reset();
  no_round.mean_loss.reset();
  no_round.next.reset();
  no_round.forecasts.clear();
  no_round.next_intervals.clear();
  no_round.experts.clear();
  TrainingResult no_step = training();
  no_step.steps = no_step.best_step = 0;
  no_step.course.losses = {};
  no_step.course.checks.resize(1);
  no_step.options = {};
  return {run(),
          nobody_awake,
          on_forecasts,
          without_outcomes,
          series(),
          quantiles(),
          main_study(),
          untimed,
          heavy_tail_study(),
          scaling_study(),
          mechanism_study(),
          ablation_study(),
          SuiteResult{{main_study(), heavy_tail_study(), scaling_study(), mechanism_study(),
                       ablation_study()}},
          electricity(),
          forecast(),
          no_round,
          oracle(),
          costly_oracle(),
          training(),
          no_step};
}

TEST(Results, AreTheSameAfterJson) {
  for (const Result& one : examples()) {
    const std::string text = to_json(one);
    EXPECT_EQ(to_json(read(text)), text);
    EXPECT_EQ(to_json(read(to_json(one, 1))), text);
  }
}

TEST(Results, SayTheirKindFirst) {
  for (const Result& one : examples()) {
    const auto json = ordered_json::parse(to_json(one));
    EXPECT_EQ(json.begin().key(), "kind");
    EXPECT_EQ(json["kind"], std::string(one.kind().name));
  }
}

// What read_result says to this text; empty if it reads it.
std::string objection(const std::string& text) {
  try {
    read(text);
  } catch (const Error& wrong) {
    return wrong.what();
  }
  return "";
}

// Each value below `json`, with the key it has (that of the list it is in), for one change at a
// time.
void for_each_value(ordered_json& json, const std::string& key,
                    const std::function<void(ordered_json&, const std::string&)>& visit) {
  if (!json.is_structured()) return;
  for (auto& [name, value] : json.items()) {
    const std::string below = json.is_object() ? std::string(name) : key;
    visit(value, below);
    for_each_value(value, below, visit);
  }
}

TEST(Results, NameTheFieldThatIsOfAnotherType) {
  for (const Result& one : examples()) {
    ordered_json whole = ordered_json::parse(to_json(one));
    for_each_value(whole, "", [&](ordered_json& value, const std::string& key) {
      const ordered_json before = value;
      const bool is_text = before.is_string();
      value = is_text ? ordered_json(-1) : ordered_json("text");
      const std::string said = objection(whole.dump());
      EXPECT_EQ(said.find("r.json: "), 0U) << key;
      EXPECT_NE(said.find(key), said.npos) << said;
      value = before;
    });
  }
}

// Optional fields, and entries of objects that hold as many as there are.
constexpr std::string_view kMayBeMissing =
    " chosen_in_hindsight chosen_on_training_part mean_forecast_loss certificate"
    " weighted_by_eta switches experts methods featured timing share_closed generating_path"
    " generating_path_regret bound known shape others by_value switch_cost switch_costs"
    " unclipped unclipped_mean_loss unclipped_oracle"
    " unclipped_regret unlimited t_p_holm wilcoxon_p_holm"
    " fixed_share_tuned_per_sequence main heavy-tail scaling mechanism ablation 0 7 intervals"
    " next_intervals total_forecast_loss full_name forecast_regret errors loss difference"
    " beside_best beside_equal_weights interval p rounds_without_outcome time times 0.8 0.95"
    " regret tuned_fixed_share limit error_to_best_candidate a b ";

void without_each_key(ordered_json& whole, ordered_json& json) {
  if (json.is_object()) {
    const ordered_json before = json;
    for (const auto& item : before.items()) {
      json = before;
      json.erase(item.key());
      const std::string said = objection(whole.dump());
      if (said.empty()) {
        EXPECT_NE(kMayBeMissing.find(" " + item.key() + " "), kMayBeMissing.npos) << item.key();
      } else if (item.key() == "kind" && &json == &whole) {
        EXPECT_NE(said.find("as pcgs wrote it"), said.npos) << said;
      } else {
        EXPECT_TRUE(said.find(item.key()) != said.npos || said.find("budgets") != said.npos ||
                    said.find("is empty") != said.npos)
            << item.key() << ": " << said;
      }
    }
    json = before;
  }
  if (json.is_structured()) {
    for (auto& below : json) without_each_key(whole, below);
  }
}

TEST(Results, NameTheFieldThatIsMissing) {
  for (const Result& one : examples()) {
    ordered_json whole = ordered_json::parse(to_json(one));
    without_each_key(whole, whole);
  }
}

TEST(Results, RefuseWhatHasAnotherKindOrNone) {
  EXPECT_EQ(objection(R"({"rounds":3})"), "r.json: has no kind; give a result as pcgs wrote it");
  EXPECT_EQ(
      objection(R"({"kind":"walk"})"),
      "r.json: is of the kind \"walk\", which does not belong here; give a result as pcgs wrote "
      "it");
  EXPECT_EQ(
      objection(R"({"kind":"suite","studies":{"main":{"kind":"run"}}})"),
      "r.json: studies.main is of the kind \"run\", which does not belong here; give a result "
      "as pcgs wrote it");
  for (const char* text : {"", "{", "nonsense", "[]", "3", "null", "{\"kind\":{}}", "\xff"}) {
    EXPECT_EQ(objection(text).find("r.json: "), 0U) << text;
  }
}

TEST(Results, RefuseWhatDoesNotFitTogether) {
  RunResult another_budget = run();
  another_budget.switches.push_back(21);
  EXPECT_NE(objection(to_json(another_budget)).find("r.json: oracle lacks"), std::string::npos);
  RunResult fewer_regrets = run();
  fewer_regrets.methods[1].dynamic_regret.at_budgets.pop_back();
  EXPECT_NE(objection(to_json(fewer_regrets)).find("r.json: methods lack"), std::string::npos);
  StudyResult fewer_sequences = main_study();
  fewer_sequences.parts[1].methods[0].regret.pop_back();
  EXPECT_NE(objection(to_json(fewer_sequences)).find("r.json: families[1].methods lack"),
            std::string::npos);
}

// What tells the parts of one study apart says nothing of those of another.
TEST(Results, RefuseAStudyWithThePartsOfAnother) {
  StudyResult wrong = main_study();
  wrong.parts[0] = heavy_tail_study().parts[0];
  EXPECT_NE(objection(to_json(wrong)).find("r.json: families lack name"), std::string::npos);
  wrong = scaling_study();
  wrong.parts[0] = ablation_study().parts[0];
  EXPECT_NE(objection(to_json(wrong)).find("r.json: pools lack experts"), std::string::npos);
  wrong.parts.clear();
  EXPECT_NE(objection(to_json(wrong)).find("r.json: pools is empty"), std::string::npos);
}

TEST(Results, RefuseSeriesThatDoNotFitTogether) {
  SeriesResult nothing_told_apart = series();
  nothing_told_apart.by.clear();
  EXPECT_NE(objection(to_json(nothing_told_apart)), "");
  SeriesResult none = series();
  none.series.clear();
  EXPECT_NE(objection(to_json(none)).find("series"), std::string::npos);
  SeriesResult shorter_key = series();
  shorter_key.series[1].key.pop_back();
  EXPECT_NE(objection(to_json(shorter_key)).find("key"), std::string::npos);
  SeriesResult no_errors = series();
  no_errors.series[1].answer.errors.clear();
  EXPECT_NE(objection(to_json(no_errors)).find("errors"), std::string::npos);
  SeriesResult one_end = series();
  one_end.answer.beside_best->interval.pop_back();
  EXPECT_NE(objection(to_json(one_end)).find("interval"), std::string::npos);
}

TEST(Results, RefuseQuantilesThatDoNotFitTogether) {
  const auto refuses = [](const char* what, const std::function<void(QuantileResult&)>& change) {
    QuantileResult changed = quantiles();
    change(changed);
    EXPECT_NE(objection(to_json(changed)).find(what), std::string::npos) << what;
  };
  refuses("levels", [](auto& q) {
    q.levels.clear();
    q.between.resize(1);
  });
  refuses("scale", [](auto& q) { q.scale = "ln"; });
  refuses("between", [](auto& q) { q.between.pop_back(); });
  refuses("series", [](auto& q) { q.series.clear(); });
  refuses("series", [](auto& q) { q.series[0].key.clear(); });
  refuses("coming", [](auto& q) { q.coming[0].key.push_back("x"); });
  refuses("coming", [](auto& q) { q.coming[0].quantiles.pop_back(); });
  refuses("shapes", [](auto& q) { q.shapes.resize(9, q.shapes[0]); });
  refuses("by_value", [](auto& q) { q.values[0].column = "week"; });
  for (const char* name : {"text", "", "0.8x", "nan", "0", "1", "-0.5"}) {
    refuses("shapes[0].held", [&](auto& q) { q.shapes[0].held.by_name[0].first = name; });
    refuses("series[0].shape.held",
            [&](auto& q) { q.series[0].scores.shape->held.by_name[0].first = name; });
  }
}

TEST(Results, RefuseTrainingsThatDoNotFitTogether) {
  const auto refuses = [](const char* what, const std::function<void(TrainingResult&)>& change) {
    TrainingResult changed = training();
    change(changed);
    EXPECT_NE(objection(to_json(changed)).find(what), std::string::npos) << what;
  };
  refuses("best_step is not among the checks", [](auto& t) { t.best_step = 1; });
  refuses("course.losses.loss is not as long as steps",
          [](auto& t) { t.course.losses.loss.pop_back(); });
  refuses("course.losses.rate is not as long as steps",
          [](auto& t) { t.course.losses.rate.pop_back(); });
  refuses("course.losses.steps do not grow", [](auto& t) { t.course.losses.steps[1] = 1; });
  refuses("course.checks have steps that do not grow",
          [](auto& t) { t.course.checks[0].step = 2; });
  refuses("course.checks are of different sequences",
          [](auto& t) { t.course.checks[1].held_out.pop_back(); });
  refuses("course.checks is empty", [](auto& t) { t.course.checks.clear(); });
}

TEST(Results, ACourseIsTheSameAfterItsText) {
  const TrainingCourse course = training().course;
  EXPECT_TRUE(read_course(course_text(course), "checkpoint") == course);
  EXPECT_THROW(read_course("{}", "checkpoint"), Error);
}

TEST(Results, RefuseDeepNesting) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_NE(objection(deep).find("nested"), std::string::npos);
  EXPECT_NE(objection("{\"kind\":\"suite\",\"studies\":" + deep + "}").find("nested"),
            std::string::npos);
  EXPECT_NE(objection(std::string(200000, '[')).find("nested"), std::string::npos);
}

// Every place of a value, as JSON pointers.
void collect(const ordered_json& value, const ordered_json::json_pointer& at,
             std::vector<ordered_json::json_pointer>& all) {
  if (!at.empty()) all.push_back(at);
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    collect(inner, value.is_array() ? at / std::stoul(key) : at / key, all);
  }
}

TEST(Sections, ShowOrRefuseResultsOfEveryKindWhateverIsChangedInThem) {
  const std::string folder = test::data_file("../fuzz/corpus/report/");
  for (const char* kind : {"run", "answer", "series", "quantiles", "main", "grid", "scaling",
                           "mechanism", "ablation", "forecast", "electricity", "training"}) {
    std::ifstream file(folder + kind + ".json");
    const ordered_json whole = ordered_json::parse(file);
    const auto shown = [&](const ordered_json& json) {
      try {
        report::Material material;
        material.results.push_back({kind, read_result(json.dump(), kind, all_kinds())});
        std::size_t size = 0;
        for (const auto& section : report::sections(material)) size += report::html(section).size();
        return size;
      } catch (const Error&) {
        return std::size_t{0};
      }
    };
    EXPECT_GT(shown(whole), 0U) << kind;
    std::vector<ordered_json::json_pointer> places;
    collect(whole, ordered_json::json_pointer(), places);
    for (const auto& place : places) {
      for (const ordered_json& other :
           {ordered_json(nullptr), ordered_json("text"), ordered_json(-1), ordered_json(1e300),
            ordered_json::array(), ordered_json::object()}) {
        ordered_json changed = whole;
        changed[place] = other;
        shown(changed);  // neither crashes nor throws anything but an Error
      }
    }
  }
}

TEST(Sections, RefuseAKindWithoutAPage) {
  report::Material material;
  material.results.push_back({"oracle.json", oracle()});
  EXPECT_THROW(report::sections(material), Error);
}

}  // namespace
}  // namespace pcgs::results
