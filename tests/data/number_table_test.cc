#include "data/number_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/npy.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs::io {
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string npy_text(const Matrix& matrix) {
  const std::vector<std::uint8_t> bytes = npy_bytes(matrix);
  return {bytes.begin(), bytes.end()};
}

Matrix two_by_two(double a, double b, double c, double d) {
  Matrix matrix(2, 2);
  matrix.values = {a, b, c, d};
  return matrix;
}

NumberTable csv(std::string_view text, const TableRequest& request = {}) {
  return parse_table(text, "f.csv", request);
}

std::string csv_refusal(std::string_view text, const TableRequest& request = {}) {
  TableRequest noted = request;
  noted.note = [](const std::string&) { FAIL() << "what is refused was not taken for granted"; };
  return test::error_of([&] { csv(text, noted); });
}

std::string npy_refusal(const Matrix& matrix, const TableRequest& request = {}) {
  return test::error_of([&] { parse_table(npy_text(matrix), "f.npy", request); });
}

class NumberTableFile : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  const test::TempDir folder_;
};

TEST_F(NumberTableFile, ReadsACsvFile) {
  const NumberTable table = read_table(write("plain.csv", "a,b\n1,+2.5\n -3 ,4e-1\n"));
  EXPECT_EQ(table.names, (Names{"a", "b"}));
  EXPECT_EQ(table.values.rows, 2u);
  EXPECT_EQ(table.values.columns, 2u);
  EXPECT_EQ(table.values.values, (Values{1, 2.5, -3, 0.4}));
}

TEST_F(NumberTableFile, ReadsAnNpyFileUnderAnyCaseOfItsExtension) {
  for (const char* name : {"plain.npy", "plain.NPY"}) {
    const NumberTable table = read_table(write(name, npy_text(two_by_two(1, 2, 3, 4))));
    EXPECT_EQ(table.names, (Names{"e1", "e2"}));
    EXPECT_EQ(table.values.values, (Values{1, 2, 3, 4}));
  }
}

TEST_F(NumberTableFile, ReadsAnyOtherNameAsCsv) {
  EXPECT_EQ(read_table(write("data.txt", "a;b\n1;2\n")).values.values, (Values{1, 2}));
  EXPECT_EQ(read_table(write("data", "a\n1\n")).values.values, (Values{1}));
}

TEST(NumberTable, KeepsColumnsInTheOrderAsked) {
  const NumberTable table = csv("a,b,c\n1,2,3\n4,5,6\n", {.keep = {"c", "a"}});
  EXPECT_EQ(table.names, (Names{"c", "a"}));
  EXPECT_EQ(table.values.values, (Values{3, 1, 6, 4}));
}

TEST(NumberTable, NeverLooksAtIgnoredColumns) {
  const NumberTable table =
      csv("when,a,note\n2020-01-01,1,x\n2020-01-02,2,inf\n", {.ignore = {"when", "note"}});
  EXPECT_EQ(table.names, (Names{"a"}));
  EXPECT_EQ(table.values.values, (Values{1, 2}));
}

TEST(NumberTable, SelectsColumnsOfAnNpyFile) {
  const std::string bytes = npy_text(two_by_two(kNaN, 2, 3, 4));
  const NumberTable table = parse_table(bytes, "f.npy", {.ignore = {"e1"}});
  EXPECT_EQ(table.names, (Names{"e2"}));
  EXPECT_EQ(table.values.values, (Values{2, 4}));
}

