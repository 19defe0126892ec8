// What a page is made from, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "pcgs/error.h"
#include "report/report.h"
#include "support/data_file.h"

namespace pcgs::report {
namespace {

using nlohmann::ordered_json;
using results::RunResult;

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

std::string refusal(const Material& material) {
  try {
    page(material);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "this build makes no pages";
  }
};

TEST_F(Page, ShowsExactNumbersBesideRoundedOnes) {
  const std::string text = page_of(a_run());
  EXPECT_NE(text.find("<td data-value=\"4.123456789012345\">4.123</td>"), std::string::npos);
  EXPECT_NE(text.find("<th scope=\"col\" data-key=\"dynamic_regret.2\">regret S=2</th>"),
            std::string::npos);
  EXPECT_NE(text.find("<td>none</td>"), std::string::npos);  // no path with two switches
}

TEST_F(Page, NamesAreText) {
  const std::string text = page_of(a_run());
  EXPECT_EQ(text.find("<b>a</b>"), std::string::npos);
  EXPECT_NE(text.find("&lt;b&gt;a&lt;/b&gt;"), std::string::npos);
}

TEST_F(Page, TheWinnerIsSomebodyWhoCanBePlayed) {
  const std::string text = page_of(a_run());
  EXPECT_NE(text.find("hedge lost 4.12 in 10 rounds."), std::string::npos);
  EXPECT_NE(text.find("<tr class=\"best\"><th scope=\"row\">hedge</th>"), std::string::npos);
}

TEST_F(Page, LoadsNothing) {
  const std::string text = page_of(a_run());
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  for (const char* loads : {"<link", "<img", "<iframe", " src=\"", "@import"}) {
    EXPECT_EQ(text.substr(0, text.find("<script>")).find(loads), std::string::npos) << loads;
  }
}

TEST_F(Page, IsTheSameForTheSameResults) { EXPECT_EQ(page_of(a_run()), page_of(a_run())); }

TEST_F(Page, RefusesAKindWithoutAPage) {
  Material material;
  material.results.push_back({"oracle.json", results::OracleResult{}});
  EXPECT_NE(refusal(material).find("oracle.json: is a result of pcgs oracle"), std::string::npos);
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
  for (const char* kind :
       {"run", "main", "grid", "scaling", "mechanism", "ablation", "forecast", "electricity"}) {
    std::ifstream file(folder + kind + ".json");
    const ordered_json whole = ordered_json::parse(file);
    const auto shown = [&](const ordered_json& json) {
      try {
        Material material;
        material.results.push_back({kind, results::read_result(json.dump(), kind)});
        std::size_t size = 0;
        for (const auto& section : sections(material)) size += html(section).size();
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

TEST_F(Page, RefusesTwoOfAKind) {
  Material material;
  material.results.push_back({"one.json", a_run()});
  material.results.push_back({"two.json", a_run()});
  const std::string why = refusal(material);
  EXPECT_NE(why.find("one.json and two.json are both results of the same kind (run)"),
            std::string::npos)
      << why;
}

}  // namespace
}  // namespace pcgs::report
