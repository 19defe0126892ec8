// What a page is made from, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pcgs/error.h"
#include "show/blocks.h"
#include "show/report.h"
#include "show/run_result.h"
#include "show/sections.h"
#include "show/training_result.h"
#include "support/expect.h"

namespace pcgs::report {
namespace {

using nlohmann::ordered_json;
using results::RunResult;
using test::mentions;

RunResult a_run() {
  RunResult run;
  run.rounds = 10;
  run.experts = {"a", "b"};
  run.switches = {0, 2};
  run.oracle = results::by_budget(run.switches, {3.5, 2.25});
  run.best_expert = {"<b>a</b>", 3.5};
  run.methods.resize(2);
  run.methods[0].name = "hedge";
  run.methods[0].total_loss = 4.123456789012345;
  run.methods[0].dynamic_regret = results::by_budget(run.switches, {0.623456789012345, INFINITY});
  run.methods[0].ns_per_round = 100.5;
  run.methods[1].name = "hedge*";
  run.methods[1].chosen_in_hindsight = "hedge{eta=1}";
  run.methods[1].total_loss = 4;
  run.methods[1].dynamic_regret = results::by_budget(run.switches, {0.5, 1.75});
  return run;
}

std::string page_of(results::Result result) {
  Material material;
  material.results.push_back({"folder/results.json", std::move(result)});
  return page(material);
}

void expect_mentions(const std::string& text, const std::vector<std::string>& parts) {
  for (const auto& part : parts) EXPECT_TRUE(mentions(text, part));
}

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "this build makes no pages";
  }
};

TEST_F(Page, OfLossesShowsExactNumbersNamesAsTextAndTheBestOfThoseThatCanBePlayed) {
  const std::string text = page_of(a_run());
  expect_mentions(text, {"<td data-value=\"4.123456789012345\">4.123</td>",
                         "<th scope=\"col\" data-key=\"dynamic_regret.2\">regret S=2</th>",
                         "<td>none</td>",  // no path with two switches
                         "&lt;b&gt;a&lt;/b&gt;", "hedge lost 4.12 in 10 rounds.",
                         "<tr class=\"best\"><th scope=\"row\">hedge</th>"});
  EXPECT_FALSE(mentions(text, "<b>a</b>"));
  EXPECT_EQ(page_of(a_run()), text);
  // It loads nothing.
  EXPECT_TRUE(mentions(text, "default-src 'none'"));
  for (const char* loads : {"<link", "<img", "<iframe", " src=\"", "@import"}) {
    EXPECT_FALSE(mentions(text.substr(0, text.find("<script>")), loads));
  }
}

RunResult a_run_on_forecasts() {
  RunResult run = a_run();
  auto& answer = run.answer.emplace();
  answer.measure = "RMSE";
  answer.errors = {{"hedge*", "method", 10, 2.0, 1.5, {}, 0.25, {}, {}},
                   {"equal weights", "reference", 10, 2.5, 2.0, {}, 0.5, {}, -20.0},
                   {"a", "expert", 10, 4.0, 3.0, {}, -0.5, {}, -50.0}};
  answer.beside_best = {"a", 10, -50.0};
  answer.beside_equal = {"equal weights", 10, -20.0};
  answer.next.push_back({"2026-03-01", 11, 97.5, {{{"0.8", {95.25, 99.5}}}}});
  answer.weights_now.by_name = {{"a", 0.25}, {"b", 0.75}};
  return run;
}

TEST_F(Page, OfForecastsBeginsWithTheirErrorsAndCrownsNoMethodByItsLoss) {
  const std::string text = page_of(a_run_on_forecasts());
  expect_mentions(
      text, {"<p class=\"lead\">The combination&#39;s error (RMSE 2) was 50\u00a0% below that of "
             "your best model, a, and 20\u00a0% below that of equal weights.</p>",
             "Regret sets",
             // The combination is the last method, and stands first.
             "<tr class=\"best\"><th scope=\"row\" data-value=\"hedge*\">hedge* (the "
             "combination)</th><td data-value=\"2\">2.000</td>",
             "<tr class=\"best\"><th scope=\"row\">hedge*</th>",
             "<b data-value=\"97.5\">97.5</b><span>forecast for 2026\u201103\u201101, with "
             "80\u00a0% between 95.25 and 99.5</span>"});
  EXPECT_FALSE(mentions(text, "hedge lost"));
}