TEST(NumberTable, TurnsMissingValuesIntoNaNWhereAllowed) {
  const auto all_but_y = [](std::string_view name) { return name != "y"; };
  const NumberTable table = csv("y,a,b\n1,,NA\n2,?,nan\n3,null,7\n", {.may_be_missing = all_but_y});
  EXPECT_EQ(table.values.rows, 3u);
  EXPECT_EQ(table.values.row(0)[0], 1);
  EXPECT_TRUE(std::isnan(table.values.row(0)[1]) && std::isnan(table.values.row(0)[2]));
  EXPECT_TRUE(std::isnan(table.values.row(1)[1]) && std::isnan(table.values.row(1)[2]));
  EXPECT_TRUE(std::isnan(table.values.row(2)[1]));
  EXPECT_EQ(table.values.row(2)[2], 7);

  const auto only_e2 = [](std::string_view name) { return name == "e2"; };
  const NumberTable npy =
      parse_table(npy_text(two_by_two(1, kNaN, 3, 4)), "f.npy", {.may_be_missing = only_e2});
  EXPECT_TRUE(std::isnan(npy.values.values[1]));
}

TEST(NumberTable, RefusesMissingValuesElsewhere) {
  EXPECT_EQ(csv_refusal("a,b\n1,2\n3,\n"),
            "f.csv: row 2 (line 3), column b: the value is missing; give numbers, or leave the "
            "column out with ignore = b");
  EXPECT_EQ(
      csv_refusal("a,b\n1,NA\n"),
      "f.csv: row 1 (line 2), column b: the value is missing (\"NA\"); give numbers, or leave "
      "the column out with ignore = b");
  EXPECT_EQ(npy_refusal(two_by_two(1, 2, 3, kNaN)),
            "f.npy: row 2, column e2: the value is missing (\"nan\"); give numbers, or leave the "
            "column out with ignore = e2");
  const auto only_a = [](std::string_view name) { return name == "a"; };
  EXPECT_EQ(csv_refusal("a,b\n,\n", {.may_be_missing = only_a})
                .find("f.csv: row 1 (line 2), column b: the value is missing"),
            0u);
}

TEST(NumberTable, RefusesInfiniteValuesAlways) {
  const TableRequest lenient{.may_be_missing = [](std::string_view) { return true; }};
  EXPECT_EQ(
      csv_refusal("a,b\n1,-Infinity\n", lenient),
      "f.csv: row 1 (line 2), column b: \"-Infinity\" is infinite, and only finite numbers are "
      "accepted; give numbers, or leave the column out with ignore = b");
  EXPECT_EQ(npy_refusal(two_by_two(1, 2, -kInfinity, 4), lenient),
            "f.npy: row 2, column e1: \"-inf\" is infinite, and only finite numbers are accepted; "
            "give numbers, or leave the column out with ignore = e1");
}

TEST(NumberTable, RefusesNumbersOutOfRange) {
  EXPECT_EQ(csv_refusal("a,b\n1,1e999\n"),
            "f.csv: row 1 (line 2), column b: \"1e999\" is out of the range of double precision; "
            "give numbers, or leave the column out with ignore = b");
}

TEST(NumberTable, RefusesTextAndSaysHowToLeaveTheColumnOut) {
  EXPECT_EQ(csv_refusal("when,a\n2020-01-01,1\n"),
            "f.csv: row 1 (line 2), column when: \"2020-01-01\" is not a number; give numbers, or "
            "leave the column out with ignore = when");
  EXPECT_EQ(csv_refusal("the day,a\n1,1\nx,2\n"),
            "f.csv: row 2 (line 3), column the day: \"x\" is not a number; give numbers, or leave "
            "the column out with ignore = 'the day'");
}

TEST(NumberTable, RecognisesADecimalComma) {
  EXPECT_EQ(
      csv_refusal("a;b\n1;2,5\n"),
      "f.csv: row 1 (line 2), column b: \"2,5\" is not a number; give decimal = , if it is 2.5, or "
      "leave the column out with ignore = b");
}

TEST(NumberTable, DoesNotSuggestToIgnoreWhatWasAskedFor) {
  const std::string message =
      "f.csv: row 1 (line 2), column y: \"x\" is not a number; give numbers";
  EXPECT_EQ(csv_refusal("y,a\nx,1\n", {.keep = {"y"}}), message);
  EXPECT_EQ(csv_refusal("y,a\nx,1\n", {.require = {"y"}}), message);
}

