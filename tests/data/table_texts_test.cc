// The columns of a table that are no numbers: texts, times that are found, pandas' index.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "data/npy.h"
#include "data/number_table.h"
#include "support/expect.h"

namespace pcgs::io {
namespace {

using Texts = std::vector<std::string>;
using Values = std::vector<double>;

struct Read {
  NumberTable table;
  Texts notes;
};

Read read(std::string_view text, TableRequest request = {}) {
  Read out;
  request.note = [&](const std::string& note) { out.notes.push_back(note); };
  out.table = parse_table(text, "f.csv", request);
  return out;
}

std::string refusal(std::string_view text, const TableRequest& request = {}) {
  Texts notes;
  TableRequest noted = request;
  noted.note = [&](const std::string& note) { notes.push_back(note); };
  const std::string message = test::error_of([&] { parse_table(text, "f.csv", noted); });
  EXPECT_TRUE(notes.empty()) << "what is refused was not taken for granted";
  return message;
}

Texts texts_of(const TextColumn& column) {
  Texts texts;
  for (std::size_t row = 0; row < column.size(); ++row) texts.emplace_back(column[row]);
  return texts;
}

TEST(TableTexts, AreKeptTrimmedInTheOrderAsked) {
  const auto [table, notes] = read("when,a,who,b\n2026-01-01, 1 , x y ,2\n,3,\"q,\"\"r\"\"\",4\n",
                                   {.text = {"who", "when"}});
  EXPECT_EQ(table.names, (Texts{"a", "b"}));
  EXPECT_EQ(table.values.values, (Values{1, 2, 3, 4}));
  ASSERT_EQ(table.texts.size(), 2u);
  EXPECT_EQ(table.texts[0].name, "who");
  EXPECT_EQ(texts_of(table.texts[0]), (Texts{"x y", "q,\"r\""}));
  EXPECT_EQ(table.texts[1].name, "when");
  EXPECT_EQ(texts_of(table.texts[1]), (Texts{"2026-01-01", ""}));
  EXPECT_FALSE(table.times);
  EXPECT_TRUE(notes.empty());
}

TEST(TableTexts, MayHoldNumbersAndStandBesideChosenColumns) {
  const NumberTable table = read("t,a,b\n7,1,2\n", {.keep = {"b"}, .text = {"t"}}).table;
  EXPECT_EQ(table.names, (Texts{"b"}));
  EXPECT_EQ(texts_of(table.texts[0]), (Texts{"7"}));
}

TEST(TableTexts, MustExistAndBeNothingElse) {
  const std::string_view text = "a,b\n1,2\n";
  EXPECT_EQ(refusal(text, {.text = {"z"}}), "f.csv: there is no column z; the columns are a, b");
  EXPECT_EQ(refusal(text, {.ignore = {"a"}, .text = {"a"}}),
            "f.csv: column a is both asked for and ignored; do one of the two");
  EXPECT_EQ(refusal(text, {.keep = {"a"}, .text = {"a"}}),
            "f.csv: column a is asked for both as numbers and as text; do one of the two");
  EXPECT_EQ(refusal(text, {.require = {"a"}, .text = {"a"}}),
            "f.csv: column a is asked for both as numbers and as text; do one of the two");
  EXPECT_EQ(refusal(text, {.text = {"a", "a"}}),
            "f.csv: column a is asked for twice as text; name it once");
  EXPECT_EQ(refusal(text, {.text = {"a", "b"}}),
            "f.csv: all of its columns are ignored or read as text (a, b); leave at least one");
}

TEST(TableTexts, AreNotInAnNpyFile) {
  const auto bytes = npy_bytes(Matrix(1, 2));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(
      test::error_of([&] { parse_table(text, "f.npy", {.text = {"e1"}}); }),
      "f.npy: is NPY and holds numbers only, so column e1 cannot be read as text; give CSV for "
      "that");
  EXPECT_FALSE(parse_table(text, "f.npy", {.find_times = true}).times);
}

TEST(TableTimes, AreFoundWhereNobodyNamesThem) {
  const auto [table, notes] = read("a,ds,b\n1,2026-01-01 00:00,2\n3,2026-01-01 01:00,4\n",
                                   {.require = {"a"}, .find_times = true});
  EXPECT_EQ(table.names, (Texts{"a", "b"}));
  EXPECT_EQ(table.values.values, (Values{1, 2, 3, 4}));
  ASSERT_TRUE(table.times);
  EXPECT_EQ(table.times->name, "ds");
  EXPECT_EQ(texts_of(*table.times), (Texts{"2026-01-01 00:00", "2026-01-01 01:00"}));
  EXPECT_EQ(notes, (Texts{"f.csv: column ds holds times (2026-01-01 00:00, ...); give --time ds to "
                          "say so, or --ignore ds"}));
}

TEST(TableTimes, AreFoundInEveryFormButPlainNumbers) {
  for (const char* date : {"2026-01-01", "2026-01", "2026/1/1", "2026-01-01T00:00:00Z",
                           "01.01.2026", "1/31/2026", "31/1/2026 5:00 PM"}) {
    const Read found = read(fmt::format("my time,a\n{},1\n", date), {.find_times = true});
    ASSERT_TRUE(found.table.times) << date;
    EXPECT_EQ(found.notes, (Texts{fmt::format("f.csv: column my time holds times ({}); give --time "
                                              "'my time' to say so, or --ignore 'my time'",
                                              date)}));
  }
  for (const char* number : {"20260101", "2026", "7"}) {
    const Read not_found = read(fmt::format("t,a\n{},1\n", number), {.find_times = true});
    EXPECT_FALSE(not_found.table.times) << number;
    EXPECT_EQ(not_found.table.names, (Texts{"t", "a"}));
    EXPECT_TRUE(not_found.notes.empty());
  }
}

TEST(TableTimes, AreNotLookedForUnlessAsked) {
  EXPECT_EQ(refusal("ds,a\n2026-01-01,1\n"),
            "f.csv: row 1 (line 2), column ds: \"2026-01-01\" is not a number; give numbers, or "
            "leave the column out with ignore = ds");
}

TEST(TableTimes, AreNotLookedForAmongColumnsThatAreNamed) {
  const std::string_view text = "ds,a\n2026-01-01,1\n";
  EXPECT_FALSE(read(text, {.ignore = {"ds"}, .find_times = true}).table.times);
  EXPECT_FALSE(read(text, {.text = {"ds"}, .find_times = true}).table.times);
  for (const TableRequest& request : {TableRequest{.keep = {"ds"}, .find_times = true},
                                      {.require = {"ds"}, .find_times = true}}) {
    EXPECT_TRUE(
        test::mentions(refusal(text, request), "column ds: \"2026-01-01\" is not a number"));
  }
}

TEST(TableTimes, AreRefusedInSeveralColumns) {
  EXPECT_EQ(refusal("ds,a,made\n2026-01-01,1,2025-12-31\n", {.find_times = true}),
            "f.csv: several columns hold times (ds and made); name one with time and leave the "
            "others out with ignore");
  EXPECT_TRUE(test::mentions(refusal(",a,x,y\n2026-01,1,2026-01,2026-01\n", {.find_times = true}),
                             "(the first, unnamed, x and y)"));
  EXPECT_EQ(read("ds,a,made\n2026-01-01,1,2025-12-31\n", {.ignore = {"ds"}, .find_times = true})
                .table.times->name,
            "made");
}

TEST(TableTimes, AreTheFirstOfSeveralBesideChosenColumns) {
  const Read found =
      read("a,x,ds,made\n1,x,2026-01-01,2025-12-31\n", {.keep = {"a"}, .find_times = true});
  EXPECT_EQ(found.table.times->name, "ds");
  EXPECT_EQ(found.notes.size(), 1u);
  EXPECT_FALSE(read("a,x\n1,x\n", {.keep = {"a"}, .find_times = true}).table.times);
}

TEST(TableTimes, LeaveAColumnOfNumbers) {
  EXPECT_EQ(refusal("ds\n2026-01-01\n", {.find_times = true}),
            "f.csv: no column of numbers is left; give at least one");
}

TEST(PandasIndex, IsLeftOutIfItCountsTheRows) {
  for (const int first : {0, 1, 7, -1}) {
    const auto [table, notes] =
        read(fmt::format(",a\n{},10\n{},20\n{},30\n", first, first + 1, first + 2));
    EXPECT_EQ(table.names, (Texts{"a"}));
    EXPECT_EQ(table.values.values, (Values{10, 20, 30}));
    EXPECT_EQ(notes, (Texts{"f.csv: its first column has no name and counts the rows; it was left "
                            "out (pandas: to_csv(index=False))"}));
  }
}

TEST(PandasIndex, IsLeftOutUnderTheNameThatPandasGivesItWhenItReads) {
  const auto [table, notes] = read("Unnamed: 0,a\n0,10\n1,20\n");
  EXPECT_EQ(table.names, (Texts{"a"}));
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_EQ(read("Unnamed: 0,a\n0,10\n", {.keep = {"Unnamed: 0"}}).table.values.values,
            (Values{0}));
  EXPECT_EQ(read("Unnamed: 0,a\n0,1\n", {.require = {"Unnamed: 0"}}).table.names.size(), 2u);
}

TEST(PandasIndex, IsTheTimesIfItBeginsWithADate) {
  const auto [table, notes] = read(",a\n2026-01-01,1\n2026-01-02,2\n", {.find_times = true});
  EXPECT_EQ(table.names, (Texts{"a"}));
  ASSERT_TRUE(table.times);
  EXPECT_EQ(table.times->name, "");
  EXPECT_EQ(texts_of(*table.times), (Texts{"2026-01-01", "2026-01-02"}));
  EXPECT_EQ(notes, (Texts{"f.csv: its first column has no name and holds times (2026-01-01, ...); "
                          "give it one to say so with --time"}));
}

TEST(PandasIndex, IsRefusedIfItIsNeither) {
  const std::string why =
      " stands in a column without a name that does not count the rows; give it a name, or leave "
      "it "
      "out (pandas: to_csv(index=False))";
  EXPECT_EQ(refusal(",a\nx,1\n"), "f.csv: row 1 (line 2), column 1: \"x\"" + why);
  EXPECT_EQ(refusal(",a\n0,1\n2,1\n"), "f.csv: row 2 (line 3), column 1: \"2\"" + why);
  EXPECT_EQ(refusal(",a\n0,1\n0,1\n"), "f.csv: row 2 (line 3), column 1: \"0\"" + why);
  EXPECT_EQ(refusal(",a\n,1\n"), "f.csv: row 1 (line 2), column 1: \"\"" + why);
  EXPECT_EQ(refusal(",a\n0.5,1\n"), "f.csv: row 1 (line 2), column 1: \"0.5\"" + why);
  EXPECT_EQ(refusal(",a\n2026-01-01,1\n"), "f.csv: row 1 (line 2), column 1: \"2026-01-01\"" + why);
  EXPECT_EQ(refusal(",a\n9223372036854775807,1\n-9223372036854775808,1\n"),
            "f.csv: row 2 (line 3), column 1: \"-9223372036854775808\"" + why);
}

TEST(PandasIndex, IsNotLookedAtBesideChosenColumns) {
  const auto [table, notes] = read(",a\nx,1\ny,2\n", {.keep = {"a"}});
  EXPECT_EQ(table.values.values, (Values{1, 2}));
  EXPECT_TRUE(notes.empty());
}

TEST(PandasIndex, IsNotListedAmongTheColumns) {
  EXPECT_EQ(refusal(",a,b\n0,1,2\n", {.keep = {"z"}}),
            "f.csv: there is no column z; the columns are a, b");
}

TEST(TableFormat, ReadsOtherSigns) {
  EXPECT_EQ(read("a;b\n1,5;2\n", {.format = {',', '\0'}}).table.values.values, (Values{1.5, 2}));
  EXPECT_EQ(read("a,b\n\"1,234.5\",2\n", {.format = {'.', ','}}).table.values.values,
            (Values{1234.5, 2}));
  EXPECT_EQ(read("a;b\n1.234,5;2\n", {.format = {',', '.'}}).table.values.values,
            (Values{1234.5, 2}));
}

TEST(TableFormat, IsNeverGuessed) {
  const TableRequest a_and_b{.keep = {"a", "b"}};
  const std::string place = "f.csv: row 1 (line 2), column a: ";
  EXPECT_EQ(refusal("a;b\n1,5;2\n", a_and_b),
            place + "\"1,5\" is not a number; give decimal = , if it is 1.5");
  EXPECT_EQ(refusal("a;b\n1,234.5;2\n", a_and_b),
            place + "\"1,234.5\" is not a number; give thousands = , if it is 1234.5");
  EXPECT_EQ(
      refusal("a;b\n1.234,5;2\n", a_and_b),
      place + "\"1.234,5\" is not a number; give decimal = , and thousands = . if it is 1234.5");
  EXPECT_EQ(refusal("a;b\n1,234;2\n"),
            place +
                "\"1,234\" is not a number; give thousands = , if it is 1234 or decimal = , if it "
                "is 1.234, or leave the column out with ignore = a");
}

TEST(TableFormat, MustMakeSense) {
  EXPECT_EQ(refusal("a\n1\n", {.format = {',', ','}}),
            "\",\" cannot both separate thousands and begin decimals; give two signs");
}

TEST(TableHeader, IsMissedWhereTheFirstLineHoldsData) {
  const std::string message =
      "f.csv: its first line holds numbers; give a first line that names the columns";
  EXPECT_EQ(refusal("1,2\n3,4\n"), message);
  EXPECT_EQ(refusal("2026-01-01,2\n2026-01-02,4\n", {.find_times = true}), message);
  EXPECT_EQ(read(",0,1\n0,5,6\n").table.names, (Texts{"0", "1"})) << "pandas names columns so";
}

TEST(TableSize, AsksForAboutAsMuchRoomAsItNeeds) {
  std::string text = "a,b,c,d long name that says nothing of how long the rows are\n";
  const std::size_t rows = 50000;
  for (std::size_t row = 0; row < rows; ++row) text += fmt::format("{},0.5,,{}\n", row, row % 7);
  const TableRequest lenient{.may_be_missing = [](std::string_view) { return true; }};
  const std::vector<double> values = read(text, lenient).table.values.values;
  ASSERT_EQ(values.size(), 4 * rows);
  EXPECT_LT(values.capacity(), 2 * values.size()) << "rows grow longer, so too many are expected";
  EXPECT_EQ(values[4 * 49999], 49999);
}

}  // namespace
}  // namespace pcgs::io