TEST(Sections, ShowTwentyWeightsAndTheOthersTogether) {
  results::ForecastAnswer answer;
  for (int k = 1; k <= 25; ++k) {
    answer.weights_now.by_name.emplace_back(fmt::format("m{}", k), k / 325.0);
  }
  const Chart chart = weights_chart(answer);
  const auto names = chart.groups[0]["name"].get<std::vector<std::string>>();
  ASSERT_EQ(names.size(), 21U);
  EXPECT_EQ(names.front(), "m25");
  EXPECT_EQ(names.back(), "5 others together");
  EXPECT_NEAR(chart.groups[0]["value"][20].get<double>(), 15 / 325.0, 1e-6);
}

results::SeriesResult many_series(std::size_t n) {
  results::SeriesResult result;
  result.by = {"store"};
  result.experts = {"a"};
  result.answer = *a_run_on_forecasts().answer;
  for (std::size_t i = 0; i < n; ++i) {
    auto answer = result.answer;
    answer.beside_best->difference = static_cast<double>((i * 7) % n) - 5;
    result.series.push_back({{fmt::format("s{}", i)}, 10, std::move(answer)});
  }
  return result;
}

TEST_F(Page, OfManySeriesShowsTheWorstFirstAndSaysHowManyThereAre) {
  const std::string text = page_of(many_series(300));
  expect_mentions(text,
                  {"<tbody>\n<tr><th scope=\"row\">s257</th><td data-value=\"294\">+294.0 %</td>",
                   "200 of 300", "it is better in 5 of 300 series"});
}

results::QuantileResult quantiles_by_place_and_horizon() {
  results::QuantileResult result;
  result.levels = {0.1, 0.5, 0.9};
  result.by = {"place", "horizon"};
  result.experts = {"a"};
  result.between = {1, 4, 4, 1};
  result.answer = *a_run_on_forecasts().answer;
  result.answer.measure = "WIS";
  const auto scores = [](double width, double pool) {
    return results::QuantileResult::Scores{
        10,
        width + 3,
        results::Difference{"a", 8, -50},
        results::Difference{"equal-weight linear pool", 10, 100 * ((width + 3) / pool - 1)},
        results::QuantileResult::Shape{"blend", 10, {{{"0.8", 0.75}}}, width, 1.0, 2.0},
        {{"equal-weight linear pool", 10, pool, -25},
         {"equal-weight quantile mean", 10, 9.0, -33},
         {"a", 8, 11.0, -50}}};
  };
  result.series = {{{"<b>north</b>", "1"}, scores(3, 8)}, {{"<b>north</b>", "2"}, scores(9, 10)}};
  result.values = {{"place", "<b>north</b>", scores(6, 9)},
                   {"horizon", "1", scores(3, 8)},
                   {"horizon", "2", scores(9, 10)}};
  return result;
}

TEST(Sections, OfQuantilesHaveScoresByEachColumnRelativeToTheLinearPool) {
  Material material;
  material.results.push_back({"hub", quantiles_by_place_and_horizon()});
  const auto all = sections(material);
  const auto& choice = std::get<Choice>(all.back().blocks.at(0));
  ASSERT_EQ(choice.options.size(), 3u);
  EXPECT_EQ(choice.options[0].name, "place");
  ASSERT_EQ(choice.options[0].blocks.size(), 1u);  // one bar compares nothing
  EXPECT_EQ(choice.options[2].name, "series");
  const auto& chart = std::get<Chart>(choice.options[1].blocks.at(0));
  EXPECT_EQ(chart.groups[0]["value"], ordered_json({3.0 / 8, 0.9}));  // width
  EXPECT_EQ(chart.groups[1]["value"], ordered_json({1.0 / 8, 0.1}));
  EXPECT_EQ(chart.groups[2]["score"], ordered_json({2, 2}));
  // Beside the best model the combination has half the error.
  EXPECT_EQ(chart.datasets["best"][0]["value"], ordered_json({2 * 0.75, 2 * 1.2}));
  const auto& table = std::get<Table>(choice.options[1].blocks.at(1));
  ASSERT_EQ(table.rows.size(), 2u);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.head.size());
  EXPECT_EQ(table.rows[1][2].exact, "12");
  EXPECT_EQ(table.rows[1][6].text, "75 %");
  EXPECT_EQ(html(all.back()).find("<b>north"), std::string::npos);
}

