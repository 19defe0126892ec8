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
  return test::error_of([&] { csv(text, request); });
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

TEST(NumberTable, ListsTheColumnsThereAreWhenOneIsNot) {
  EXPECT_EQ(csv_refusal("a,b\n1,2\n", {.keep = {"z"}}),
            "f.csv: there is no column z; the columns are a, b");
  EXPECT_EQ(csv_refusal("a,b\n1,2\n", {.ignore = {"z"}}),
            "f.csv: there is no column z; the columns are a, b");
  EXPECT_EQ(csv_refusal("a,b\n1,2\n", {.require = {"z"}}),
            "f.csv: there is no column z; the columns are a, b");
  EXPECT_EQ(npy_refusal(Matrix(1, 12), {.keep = {"e13"}}),
            "f.npy: there is no column e13; the columns are e1, e2, e3, e4, e5, e6, e7, e8, e9, "
            "e10, ...");
  EXPECT_EQ(
      npy_refusal(Matrix(1, 10), {.keep = {"e0"}}),
      "f.npy: there is no column e0; the columns are e1, e2, e3, e4, e5, e6, e7, e8, e9, e10");
}

TEST(NumberTable, RefusesRequestsThatContradictThemselves) {
  const std::string_view text = "a,b\n1,2\n";
  EXPECT_EQ(csv_refusal(text, {.keep = {"a"}, .ignore = {"a"}}),
            "f.csv: column a is both asked for and ignored; do one of the two");
  EXPECT_EQ(csv_refusal(text, {.keep = {"a", "b", "a"}}),
            "f.csv: column a is asked for twice; name it once");
  EXPECT_EQ(csv_refusal(text, {.ignore = {"a"}, .require = {"a"}}),
            "f.csv: column a is needed but ignored; do not ignore it");
  EXPECT_EQ(csv_refusal(text, {.keep = {"b"}, .require = {"a"}}),
            "f.csv: column a is needed but not among those asked for; ask for it too");
  EXPECT_EQ(csv_refusal(text, {.ignore = {"a", "b"}}),
            "f.csv: all of its columns are ignored (a, b); leave at least one");
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
  EXPECT_EQ(
      test::error_of([] { parse_table("a,b\n1,2\n", "f.npy"); }),
      "f.npy: holds text, but its name ends in .npy; if it is CSV, give it a name that ends in "
      ".csv");
  EXPECT_EQ(
      test::error_of([] { parse_table("", "f.npy"); }).find("f.npy: does not begin with the NPY"),
      0u);
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

}  // namespace
}  // namespace pcgs::io
