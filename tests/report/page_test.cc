// What a page is made from, and what is refused.
#include <gtest/gtest.h>

#include <fstream>

#include "pcgs/error.h"
#include "report/report.h"
#include "support/data_file.h"

namespace pcgs::report {
namespace {

using nlohmann::ordered_json;

ordered_json a_run() {
  return {{"rounds", 10},
          {"experts", {"a", "b"}},
          {"switches", {0, 2}},
          {"oracle", {{"0", 3.5}, {"2", 2.25}}},
          {"best_expert", {{"name", "<b>a</b>"}, {"total_loss", 3.5}}},
          {"scale", 1.0},
          {"skipped_rounds", 0},
          {"methods",
           {{{"name", "hedge"},
             {"total_loss", 4.123456789012345},
             {"dynamic_regret", {{"0", 0.623456789012345}, {"2", nullptr}}},
             {"ns_per_round", 100.5}},
            {{"name", "hedge*"},
             {"chosen_in_hindsight", "hedge{eta=1}"},
             {"total_loss", 4.0},
             {"dynamic_regret", {{"0", 0.5}, {"2", 1.75}}},
             {"ns_per_round", 100.0}}}}};
}

std::string page_of(ordered_json result) {
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

std::string refusal(ordered_json result) {
  Material material;
  material.results.push_back({"folder/results.json", std::move(result)});
  return refusal(material);
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

TEST_F(Page, RefusesWhatIsNoResult) {
  for (const ordered_json& other :
       {ordered_json(3), ordered_json::array(), ordered_json::object(), ordered_json{{"rounds", 3}},
        ordered_json{{"families", ordered_json::array()}, {"config", ordered_json::object()}}}) {
    EXPECT_NE(refusal(other).find("folder/results.json: is not a result of pcgs"),
              std::string::npos)
        << other;
  }
}

TEST_F(Page, RefusesAResultThatLacksAnyOfItsParts) {
  const ordered_json whole = a_run();
  for (const auto& [key, value] : whole.items()) {
    if (key == "scale" || key == "skipped_rounds" || key == "experts") continue;  // not shown
    ordered_json run = a_run();
    run.erase(key);
    EXPECT_NE(refusal(run).find("folder/results.json"), std::string::npos) << key;
    if (key == "best_expert") continue;  // null where nobody was awake throughout
    run[key] = "text";
    EXPECT_NE(refusal(run).find("folder/results.json"), std::string::npos) << key;
  }
  ordered_json nobody = a_run();
  nobody["methods"] = ordered_json::array();
  EXPECT_NE(refusal(nobody).find("folder/results.json"), std::string::npos);
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
      Material material;
      material.results.push_back({kind, json});
      try {
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
  material.results = {{"one.json", a_run()}, {"two.json", a_run()}};
  const std::string why = refusal(material);
  EXPECT_NE(why.find("one.json and two.json are both results of the same kind (run)"),
            std::string::npos)
      << why;
}

}  // namespace
}  // namespace pcgs::report
