#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "data/csv.h"
#include "data/number_table.h"
#include "support/expect.h"

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
       {"abc",    "1x",  "x1",    "1 2",     "+",          "+-1",   "-+1",   "--1",
        "++1",    "+ 1", ".e5",   "+.",      "-.",         "n.a.",  "a/n",   "<>",
        "--",     "..",  "1e",    "1e+",     "0x10",       "1,5",   "1_000", "1.2.3",
        "nan(1)", "-na", "+null", "infinit", "2020-01-01", "12:30", "1\r",   "\"1\""}},
  };
  for (const auto& [kind, texts] : cases) {
    for (const char* text : texts) EXPECT_EQ(parse_number(text).kind, kind) << '[' << text << ']';
  }
  EXPECT_EQ(parse_number("\xC2\xA0"
                         "1")
                .kind,
            NumberKind::kText);
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

namespace {

constexpr NumberFormat kComma{.decimal = ',', .thousands = '\0'};
constexpr NumberFormat kEnglish{.decimal = '.', .thousands = ','};
constexpr NumberFormat kGerman{.decimal = ',', .thousands = '.'};
constexpr NumberFormat kFrench{.decimal = ',', .thousands = ' '};
constexpr NumberFormat kSwiss{.decimal = '.', .thousands = '\''};
constexpr NumberFormat kPython{.decimal = '.', .thousands = '_'};

TEST(NumberFormat, ReadsDecimalSignsAndThousandsInGroupsOfThree) {
  const struct {
    NumberFormat format;
    std::vector<std::pair<const char*, double>> numbers;
  } cases[] = {{kComma,
                {{"1234,5", 1234.5},
                 {"-0,5", -0.5},
                 {"+,5", 0.5},
                 {"5,", 5},
                 {" 1,5e3 ", 1500},
                 {"1,5E-1", 0.15},
                 {"1,234", 1.234},
                 {"7", 7}}},
               {kEnglish,
                {{"1,234,567.5", 1234567.5},
                 {"1,234", 1234},
                 {"-12,345", -12345},
                 {"123,456", 123456},
                 {"1234567.5", 1234567.5},
                 {"0.5", 0.5},
                 {"1,000e3", 1e6}}},
               {kGerman, {{"1.234,5", 1234.5}, {"1.234.567", 1234567}}},
               {kFrench,
                {{"1 234,5", 1234.5},
                 {"1\xC2\xA0"
                  "234\xE2\x80\xAF"
                  "567,5",
                  1234567.5}}},
               {kSwiss, {{"1'234.5", 1234.5}}},
               {kPython, {{"1_000_000", 1e6}}}};
  for (const auto& [format, numbers] : cases) {
    for (const auto& [text, value] : numbers) {
      const Number number = parse_number(text, format);
      EXPECT_EQ(number.kind, NumberKind::kFinite) << text;
      EXPECT_EQ(number.value, value) << text;
    }
  }
}

TEST(NumberFormat, TakesImproperGroupsForText) {
  for (const char* text : {"12,34", "1,2345", "1234,567", "1,234,56", "1,,234", ",123", "1,",
                           "1,234,", "0,123", "00,123", "1.5,000", "1.234,567", "1,234.567,8",
                           "1,234e1,000", "1e1.5", "1 234", "1,23a", "1,-234"}) {
    EXPECT_EQ(parse_number(text, kEnglish).kind, NumberKind::kText) << text;
  }
  for (const char* text : {"1.5", "1,5,5", "1.234.5", "12.34,5", "1,5.5", "1,e5,", ",e5"}) {
    EXPECT_EQ(parse_number(text, kGerman).kind, NumberKind::kText) << text;
  }
  EXPECT_EQ(parse_number("1.5", kComma).kind, NumberKind::kText);
  EXPECT_EQ(parse_number("1.234,5", kComma).kind, NumberKind::kText);
}

TEST(NumberFormat, LeavesWordsAsTheyAre) {
  for (const NumberFormat format : {kComma, kEnglish, kGerman, kFrench, kSwiss, kPython}) {
    for (const char* text : {"", "NA", "nan", "-nan", "-", ".", "?"}) {
      EXPECT_EQ(parse_number(text, format).kind, NumberKind::kMissing) << text;
    }
    EXPECT_EQ(parse_number("-inf", format).kind, NumberKind::kInfinite);
    EXPECT_EQ(parse_number("1e999", format).kind, NumberKind::kOutOfRange);
    EXPECT_EQ(parse_number("x", format).kind, NumberKind::kText);
    EXPECT_EQ(parse_number(",", format).kind, NumberKind::kText);
    EXPECT_EQ(parse_number("2026-03-01", format).kind, NumberKind::kText);
  }
}

TEST(NumberFormat, RefusesFormatsThatAreNone) {
  const auto refusal = [](NumberFormat format) {
    return test::error_of([&] { parse_number("1", format); });
  };
  EXPECT_EQ(refusal({',', ','}),
            "\",\" cannot both separate thousands and begin decimals; give two signs");
  EXPECT_EQ(refusal({'.', '.'}),
            "\".\" cannot both separate thousands and begin decimals; give two signs");
  EXPECT_EQ(refusal({';', '\0'}), "decimals cannot be written with \";\"; give . or ,");
  EXPECT_EQ(refusal({'.', '1'}),
            "thousands cannot be separated by \"1\"; give one of , . ' _ or a space");
  for (const char decimal : {'.', ','}) {
    for (const char thousands : {'\0', ',', '.', '\'', '_', ' '}) {
      if (decimal == thousands) continue;
      EXPECT_NO_THROW(check_format({decimal, thousands}));
    }
  }
}

// As a spreadsheet writes it: digits of the integer part in groups, from the right.
std::string written(double value, NumberFormat format) {
  std::string text = fmt::format("{:.3f}", std::abs(value));
  std::size_t point = text.find('.');
  text[point] = format.decimal;
  while (format.thousands != '\0' && point > 3) {
    point -= 3;
    text.insert(point, 1, format.thousands);
  }
  return (value < 0 ? "-" : "") + text;
}

TEST(NumberFormat, ReadsBackWhatSpreadsheetsWrite) {
  std::mt19937_64 random(6);
  for (const NumberFormat format :
       {NumberFormat{}, kComma, kEnglish, kGerman, kFrench, kSwiss, kPython}) {
    for (int trial = 0; trial < 5000; ++trial) {
      const double magnitude = std::pow(10, static_cast<double>(random() % 12));
      const double value =
          std::round(std::uniform_real_distribution<double>(-magnitude, magnitude)(random) * 1000) /
          1000;
      const std::string text = written(value, format);
      const Number number = parse_number(text, format);
      ASSERT_EQ(number.kind, NumberKind::kFinite) << text;
      ASSERT_EQ(number.value, value) << text;
    }
  }
}

// In the words of the library.
std::string advised(std::string_view field, NumberFormat format) {
  return worded(format_advice(field, format));
}

TEST(NumberAdvice, NamesTheOptionsThatWouldMakeItANumber) {
  const struct {
    const char* text;
    const char* advice;
  } cases[] = {
      {"1,5", "decimal = , if it is 1.5"},
      {"1,234.5", "thousands = , if it is 1234.5"},
      {"1.234,5", "decimal = , and thousands = . if it is 1234.5"},
      {"1.234.567", "decimal = , and thousands = . if it is 1234567"},
      {"1,234", "thousands = , if it is 1234 or decimal = , if it is 1.234"},
      {"0,123", "decimal = , if it is 0.123"},
      {"1,234,567", "thousands = , if it is 1234567"},
      {"1 234,5", "decimal = , and thousands = ' ' if it is 1234.5"},
      {"1'234", "thousands = \"'\" if it is 1234"},
      {"1_000", "thousands = _ if it is 1000"},
      {"12,34,5", ""},
      {"x", ""},
      {"2026-03-01", ""},
  };
  for (const auto& [text, advice] : cases) EXPECT_EQ(advised(text, {}), advice) << text;
}

TEST(NumberAdvice, StartsFromTheFormatThatWasGiven) {
  EXPECT_EQ(advised("1.5", kComma), "decimal = . if it is 1.5");
  EXPECT_EQ(advised("1,5", kEnglish), "decimal = , and no thousands if it is 1.5");
}

}  // namespace

}  // namespace pcgs::io
