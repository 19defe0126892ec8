#include "data/time_column.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/expect.h"

namespace pcgs::io {
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

TEST(TimeColumn, ReadsIsoFormsSideBySide) {
  const std::vector<std::string> texts{"2026-03", "2026/03/02", "2026-03-03 05:00",
                                       "2026-03-04T05:00Z", "2026-03-05 06:00+01:00"};
  EXPECT_EQ(times(texts).at, calendar({"2026-03-01", "2026-03-02", "2026-03-03 05:00",
                                       "2026-03-04 05:00", "2026-03-05 05:00"}));
}

TEST(TimeColumn, ReadsDottedDates) {
  const TimeColumn column = times({"01.03.2026", "2.3.2026 05:00", "31.12.2026 23:59:59"});
  EXPECT_TRUE(column.calendar);
  EXPECT_EQ(column.at, calendar({"2026-03-01", "2026-03-02 05:00", "2026-12-31 23:59:59"}));
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

TEST(TimeColumn, TellsDayFromMonthByTheDatesThatExist) {
  EXPECT_EQ(times({"13/01/2026", "01/02/2026"}).at, calendar({"2026-01-13", "2026-02-01"}));
  EXPECT_EQ(times({"01/02/2026", "13/01/2026"}).at, calendar({"2026-02-01", "2026-01-13"}))
      << "even if times run backwards then";
  EXPECT_EQ(times({"01/02/2026", "01/13/2026"}).at, calendar({"2026-01-02", "2026-01-13"}));
  EXPECT_EQ(times({"1/30/2026 11:00 PM", "2/1/2026 1:00 AM"}).at,
            calendar({"2026-01-30 23:00", "2026-02-01 01:00"}));
  EXPECT_EQ(times({"29/02/2024"}).at, calendar({"2024-02-29"}));
}

TEST(TimeColumn, TellsDayFromMonthByTheOrder) {
  EXPECT_EQ(times({"01/02/2026", "02/02/2026", "01/03/2026"}).at,
            calendar({"2026-02-01", "2026-02-02", "2026-03-01"}));
  EXPECT_EQ(times({"02/01/2026", "02/02/2026", "03/01/2026"}).at,
            calendar({"2026-02-01", "2026-02-02", "2026-03-01"}));
  EXPECT_EQ(times({"01/02/2026", "01/02/2026", "02/02/2026", "01/03/2026"}).at.size(), 4u)
      << "the same time twice does not run backwards";
}

TEST(TimeColumn, ReadsSlashedDatesThatMeanTheSameEitherWay) {
  EXPECT_EQ(times({"01/01/2026", "02/02/2026"}).at, calendar({"2026-01-01", "2026-02-02"}));
}

TEST(TimeColumn, RefusesSlashedDatesThatDoNotTell) {
  EXPECT_EQ(
      refusal({"01/01/2026", "01/02/2026"}),
      "f.csv: row 2, column ds: \"01/02/2026\" may be 2026-02-01 or 2026-01-02, and the column "
      "does not say whether the day or the month comes first; write dates as 2026-03-01");
  EXPECT_TRUE(test::mentions(refusal({"03/04/2026", "02/03/2026", "03/04/2026"}),
                             "row 1, column ds: \"03/04/2026\" may be 2026-04-03 or 2026-03-04"))
      << "runs backwards either way";
  EXPECT_EQ(
      refusal({"01/01/2026", "01/13/2026", "13/01/2026"}),
      "f.csv: row 3, column ds: \"13/01/2026\" has the day first, but \"01/13/2026\" in row 2 "
      "the month; write dates as 2026-03-01");
  EXPECT_EQ(
      refusal({"13/01/2026", "01/13/2026"}),
      "f.csv: row 2, column ds: \"01/13/2026\" has the month first, but \"13/01/2026\" in row 1 "
      "the day; write dates as 2026-03-01");
}

TEST(TimeColumn, RefusesMissingTimes) {
  for (const char* missing : {"", "NaT", "NA", "-"}) {
    EXPECT_EQ(refusal({"2026-03-01", missing}),
              "f.csv: row 2, column ds: the time is missing; give one in every row");
    EXPECT_EQ(refusal({missing, "2026-03-01"}),
              "f.csv: row 1, column ds: the time is missing; give one in every row");
  }
}

TEST(TimeColumn, RefusesWhatIsNoTime) {
  const std::string accepted =
      " is not a time; give dates as 2026-03-01 or 2026-03-01 05:00, or numbers";
  EXPECT_EQ(refusal({"monday"}), "f.csv: row 1, column ds: \"monday\"" + accepted);
  EXPECT_EQ(refusal({"2026-03-01", "01-03-2026"}),
            "f.csv: row 2, column ds: \"01-03-2026\"" + accepted);
  EXPECT_EQ(refusal({"1", "2", "inf"}), "f.csv: row 3, column ds: \"inf\"" + accepted);
  EXPECT_EQ(refusal({"1/1/26"}), "f.csv: row 1, column ds: \"1/1/26\"" + accepted);
}

TEST(TimeColumn, RefusesDaysThatDoNotExist) {
  EXPECT_EQ(refusal({"2026-02-28", "2026-02-29"}),
            "f.csv: row 2, column ds: \"2026-02-29\" is no time of the calendar; give one that "
            "exists");
  for (const char* text : {"30.02.2026", "31/02/2026", "2026-01-01 25:00", "2026-13"}) {
    EXPECT_TRUE(test::mentions(refusal({text}), "is no time of the calendar")) << text;
  }
}

TEST(TimeColumn, RefusesTwoFormsInOneColumn) {
  EXPECT_EQ(refusal({"2026-03-01", "02.03.2026"}),
            "f.csv: row 2, column ds: \"02.03.2026\" is not written like \"2026-03-01\" in row 1; "
            "write all times in one form, as 2026-03-01 or 2026-03-01 05:00");
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
            }).find("f.csv: row 1, the column without a name: \"x\" is not a time"),
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
