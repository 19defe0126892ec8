#include "data/number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace pcgs::io {
namespace {

TEST(Number, ReadsFiniteNumbers) {
  const struct {
    const char* text;
    double value;
  } cases[] = {{"0", 0},       {"1", 1},
               {"+1", 1},      {"-1.5", -1.5},
               {".5", 0.5},    {"5.", 5},
               {" 7\t", 7},    {"1e3", 1000},
               {"1E+3", 1000}, {"-2.5e-1", -.25},
               {"007", 7},     {"4.9e-324", 4.9e-324},
               {"0e999", 0},   {"+.5", 0.5},
               {"-0", -0.0},   {"1.7976931348623157e308", 1.7976931348623157e308}};
  for (const auto& [text, value] : cases) {
    const Number number = parse_number(text);
    EXPECT_EQ(number.kind, NumberKind::kFinite) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(number.value), std::bit_cast<std::uint64_t>(value))
        << text;
  }
}

TEST(Number, TellsWhyOthersAreNot) {
  const struct {
    NumberKind kind;
    std::vector<const char*> texts;
  } cases[] = {
      {NumberKind::kMissing,
       {"",     " ",    "\t",   "?",    " ? ",  "NA",   "na",   "NaN", "nan",
        "NAN",  "-nan", "+nan", "null", "NULL", "-",    " - ",  ".",   "none",
        "None", "n/a",  "N/A",  "#n/a", "#N/A", "<na>", "<NA>", "nat", "NaT"}},
      {NumberKind::kInfinite,
       {"inf", "-inf", "+inf", "Inf", "INF", "infinity", "Infinity", "-Infinity", " inf "}},
      {NumberKind::kOutOfRange, {"1e999", "-1e999", "1e-999", "1.8e308", "1e99999999999999999999"}},
      {NumberKind::kText,
       {"abc",
        "1x",
        "x1",
        "1 2",
        "+",
        "+-1",
        "-+1",
        "--1",
        "++1",
        "+ 1",
        ".e5",
        "+.",
        "-.",
        "n.a.",
        "a/n",
        "<>",
        "--",
        "..",
        "1e",
        "1e+",
        "0x10",
        "1,5",
        "1_000",
        "1.2.3",
        "nan(1)",
        "-na",
        "+null",
        "infinit",
        "2020-01-01",
        "12:30",
        "\xC2\xA0"
        "1",
        "1\r",
        "\"1\""}},
  };
  for (const auto& [kind, texts] : cases) {
    for (const char* text : texts) EXPECT_EQ(parse_number(text).kind, kind) << '[' << text << ']';
  }
  EXPECT_TRUE(std::isnan(parse_number("NA").value));
}

TEST(Number, ReadsBackEveryFiniteDoubleToTheBit) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 100000; ++trial) {
    const double value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (!std::isfinite(value)) continue;
    const Number number = parse_number(fmt::format("{}", value));
    ASSERT_EQ(number.kind, NumberKind::kFinite) << value;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(number.value), std::bit_cast<std::uint64_t>(value));
  }
}

}  // namespace
}  // namespace pcgs::io