TEST(NumberTable, ShowsOnlyTheBeginningOfALongText) {
  const std::string message = csv_refusal("a\n" + std::string(10000, 'x') + "\n");
  EXPECT_LT(message.size(), 200u);
  EXPECT_NE(message.find("xxx...\" is not a number"), std::string::npos);
}

TEST(NumberTable, RefusesRequestsThatContradictTheFileOrThemselves) {
  const std::string none = "there is no column z; the columns are a, b";
  const std::string both = "column a is asked for both as numbers and as text; do one of the two";
  const std::string ignored = "column a is both asked for and ignored; do one of the two";
  const std::pair<TableRequest, std::string> cases[] = {
      {{.keep = {"z"}}, none},
      {{.ignore = {"z"}}, none},
      {{.require = {"z"}}, none},
      {{.text = {"z"}}, none},
      {{.keep = {"a"}, .ignore = {"a"}}, ignored},
      {{.ignore = {"a"}, .text = {"a"}}, ignored},
      {{.keep = {"a", "b", "a"}}, "column a is asked for twice; name it once"},
      {{.text = {"a", "a"}}, "column a is asked for twice as text; name it once"},
      {{.keep = {"a"}, .text = {"a"}}, both},
      {{.require = {"a"}, .text = {"a"}}, both},
      {{.ignore = {"a"}, .require = {"a"}}, "column a is needed but ignored; do not ignore it"},
      {{.keep = {"b"}, .require = {"a"}},
       "column a is needed but not among those asked for; ask for it too"},
      {{.ignore = {"a", "b"}}, "all of its columns are ignored (a, b); leave at least one"},
      {{.text = {"a", "b"}},
       "all of its columns are ignored or read as text (a, b); leave at least one"}};
  for (const auto& [request, message] : cases) {
    EXPECT_EQ(csv_refusal("a,b\n1,2\n", request), "f.csv: " + message);
  }
  EXPECT_EQ(npy_refusal(Matrix(1, 12), {.keep = {"e13"}}),
            "f.npy: there is no column e13; the columns are e1, e2, e3, e4, e5, e6, e7, e8, e9, "
            "e10, ...");
  EXPECT_EQ(
      npy_refusal(Matrix(1, 10), {.keep = {"e0"}}),
      "f.npy: there is no column e0; the columns are e1, e2, e3, e4, e5, e6, e7, e8, e9, e10");
}

TEST(NumberTable, RefusesAHeaderWithoutRows) {
  EXPECT_EQ(csv_refusal("a,b\n"), "f.csv: there is a header but no row of data; give at least one");
}

TEST(NumberTable, ChecksTheShapeOfRowsInIgnoredColumnsToo) {
  EXPECT_EQ(csv_refusal("a,b\n1\n", {.ignore = {"b"}})
                .find("f.csv: row 1 (line 2): has 1 field, but the header names 2 columns"),
            0u);
}

TEST(NumberTable, SaysWhenTheNameDoesNotFitTheContent) {
  EXPECT_EQ(test::error_of([] { parse_table(npy_text(Matrix(1, 1)), "f.csv"); }),
            "f.csv: holds NPY data, but its name says otherwise; give it a name that ends in .npy");
  for (const char* text : {"", "a,b\n1,2\n"}) {
    EXPECT_EQ(test::error_of([&] {
                parse_table(text, "f.npy");
              }).find("f.npy: does not begin with the NPY"),
              0u);
  }
}

TEST_F(NumberTableFile, SaysWhyAFileCannotBeRead) {
  const std::string nowhere = folder_ / "nowhere.csv";
  const std::string message = test::error_of([&] { read_table(nowhere); });
  EXPECT_EQ(message.find(nowhere + ": cannot be read"), 0u) << message;
  EXPECT_TRUE(test::mentions(message, "No such file or directory"));

  for (const char* name : {"folder", "folder.npy"}) {
    const std::string folder = folder_ / name;
    std::filesystem::create_directory(folder);
    const std::string refusal = test::error_of([&] { read_table(folder); });
    EXPECT_EQ(refusal.find(folder + ": cannot be read"), 0u) << refusal;
    EXPECT_TRUE(test::mentions(refusal, "Is a directory"));
  }
}