results::TrainingResult a_training() {
  results::TrainingResult training;
  training.recipe = "regret";
  training.steps = 20;
  training.best_step = 10;
  training.course.losses = {{10, 20}, {0.5, 0.25}, {0.002, 0.001}};
  for (const auto& [step, score] : {std::pair{0, 0.125}, {10, -0.5}, {20, -0.25}}) {
    training.course.checks.push_back({static_cast<std::size_t>(step),
                                      score,
                                      {{"switch", score, 0.75, 10 + score, 12.0, 8.0, {}},
                                       {"<b>mine</b>", score, 1, 3.5, 4.0}}});
  }
  training.options.by_name = {{"losses", "<b>past</b>.csv"}};
  return training;
}

TEST_F(Page, OfATrainingSaysFromWhereToWhereTheScoreFell) {
  const std::string text = page_of(a_training());
  expect_mentions(text,
                  {"<p class=\"lead\">The held-out score fell from +0.125 to -0.5, which it had "
                   "after step 10; it fell on 2 of 2 kinds of sequences.</p>",
                   "A controller, trained by the recipe regret in 20 steps",
                   "<td data-value=\"10.125\">10.12</td><td data-value=\"9.5\">9.50</td>",
                   "&lt;b&gt;mine&lt;/b&gt;", "&lt;b&gt;past&lt;/b&gt;.csv"});
  EXPECT_FALSE(mentions(text, "<b>mine"));
}

TEST(Sections, OfATrainingHaveALineForEachKindOfHeldOutSequences) {
  Material material;
  material.results.push_back({"mine", a_training()});
  const auto all = sections(material);
  const auto* choice = std::get_if<Choice>(&all.at(1).blocks.at(0));
  ASSERT_NE(choice, nullptr);
  const auto& moved = std::get<Chart>(choice->options.at(0).blocks.at(0));
  const auto& scores = std::get<Chart>(choice->options.at(1).blocks.at(0));
  const ordered_json lines = {"mean of all kinds", "switch", "<b>mine</b>"};
  EXPECT_EQ(scores.values["series"], lines);
  EXPECT_EQ(scores.groups[1]["round"], ordered_json({0, 10, 20}));
  EXPECT_EQ(scores.groups[1]["value"], ordered_json({0.125, -0.5, -0.25}));
  EXPECT_EQ(moved.groups[1]["value"], ordered_json({0, -0.625, -0.375}));
  EXPECT_NE(scores.alternative.find("switch from +0.125 to -0.25"), std::string::npos);
  const auto& losses = std::get<Chart>(all.at(1).blocks.at(1));
  EXPECT_EQ(losses.groups[0]["value"], ordered_json({0.5, 0.25}));
}

TEST(Sections, RefuseTwoResultsOfAKind) {
  Material material;
  material.results.push_back({"one.json", a_run()});
  material.results.push_back({"two.json", a_run()});
  EXPECT_TRUE(mentions(test::error_of([&] { sections(material); }),
                       "one.json and two.json are both results of the same kind (run)"));
}

TEST(Markup, EscapesWhateverHasAMeaningAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(escaped("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  EXPECT_EQ(escaped("naïve 🦊"), "naïve 🦊");
  EXPECT_EQ(escaped("a\xff"
                    "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Markup, JsonCannotEndItsElement) {
  const nlohmann::ordered_json value = {{"</script><b>", "<!-- \"quotes\" -->"}};
  const std::string text = script_json(value);
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::ordered_json::parse(text), value);
}

TEST(Markup, CodeCannotEndItsElement) {
  EXPECT_EQ(script_code("x = '</script>' + '<!--' + a</b;"),
            "x = '<\\/script>' + '<\\!--' + a</b;");
}

}  // namespace

}  // namespace pcgs::report
