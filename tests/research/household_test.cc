#include <gtest/gtest.h>

#include "research/electricity.h"
#include "support/expect.h"

namespace pcgs::studies {
namespace {

using test::error_of;
using test::mentions;

const std::string kHeader =
    "Date;Time;Global_active_power;Global_reactive_power;Voltage;Global_intensity;Sub_metering_1;"
    "Sub_metering_2;Sub_metering_3\n";

std::string row(const std::string& date, const std::string& time, const std::string& power) {
  return date + ";" + time + ";" + power + ";0.418;234.840;18.400;0.000;1.000;17.000\n";
}

Observations read(const std::string& text, std::size_t minutes = 10,
                  const std::string& column = "Global_active_power") {
  return parse_household(text, {.path = "power.txt", .column = column, .minutes = minutes});
}

TEST(Household, MeansAreOverStretchesOfTheClock) {
  const std::string text = kHeader + row("16/12/2006", "17:24:00", "4") +
                           row("16/12/2006", "17:29:00", "2") + row("16/12/2006", "17:30:00", "7") +
                           row("16/12/2006", "23:59:00", "1") + row("17/12/2006", "00:00:00", "5");
  EXPECT_EQ(read(text).values, (std::vector<double>{3, 7, 1, 5}));
  EXPECT_EQ(read(text, 1).values, (std::vector<double>{4, 2, 7, 1, 5}));
  EXPECT_EQ(read(text, 1440).values, (std::vector<double>{3.5, 5}));
  EXPECT_EQ(read(text, 60, "Voltage").values, (std::vector<double>{234.84, 234.84, 234.84}));
}

TEST(Household, MissingRowsAndEmptyStretchesAreDropped) {
  const std::string text = kHeader + row("28/4/2007", "00:20:00", "1") +
                           "28/4/2007;00:21:00;?;?;?;?;?;?;\n" + row("28/4/2007", "00:22:00", "3") +
                           "28/4/2007;00:31:00;?;?;?;?;?;?;\n" + row("1/5/2007", "00:00:00", "8");
  const auto series = read(text);
  EXPECT_EQ(series.values, (std::vector<double>{2, 8}));
  EXPECT_EQ(series.rows, 5u);
  EXPECT_EQ(series.missing, 2u);
}

TEST(Household, LineEndsAndBlankEndsDoNotMatter) {
  const std::string text =
      kHeader + row("1/1/2008", "00:00:00", "1") + row("1/1/2008", "00:10:00", "2");
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(read(crlf).values, (std::vector<double>{1, 2}));
  EXPECT_EQ(read(text + "\n\r\n").values, (std::vector<double>{1, 2}));
  EXPECT_EQ(read(text.substr(0, text.size() - 1)).values, (std::vector<double>{1, 2}));
}

TEST(Household, ALastLineWithAllItsFieldsIsTakenAsItIs) {
  const std::string text = kHeader + row("1/1/2008", "00:00:00", "1");
  EXPECT_EQ(read(text.substr(0, text.size() - 4), 10, "Sub_metering_3").values,
            (std::vector<double>{17}));
  const std::string next = row("1/1/2008", "00:10:00", "2");
  EXPECT_EQ(read(text + next.substr(0, next.size() - 7)).values, (std::vector<double>{1, 2}));
}

TEST(Household, TellsItsOwnFilesFromOthers) {
  EXPECT_TRUE(is_household(kHeader));
  EXPECT_FALSE(is_household("timestamp,global_active_power\n"));
  EXPECT_FALSE(is_household(""));
}

TEST(Household, RefusesAnythingElseAndNamesThePlace) {
  const std::string good = kHeader + row("1/1/2008", "00:00:00", "1");
  const std::string cut = row("1/1/2008", "00:01:00", "1").substr(0, 25);
  const std::vector<std::pair<std::string, std::vector<std::string>>> bad = {
      {"", {"Date;Time;"}},
      {"a,b\n1,2\n", {"Date;Time;"}},
      {kHeader, {}},
      {kHeader + "1/1/2008;00:00:00;?;?;?;?;?;?;\n", {"no value"}},
      {good + cut, {"row 2 (line 3)", "4 fields", "9", "cut off"}},
      {good + cut + "\n", {"row 2 (line 3)", "one field per column"}},
      {good + "\n" + row("1/1/2008", "00:01:00", "1"), {"row 2", "1 field,"}},
      {good + row("1/1/2008", "00:01:00", "x"), {"row 2", "Global_active_power", "\"x\""}},
      {good + row("1/1/2008", "00:01:00", "inf"), {"row 2", "Global_active_power"}},
      {good + row("1/1/2008", "00:00:00", "1"), {"row 2", "later"}},
      {good + row("31/12/2007", "00:00:00", "1"), {"row 2", "later"}},
      {good + row("31/2/2008", "00:00:00", "1"), {"row 2", "Date", "d/m/yyyy"}},
      {good + row("2008-01-01", "00:00:00", "1"), {"row 2", "Date"}},
      {good + row("1/-1/2008", "00:00:00", "1"), {"row 2", "Date"}},
      {good + row("1/1/2008", "25:00:00", "1"), {"row 2", "Time", "hh:mm:ss"}},
      {good + row("1/1/2008", "", "1"), {"row 2", "Time"}},
  };
  for (const auto& [text, parts] : bad) {
    const auto message = error_of([&, &bytes = text] { read(bytes); });
    EXPECT_EQ(message.find("power.txt: "), 0u) << message;
    for (const auto& part : parts) EXPECT_TRUE(mentions(message, part));
  }
  EXPECT_TRUE(mentions(error_of([&] { read(good, 10, "Power"); }), "Sub_metering_3"));
  EXPECT_TRUE(mentions(error_of([&] { read(good, 10, "Date"); }), "Date"));
  EXPECT_TRUE(mentions(error_of([&] { read(good, 7); }), "7 minutes"));
}

}  // namespace
}  // namespace pcgs::studies
