// What the reader of JSON accepts, what it refuses and where, and that its cost is linear.
#include "data/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "pcgs/error.h"

namespace pcgs::io {
namespace {

using nlohmann::ordered_json;

ordered_json parsed(std::string_view text) { return parse_json(text, "a.json", "something"); }

std::optional<Error> refusal(std::string_view text) {
  try {
    parsed(text);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 100);
  return std::nullopt;
}

void expect_refused(std::string_view text, ErrorKind kind, std::size_t line,
                    std::string_view column) {
  const auto error = refusal(text);
  if (!error) return;
  EXPECT_EQ(error->kind(), kind) << text;
  EXPECT_EQ(error->place().file, "a.json");
  EXPECT_EQ(error->place().line, line) << text;
  EXPECT_EQ(error->place().column, column) << text;
}

std::string nested(std::size_t depth, std::string_view inside = "") {
  return std::string(depth, '[') + std::string(inside) + std::string(depth, ']');
}

TEST(Json, ReadsWhatNlohmannReads) {
  for (const char* text :
       {"null", "true", " false\n", "0", "-7", "18446744073709551615", "-0.0", "2.5e-300", "\"\"",
        R"("a\u00e9\n\ud83d\ude00")", "[]", "{}", "[1, [2, {\"a\": [null]}], \"x\"]",
        R"({"b": 1, "a": {"b": 2, "a": {}}, "": [{}, {"b": 3}]})"}) {
    const ordered_json value = parsed(text);
    EXPECT_EQ(value, ordered_json::parse(text)) << text;
    EXPECT_EQ(value.dump(), ordered_json::parse(text).dump()) << text;
  }
}

TEST(Json, RefusesANameThatStandsTwiceAtAnyDepth) {
  for (std::size_t depth = 0; depth < kDeepestJson; ++depth) {
    const auto error = refusal(nested(depth, R"({"b":1,"a":{},"b":2})"));
    if (!error && depth + 1 < kDeepestJson) return;
    if (depth + 1 == kDeepestJson) break;  // its inner object is too deep
    EXPECT_EQ(error->kind(), ErrorKind::kDuplicate);
    EXPECT_EQ(error->place().field, "b");
    EXPECT_EQ(error->place().column, std::to_string(depth + 17));
  }
  EXPECT_EQ(refusal(R"({"a":1,"\u0061":2})")->kind(), ErrorKind::kDuplicate);
  EXPECT_NO_THROW(parsed(R"([{"a":{"a":1},"b":{"a":1}},{"a":1}])"));
}

TEST(Json, RefusesWhatIsNotOneValueInUtf8) {
  expect_refused("", ErrorKind::kFormat, 1, "1");
  expect_refused("[1,\n 2,]", ErrorKind::kFormat, 2, "4");
  expect_refused("{\"a\":1}\n\n x", ErrorKind::kFormat, 3, "2");
  expect_refused("[] []", ErrorKind::kFormat, 1, "4");
  expect_refused("{} ,", ErrorKind::kFormat, 1, "4");
  for (const std::string_view text :
       {"[1", "{\"a\"}", "{a:1}", "nul", "+1", "01", "1e999", "'a'", "\"a", "\"\n\"", "[1]//",
        "NaN", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "{\"\xff\":1}", R"("\ud800")",
        "\xef\xbb"}) {
    EXPECT_EQ(refusal(text)->kind(), ErrorKind::kFormat) << text;
  }
  EXPECT_EQ(refusal(std::string_view("[1]\0", 4))->kind(), ErrorKind::kFormat);
}

TEST(Json, RefusesWhatIsNestedTooDeep) {
  EXPECT_NO_THROW(parsed(nested(kDeepestJson)));
  const std::string deep = nested(kDeepestJson + 1);
  expect_refused(deep, ErrorKind::kFormat, 1, std::to_string(kDeepestJson + 1));
  expect_refused(std::string(1 << 20, '['), ErrorKind::kFormat, 1,
                 std::to_string(kDeepestJson + 1));
  std::string objects;
  for (std::size_t i = 0; i <= kDeepestJson; ++i) objects += "{\"a\":";
  EXPECT_EQ(refusal(objects)->kind(), ErrorKind::kFormat);
  EXPECT_NO_THROW(parsed("\"" + std::string(1000, '[') + "\""));
}

// Were the cost of any of these the square of the length, it would be hours, and the budget of this test a minute.
TEST(Json, CostsWhatItsLengthSays) {
  constexpr std::size_t kMany = 1'000'000;
  std::string empty_objects = "[", names = "{", objects_in_objects = "{";
  for (std::size_t i = 0; i < kMany; ++i) {
    const char* const comma = i > 0 ? "," : "";
    empty_objects += fmt::format("{}{{}}", comma);
    names += fmt::format("{}\"{}\":0", comma, i);
    objects_in_objects += fmt::format("{}\"{}\":{{\"a\":[]}}", comma, i);
  }
  EXPECT_EQ(parsed(empty_objects + "]").size(), kMany);
  EXPECT_EQ(parsed(names + "}").size(), kMany);
  EXPECT_EQ(parsed(objects_in_objects + "}").size(), kMany);
  EXPECT_EQ(refusal(names + ",\"0\":0}")->place().field, "0");
}

TEST(JsonText, WritesReplacementSignsForWhatIsNotUtf8) {
  EXPECT_EQ(json_text({{"path", "a\xff"}, {"n", 1}}), "{\"path\":\"a\xEF\xBF\xBD\",\"n\":1}");
  EXPECT_EQ(json_text(ordered_json::array({1}), 1), "[\n 1\n]");
}

}  // namespace
}  // namespace pcgs::io