TEST_F(NumberTableFile, ReadsAFileOfManyBlocks) {
  std::string text = "a\n";
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    text += fmt::format("{}\n", i);
    sum += i;
  }
  const NumberTable table = read_table(write("long.csv", text));
  EXPECT_EQ(table.values.rows, 100000u);
  for (const double value : table.values.values) sum -= value;
  EXPECT_EQ(sum, 0);
}

TEST(NumberTable, ReadsTheSameFromCsvAndNpy) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    Matrix matrix(1 + random() % 9, 1 + random() % 9);
    for (double& value : matrix.values) {
      do {
        value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
      } while (!std::isfinite(value));
      if (random() % 8 == 0) value = kNaN;
    }
    std::string text;
    for (std::size_t i = 0; i < matrix.columns; ++i) {
      text += fmt::format("{}e{}", i == 0 ? "" : ",", i + 1);
    }
    for (std::size_t t = 0; t < matrix.rows; ++t) {
      for (std::size_t i = 0; i < matrix.columns; ++i) {
        text += fmt::format("{}{}", i == 0 ? "\n" : ",", matrix.row(t)[i]);
      }
    }
    const TableRequest lenient{.may_be_missing = [](std::string_view) { return true; }};
    const NumberTable from_csv = csv(text, lenient);
    const NumberTable from_npy = parse_table(npy_text(matrix), "f.npy", lenient);
    ASSERT_EQ(from_csv.names, from_npy.names);
    ASSERT_EQ(from_csv.values.rows, matrix.rows);
    ASSERT_EQ(from_npy.values.rows, matrix.rows);
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
      const double value = matrix.values[i];
      for (const double read : {from_csv.values.values[i], from_npy.values.values[i]}) {
        ASSERT_TRUE(read == value || (std::isnan(read) && std::isnan(value)));
      }
    }
  }
}

// Columns that are no numbers: texts, times that are found, the index of pandas.
struct Read {
  NumberTable table;
  Names notes;
};

Read read(std::string_view text, TableRequest request = {}) {
  Read out;
  request.note = [&](const std::string& note) { out.notes.push_back(note); };
  out.table = parse_table(text, "f.csv", request);
  return out;
}

Names texts_of(const TextColumn& column) {
  Names texts;
  for (std::size_t row = 0; row < column.size(); ++row) texts.emplace_back(column[row]);
  return texts;
}

TEST(TableTexts, AreKeptTrimmedInTheOrderAsked) {
  const auto [table, notes] = read("when,a,who,b\n2026-01-01, 1 , x y ,2\n,3,\"q,\"\"r\"\"\",4\n",
                                   {.text = {"who", "when"}});
  EXPECT_EQ(table.names, (Names{"a", "b"}));
  EXPECT_EQ(table.values.values, (Values{1, 2, 3, 4}));
  ASSERT_EQ(table.texts.size(), 2u);
  EXPECT_EQ(table.texts[0].name, "who");
  EXPECT_EQ(texts_of(table.texts[0]), (Names{"x y", "q,\"r\""}));
  EXPECT_EQ(table.texts[1].name, "when");
  EXPECT_EQ(texts_of(table.texts[1]), (Names{"2026-01-01", ""}));
  EXPECT_FALSE(table.times);
  EXPECT_TRUE(notes.empty());
}

TEST(TableTexts, MayHoldNumbersAndStandBesideChosenColumns) {
  const NumberTable table = read("t,a,b\n7,1,2\n", {.keep = {"b"}, .text = {"t"}}).table;
  EXPECT_EQ(table.names, (Names{"b"}));
  EXPECT_EQ(texts_of(table.texts[0]), (Names{"7"}));
}

TEST(TableTexts, AreNotInAnNpyFile) {
  EXPECT_EQ(
      npy_refusal(Matrix(1, 2), {.text = {"e1"}}),
      "f.npy: is NPY and holds numbers only, so column e1 cannot be read as text; give CSV for "
      "that");
  EXPECT_FALSE(parse_table(npy_text(Matrix(1, 2)), "f.npy", {.find_times = true}).times);
}

