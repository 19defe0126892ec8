#include "data/times.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/expect.h"

namespace pcgs::io {
namespace {

using namespace std::chrono;  // NOLINT: years, months and days

constexpr double kHour = 3600;
constexpr double kDay = 24 * kHour;
constexpr double kFirstOfMarch = 1772323200;  // 2026-03-01 00:00 UTC, as date -u +%s has it

// The year first, in the order that ISO 8601 has.
double iso(std::string_view text) {
  const Date date = parse_date(text);
  EXPECT_EQ(date.form, DateForm::kIso) << text;
  return date.at;
}

bool is_none(std::string_view text) { return parse_date(text).form == DateForm::kNone; }

// A date by its shape, but none that exists.
bool is_never(std::string_view text) {
  const Date date = parse_date(text);
  return date.form != DateForm::kNone && std::isnan(date.at) && std::isnan(date.month_first);
}

TEST(Calendar, ReadsIsoDates) {
  EXPECT_EQ(iso("1970-01-01"), 0);
  EXPECT_EQ(iso("1969-12-31"), -kDay);
  EXPECT_EQ(iso("2026-03-01"), kFirstOfMarch);
  for (const char* text : {"2026/03/01", "2026-3-1", "2026/3/1", " 2026-03-01\t", "2026-03"}) {
    EXPECT_EQ(iso(text), kFirstOfMarch) << text;
  }
}

TEST(Calendar, ReadsClocks) {
  const struct {
    const char* text;
    double seconds;
  } cases[] = {{"2026-03-01 00:00", 0},
               {"2026-03-01 05:00", 5 * kHour},
               {"2026-03-01T05:00", 5 * kHour},
               {"2026-03-01t05:00", 5 * kHour},
               {"2026/03/01 5:00", 5 * kHour},
               {"2026-03-01  05:00", 5 * kHour},
               {"2026-03-01 05:07:09", 5 * kHour + 7 * 60 + 9},
               {"2026-03-01T23:59:59", kDay - 1},
               {"2026-03-01 05:00:00.25", 5 * kHour + 0.25},
               {"2026-03-01 05:00:00,25", 5 * kHour + 0.25},
               {"2026-03-01 05:00:00.000000000000000000000", 5 * kHour},
               {"2026-03-01 24:00", kDay},
               {"2026-03-01 24:00:00.0", kDay},
               {"2026-02-28 24:00", 0},
               {"2026-02-28 23:59:60", 0}};
  for (const auto& [text, seconds] : cases) EXPECT_EQ(iso(text), kFirstOfMarch + seconds) << text;
}

TEST(Calendar, TakesOffsetsOff) {
  const double noon = kFirstOfMarch + 12 * kHour;
  for (const char* text :
       {"2026-03-01T12:00Z", "2026-03-01 12:00:00z", "2026-03-01 12:00 UTC",
        "2026-03-01 12:00+00:00", "2026-03-01 13:00+01:00", "2026-03-01T13:00:00.0+0100",
        "2026-03-01 13:00 +01", "2026-03-01 17:45+05:45", "2026-03-01 08:30-0330",
        "2026-03-02 01:00+13:00", "2026-02-28 23:00-13"}) {
    EXPECT_EQ(iso(text), noon) << text;
  }
}

TEST(Calendar, ReadsDottedDatesWithTheDayFirst) {
  for (const char* text : {"01.03.2026", "1.3.2026", "01.03.2026 00:00", "1.3.2026 0:00:00"}) {
    const Date date = parse_date(text);
    EXPECT_EQ(date.form, DateForm::kDotted) << text;
    EXPECT_EQ(date.at, kFirstOfMarch) << text;
  }
  EXPECT_EQ(parse_date("28.02.2026 24:00").at, kFirstOfMarch);
}

TEST(Calendar, GivesBothReadingsOfSlashedDates) {
  const Date both = parse_date("01/03/2026");
  EXPECT_EQ(both.form, DateForm::kSlashed);
  EXPECT_EQ(both.at, iso("2026-03-01"));
  EXPECT_EQ(both.month_first, iso("2026-01-03"));

  const Date day_first = parse_date("13/3/2026 5:30");
  EXPECT_EQ(day_first.at, iso("2026-03-13 05:30"));
  EXPECT_TRUE(std::isnan(day_first.month_first));

  const Date month_first = parse_date("3/13/2026 05:30:01");
  EXPECT_TRUE(std::isnan(month_first.at));
  EXPECT_EQ(month_first.month_first, iso("2026-03-13 05:30:01"));
}

TEST(Calendar, ReadsHalfDaysOfSlashedDates) {
  const struct {
    const char* clock;
    double hours;
  } cases[] = {{"12:00 AM", 0},  {"12:30 AM", 0.5},   {"1:00 AM", 1},  {"11:00am", 11},
               {"12:00 PM", 12}, {"01:00:00 pm", 13}, {"11:00 Pm", 23}};
  for (const auto& [clock, hours] : cases) {
    const Date date = parse_date(fmt::format("03/01/2026 {}", clock));
    EXPECT_EQ(date.month_first, kFirstOfMarch + hours * kHour) << clock;
  }
  for (const char* text : {"1/1/2026 0:00 AM", "1/1/2026 13:00 PM", "1/1/2026 24:00 PM"}) {
    EXPECT_TRUE(is_never(text)) << text;
  }
}

TEST(Calendar, KnowsWhichDaysAndClocksExist) {
  for (const char* text : {"2026-02-29",       "2026-02-30",
                           "1900-02-29",       "2026-04-31",
                           "2026-13-01",       "2026-00-01",
                           "2026-01-00",       "2026-01-32",
                           "2026-13",          "2026-00",
                           "29.02.2026",       "31/02/2026",
                           "13/13/2026",       "2026-01-01 25:00",
                           "2026-01-01 24:01", "2026-01-01 24:00:00.1",
                           "2026-01-01 12:60", "2026-01-01 12:00:61",
                           "01.01.2026 25:00", "1/1/2026 12:60"}) {
    EXPECT_TRUE(is_never(text)) << text;
    EXPECT_FALSE(is_date(text)) << text;
  }
  EXPECT_EQ(iso("2024-02-29") + kDay, iso("2024-03-01"));
  EXPECT_EQ(iso("2000-02-29") + kDay, iso("2000-03-01"));
}

TEST(Calendar, TakesNothingElseForADate) {
  constexpr std::string_view kTexts =
      "2026|20260301|2026-|2026-3|2026/03|2026-03-|2026-03-01-|2026-03/01|2026-03-001|"
      "26-03-01|02026-03-01|-2026-03-01|2026-03-01x|2026-03-01T|2026-03-01 05|"
      "2026-03-01 05:0|2026-03-01 05:000|2026-03-01 05:00:|2026-03-01 05:00:0|"
      "2026-03-01 05:00:00.|2026-03-01 05:00.5|2026-03-01 05:00 AM|2026-03-01 05:00+1|"
      "2026-03-01 05:00+01:|2026-03-01 05:00+010|2026-03-01 05:00+01:0|"
      "2026-03-01 05:00+24:00|2026-03-01 05:00+01:60|2026-03-01 05:00ZZ|"
      "2026-03-01 05:00 CET|2026-03-01Z|2026-03-01+01:00|2026-W09-7|2026-Q1|01.03.26|"
      "01.03.|1.5|001.03.2026|01.03.20260|01.03.2026T05:00|01.03.2026 05:00Z|"
      "01.03.2026 05:00 PM|01/03/26|01/03|01/03.2026|01/03/2026T05:00|01/03/2026 05:00Z|"
      "01/03/2026 PM|01-03-2026|March 1, 2026|05:00|NaT|x";
  for (std::string_view rest = kTexts; !rest.empty();) {
    const std::string_view text = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    EXPECT_TRUE(is_none(text)) << '[' << text << ']';
    EXPECT_FALSE(is_date(text)) << '[' << text << ']';
  }
  EXPECT_TRUE(is_none(""));
}

TEST(Calendar, ReadsCompactDates) {
  EXPECT_EQ(parse_compact_date("20260301"), kFirstOfMarch);
  EXPECT_EQ(parse_compact_date(" 19700101 "), 0);
  for (const char* text : {"20260229", "20261301", "2026030", "202603010", "2026-301", "99999999",
                           "", "2026", "202603", "20260301.0", "+2026030"}) {
    EXPECT_FALSE(parse_compact_date(text)) << text;
  }
}

TEST(Calendar, AgreesWithTheStandardLibraryOnDaysOfTenThousandYears) {
  // Every day is slow; 29 has nothing in common with weeks, months and leap years.
  for (sys_days at = year(0) / 1 / 1; at < sys_days(year(10000) / 1 / 1);
       at += std::chrono::days(29)) {
    const year_month_day date(at);
    const int y = static_cast<int>(date.year());
    const unsigned m = static_cast<unsigned>(date.month());
    const unsigned d = static_cast<unsigned>(date.day());
    const double expected = kDay * static_cast<double>(at.time_since_epoch().count());
    const std::string text = fmt::format("{:04}-{:02}-{:02}", y, m, d);
    ASSERT_EQ(parse_date(text).at, expected) << text;
    ASSERT_EQ(parse_date(fmt::format("{:02}.{:02}.{:04}", d, m, y)).at, expected) << text;
    ASSERT_EQ(parse_date(fmt::format("{}/{}/{:04}", d, m, y)).at, expected) << text;
    ASSERT_EQ(parse_date(fmt::format("{}/{}/{:04}", m, d, y)).month_first, expected) << text;
    ASSERT_EQ(parse_compact_date(fmt::format("{:04}{:02}{:02}", y, m, d)), expected) << text;
    ASSERT_EQ(date_text(expected), text + " 00:00");
  }
}

TEST(Calendar, AcceptsExactlyTheDaysThatExist) {
  std::size_t exist = 0;
  for (const int y : {1900, 1999, 2000, 2023, 2024, 2100}) {
    for (unsigned m = 0; m <= 13; ++m) {
      for (unsigned d = 0; d <= 32; ++d) {
        const std::string text = fmt::format("{:04}-{:02}-{:02}", y, m, d);
        const bool exists = (year(y) / month(m) / day(d)).ok();
        ASSERT_EQ(!std::isnan(iso(text)), exists) << text;
        exist += exists ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(exist, 6u * 365 + 2);
}

TEST(Calendar, WritesTheShortestClock) {
  EXPECT_EQ(date_text(0), "1970-01-01 00:00");
  EXPECT_EQ(date_text(-1), "1969-12-31 23:59:59");
  EXPECT_EQ(date_text(-0.5), "1969-12-31 23:59:59.5");
  EXPECT_EQ(date_text(kFirstOfMarch + 5 * kHour), "2026-03-01 05:00");
  EXPECT_EQ(date_text(kFirstOfMarch + 61), "2026-03-01 00:01:01");
  EXPECT_EQ(date_text(kFirstOfMarch + 60.25), "2026-03-01 00:01:00.25");
  EXPECT_EQ(date_text(kFirstOfMarch + 0.1), "2026-03-01 00:00:00.1");
  EXPECT_EQ(date_text(iso("2026-03-01 05:00:00.000123")), "2026-03-01 05:00:00.000123");
}

TEST(Calendar, WritesWhatItReadsBack) {
  std::mt19937_64 random(3);
  const double first = iso("0000-01-01");
  const double last = iso("9999-12-31 23:59:59");
  for (const double step : {kDay, kHour, 60.0, 1.0, 1e-3, 1e-6, 0.0}) {
    std::uniform_real_distribution<double> uniform(first, last);
    for (int trial = 0; trial < 20000; ++trial) {
      double at = uniform(random);
      if (std::abs(at) < 366 * kDay) continue;  // 1970 is finer than nine digits
      if (step > 0) at = std::floor(at / step) * step;
      ASSERT_EQ(parse_date(date_text(at)).at, at) << date_text(at);
    }
  }
}

TEST(Calendar, KeepsTheDigitsOfMicroseconds) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 20000; ++trial) {
    const std::string text =
        fmt::format("{}-{:02}-{:02} {:02}:{:02}:{:02}.{:05}{}", 1980 + random() % 60,
                    1 + random() % 12, 1 + random() % 28, random() % 24, random() % 60,
                    random() % 60, random() % 100000, 1 + random() % 9);
    ASSERT_EQ(date_text(iso(text)), text);
  }
}

TEST(Calendar, WritesOtherTimesAsNumbers) {
  for (const double at : {1e300, -1e300, std::numeric_limits<double>::infinity(), 1e12, -1e12}) {
    EXPECT_EQ(date_text(at), fmt::format("{}", at));
  }
  EXPECT_EQ(date_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

}  // namespace

namespace {

using Times = std::vector<double>;

TextColumn column_of(const std::vector<std::string>& texts, std::string name = "ds") {
  TextColumn column;
  column.name = std::move(name);
  for (const std::string& text : texts) column.add(text);
  return column;
}

TimeColumn times(const std::vector<std::string>& texts) {
  return read_times(column_of(texts), "f.csv");
}

// The same times, written so that there is nothing to decide.
Times calendar(const std::vector<std::string>& iso) {
  Times at;
  for (const std::string& text : iso) at.push_back(parse_date(text).at);
  return at;
}

std::string refusal(const std::vector<std::string>& texts) {
  return test::error_of([&] { times(texts); });
}

TEST(TimeColumn, KeepsTheTextsAndTheirName) {
  const TimeColumn column = times({"2026-03-01", "2026-03-02"});
  EXPECT_EQ(column.text.name, "ds");
  ASSERT_EQ(column.text.size(), 2u);
  EXPECT_EQ(column.text[1], "2026-03-02");
  EXPECT_TRUE(column.calendar);
  EXPECT_EQ(column.at, (Times{1772323200, 1772323200 + 86400}));
}

TEST(TimeColumn, ReadsPlainNumbersAsTheyAre) {
  const TimeColumn column = times({"2019", "2020", "-1.5", "1e3"});
  EXPECT_FALSE(column.calendar);
  EXPECT_EQ(column.at, (Times{2019, 2020, -1.5, 1000}));
}

TEST(TimeColumn, ReadsEightDigitsAsDatesIfAllOfThemAre) {
  const TimeColumn dates = times({"20260301", "20260302"});
  EXPECT_TRUE(dates.calendar);
  EXPECT_EQ(dates.at, calendar({"2026-03-01", "2026-03-02"}));
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{"20260301", "20260399"}, {"20260301", "7"}, {"7", "20260301"}}) {
    const TimeColumn numbers = times(texts);
    EXPECT_FALSE(numbers.calendar);
    EXPECT_EQ(numbers.at, (Times{std::stod(texts[0]), std::stod(texts[1])}));
  }
}

TEST(TimeColumn, ReadsOneFormAndTellsDayFromMonth) {
  const struct {
    std::vector<std::string> texts, dates;
  } cases[] = {
      {{"2026-03", "2026/03/02", "2026-03-03 05:00", "2026-03-04T05:00Z", "2026-03-05 06:00+01:00"},
       {"2026-03-01", "2026-03-02", "2026-03-03 05:00", "2026-03-04 05:00", "2026-03-05 05:00"}},
      {{"01.03.2026", "2.3.2026 05:00", "31.12.2026 23:59:59"},
       {"2026-03-01", "2026-03-02 05:00", "2026-12-31 23:59:59"}},
      // By the dates that exist, even if times run backwards then;
      {{"13/01/2026", "01/02/2026"}, {"2026-01-13", "2026-02-01"}},
      {{"01/02/2026", "13/01/2026"}, {"2026-02-01", "2026-01-13"}},
      {{"01/02/2026", "01/13/2026"}, {"2026-01-02", "2026-01-13"}},
      {{"1/30/2026 11:00 PM", "2/1/2026 1:00 AM"}, {"2026-01-30 23:00", "2026-02-01 01:00"}},
      {{"29/02/2024"}, {"2024-02-29"}},
      // by the order, in which the same time may stand twice;
      {{"01/02/2026", "02/02/2026", "01/03/2026"}, {"2026-02-01", "2026-02-02", "2026-03-01"}},
      {{"02/01/2026", "02/02/2026", "03/01/2026"}, {"2026-02-01", "2026-02-02", "2026-03-01"}},
      {{"01/02/2026", "01/02/2026", "02/02/2026", "01/03/2026"},
       {"2026-02-01", "2026-02-01", "2026-02-02", "2026-03-01"}},
      // and where both are the same.
      {{"01/01/2026", "02/02/2026"}, {"2026-01-01", "2026-02-02"}}};
  for (const auto& [texts, dates] : cases) {
    const TimeColumn column = times(texts);
    EXPECT_TRUE(column.calendar);
    EXPECT_EQ(column.at, calendar(dates)) << texts[0];
  }
}

TEST(TimeColumn, SaysWhichRowDoesNotFitAndWhy) {
  const std::string tell =
      ", and the column does not say whether the day or the month comes first; write dates as "
      "2026-03-01";
  const std::string accepted =
      " is not a time; give dates as 2026-03-01 or 2026-03-01 05:00, or numbers";
  const std::string missing = "the time is missing; give one in every row";
  const std::string never = " is no time of the calendar; give one that exists";
  const struct {
    std::vector<std::string> texts;
    std::size_t row;
    std::string why;
  } cases[] = {
      {{"01/01/2026", "01/02/2026"}, 2, "\"01/02/2026\" may be 2026-02-01 or 2026-01-02" + tell},
      {{"03/04/2026", "02/03/2026", "03/04/2026"},
       1,
       "\"03/04/2026\" may be 2026-04-03 or 2026-03-04" + tell},
      {{"01/01/2026", "01/13/2026", "13/01/2026"},
       3,
       "\"13/01/2026\" has the day first, but \"01/13/2026\" in row 2 the month; write dates as "
       "2026-03-01"},
      {{"13/01/2026", "01/13/2026"},
       2,
       "\"01/13/2026\" has the month first, but \"13/01/2026\" in row 1 the day; write dates as "
       "2026-03-01"},
      {{"2026-03-01", ""}, 2, missing},
      {{"2026-03-01", "NaT"}, 2, missing},
      {{"NA", "2026-03-01"}, 1, missing},
      {{"monday"}, 1, "\"monday\"" + accepted},
      {{"2026-03-01", "01-03-2026"}, 2, "\"01-03-2026\"" + accepted},
      {{"1", "2", "inf"}, 3, "\"inf\"" + accepted},
      {{"1/1/26"}, 1, "\"1/1/26\"" + accepted},
      {{"2026-02-28", "2026-02-29"}, 2, "\"2026-02-29\"" + never},
      {{"30.02.2026"}, 1, "\"30.02.2026\"" + never},
      {{"31/02/2026"}, 1, "\"31/02/2026\"" + never},
      {{"2026-01-01 25:00"}, 1, "\"2026-01-01 25:00\"" + never},
      {{"2026-03-01", "02.03.2026"},
       2,
       "\"02.03.2026\" is not written like \"2026-03-01\" in row 1; write all times in one form, "
       "as 2026-03-01 or 2026-03-01 05:00"}};
  for (const auto& [texts, row, why] : cases) {
    EXPECT_EQ(refusal(texts), fmt::format("f.csv: row {}, column ds: {}", row, why));
  }
}

TEST(TimeColumn, RefusesTwoFormsInOneColumn) {
  const std::vector<std::string> forms{"2026-03-01", "02.03.2026", "13/03/2026", "7", "20260301"};
  for (const std::string& first : forms) {
    for (const std::string& second : forms) {
      const bool both_numbers = first.find_first_of("-./") == std::string::npos &&
                                second.find_first_of("-./") == std::string::npos;
      if (first == second || both_numbers) {
        EXPECT_NO_THROW(times({first, second})) << first << ' ' << second;
      } else {
        EXPECT_TRUE(test::mentions(refusal({first, second}), "row 2, column ds"));
      }
    }
  }
}

TEST(TimeColumn, NamesAColumnWithoutAName) {
  EXPECT_EQ(test::error_of([] {
              read_times(column_of({"x"}, ""), "f.csv");
            }).find("f.csv: row 1, column 1: \"x\" is not a time"),
            0u);
}

TEST(TimeColumn, MayBeEmpty) { EXPECT_TRUE(times({}).at.empty()); }

TEST(TimeColumn, FindsTheOrderOfDayAndMonthInEveryLongEnoughCalendar) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const double begin = 86400.0 * static_cast<double>(random() % 20000);
    const bool month_first = random() % 2 == 0;
    Times expected;
    std::vector<std::string> texts;
    for (int i = 0; i < 40; ++i) {  // some day of these is after the twelfth
      expected.push_back(begin + 86400.0 * i);
      const std::string iso = date_text(expected.back());
      const std::string year = iso.substr(0, 4), month = iso.substr(5, 2), day = iso.substr(8, 2);
      texts.push_back(month_first ? fmt::format("{}/{}/{}", month, day, year)
                                  : fmt::format("{}/{}/{}", day, month, year));
    }
    ASSERT_EQ(times(texts).at, expected) << texts[0];
  }
}

}  // namespace

}  // namespace pcgs::io