TEST(TableTimes, AreFoundWhereNobodyNamesThem) {
  const struct {
    std::string text, name, note;
    Names numbers, times;
  } cases[] = {
      {"a,ds,b\n1,2026-01-01 00:00,2\n3,2026-01-01 01:00,4\n",
       "ds",
       "column ds holds times (2026-01-01 00:00, ...); give --time ds to say so, or --ignore ds",
       {"a", "b"},
       {"2026-01-01 00:00", "2026-01-01 01:00"}},
      // The index of pandas.
      {",a\n2026-01-01,1\n2026-01-02,2\n",
       "",
       "its first column has no name and holds times (2026-01-01, ...); give it one to say so with "
       "--time",
       {"a"},
       {"2026-01-01", "2026-01-02"}}};
  for (const auto& one : cases) {
    const auto [table, notes] = read(one.text, {.require = {"a"}, .find_times = true});
    EXPECT_EQ(table.names, one.numbers);
    EXPECT_EQ(table.values.row(1).front(), one.name.empty() ? 2 : 3);
    ASSERT_TRUE(table.times);
    EXPECT_EQ(table.times->name, one.name);
    EXPECT_EQ(texts_of(*table.times), one.times);
    EXPECT_EQ(notes, Names{"f.csv: " + one.note});
  }
}

TEST(TableTimes, AreFoundInEveryFormButPlainNumbers) {
  for (const char* date : {"2026-01-01", "2026-01", "2026/1/1", "2026-01-01T00:00:00Z",
                           "01.01.2026", "1/31/2026", "31/1/2026 5:00 PM"}) {
    const Read found = read(fmt::format("my time,a\n{},1\n", date), {.find_times = true});
    ASSERT_TRUE(found.table.times) << date;
    EXPECT_EQ(found.notes, (Names{fmt::format("f.csv: column my time holds times ({}); give --time "
                                              "'my time' to say so, or --ignore 'my time'",
                                              date)}));
  }
  for (const char* number : {"20260101", "2026", "7"}) {
    const Read not_found = read(fmt::format("t,a\n{},1\n", number), {.find_times = true});
    EXPECT_FALSE(not_found.table.times) << number;
    EXPECT_EQ(not_found.table.names, (Names{"t", "a"}));
    EXPECT_TRUE(not_found.notes.empty());
  }
}

TEST(TableTimes, AreNotLookedForUnlessAsked) {
  EXPECT_EQ(csv_refusal("ds,a\n2026-01-01,1\n"),
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
        test::mentions(csv_refusal(text, request), "column ds: \"2026-01-01\" is not a number"));
  }
}

TEST(TableTimes, AreRefusedInSeveralColumns) {
  EXPECT_EQ(csv_refusal("ds,a,made\n2026-01-01,1,2025-12-31\n", {.find_times = true}),
            "f.csv: several columns hold times (ds and made); name one with time and leave the "
            "others out with ignore");
  EXPECT_TRUE(
      test::mentions(csv_refusal(",a,x,y\n2026-01,1,2026-01,2026-01\n", {.find_times = true}),
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
  EXPECT_EQ(csv_refusal("ds\n2026-01-01\n", {.find_times = true}),
            "f.csv: no column of numbers is left; give at least one");
}

TEST(PandasIndex, IsLeftOutIfItCountsTheRows) {
  for (const int first : {0, 1, 7, -1}) {
    const auto [table, notes] =
        read(fmt::format(",a\n{},10\n{},20\n{},30\n", first, first + 1, first + 2));
    EXPECT_EQ(table.names, (Names{"a"}));
    EXPECT_EQ(table.values.values, (Values{10, 20, 30}));
    EXPECT_EQ(notes, (Names{"f.csv: its first column has no name and counts the rows; it was left "
                            "out (pandas: to_csv(index=False))"}));
  }
}

TEST(PandasIndex, IsLeftOutUnderTheNameThatPandasGivesItWhenItReads) {
  const auto [table, notes] = read("Unnamed: 0,a\n0,10\n1,20\n");
  EXPECT_EQ(table.names, (Names{"a"}));
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_EQ(read("Unnamed: 0,a\n0,10\n", {.keep = {"Unnamed: 0"}}).table.values.values,
            (Values{0}));
  EXPECT_EQ(read("Unnamed: 0,a\n0,1\n", {.require = {"Unnamed: 0"}}).table.names.size(), 2u);
}

TEST(PandasIndex, IsRefusedIfItIsNeither) {
  const std::string why =
      " stands in a column without a name that does not count the rows; give it a name, or leave "
      "it "
      "out (pandas: to_csv(index=False))";
  EXPECT_EQ(csv_refusal(",a\nx,1\n"), "f.csv: row 1 (line 2), column 1: \"x\"" + why);
  EXPECT_EQ(csv_refusal(",a\n0,1\n2,1\n"), "f.csv: row 2 (line 3), column 1: \"2\"" + why);
  EXPECT_EQ(csv_refusal(",a\n0,1\n0,1\n"), "f.csv: row 2 (line 3), column 1: \"0\"" + why);
  EXPECT_EQ(csv_refusal(",a\n,1\n"), "f.csv: row 1 (line 2), column 1: \"\"" + why);
  EXPECT_EQ(csv_refusal(",a\n0.5,1\n"), "f.csv: row 1 (line 2), column 1: \"0.5\"" + why);
  EXPECT_EQ(csv_refusal(",a\n2026-01-01,1\n"),
            "f.csv: row 1 (line 2), column 1: \"2026-01-01\"" + why);
  EXPECT_EQ(csv_refusal(",a\n9223372036854775807,1\n-9223372036854775808,1\n"),
            "f.csv: row 2 (line 3), column 1: \"-9223372036854775808\"" + why);
}

TEST(PandasIndex, IsNotLookedAtBesideChosenColumns) {
  const auto [table, notes] = read(",a\nx,1\ny,2\n", {.keep = {"a"}});
  EXPECT_EQ(table.values.values, (Values{1, 2}));
  EXPECT_TRUE(notes.empty());
}

TEST(PandasIndex, IsNotListedAmongTheColumns) {
  EXPECT_EQ(csv_refusal(",a,b\n0,1,2\n", {.keep = {"z"}}),
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
  EXPECT_EQ(csv_refusal("a;b\n1,5;2\n", a_and_b),
            place + "\"1,5\" is not a number; give decimal = , if it is 1.5");
  EXPECT_EQ(csv_refusal("a;b\n1,234.5;2\n", a_and_b),
            place + "\"1,234.5\" is not a number; give thousands = , if it is 1234.5");
  EXPECT_EQ(
      csv_refusal("a;b\n1.234,5;2\n", a_and_b),
      place + "\"1.234,5\" is not a number; give decimal = , and thousands = . if it is 1234.5");
  EXPECT_EQ(csv_refusal("a;b\n1,234;2\n"),
            place +
                "\"1,234\" is not a number; give thousands = , if it is 1234 or decimal = , if it "
                "is 1.234, or leave the column out with ignore = a");
}

TEST(TableFormat, MustMakeSense) {
  EXPECT_EQ(csv_refusal("a\n1\n", {.format = {',', ','}}),
            "\",\" cannot both separate thousands and begin decimals; give two signs");
}

TEST(TableHeader, IsMissedWhereTheFirstLineHoldsData) {
  const std::string message =
      "f.csv: its first line holds numbers; give a first line that names the columns";
  EXPECT_EQ(csv_refusal("1,2\n3,4\n"), message);
  EXPECT_EQ(csv_refusal("2026-01-01,2\n2026-01-02,4\n", {.find_times = true}), message);
  EXPECT_EQ(read(",0,1\n0,5,6\n").table.names, (Names{"0", "1"})) << "pandas names columns so";
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
