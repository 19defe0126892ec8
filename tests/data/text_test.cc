#include "data/text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "pcgs/table.h"
#include "support/csv.h"

namespace pcgs {
namespace {

TEST(Utf8, AcceptsTheEndsOfEveryLength) {
  for (const char* text :
       {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_TRUE(is_utf8(std::string(text) + "x" + text)) << text;
  }
}

TEST(Utf8, RefusesMalformedText) {
  for (const char* text : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2x", "\xE0\x9F\xBF",
                           "\xE1\x80", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                           "\xF5\x80\x80\x80", "\xFF", "\xF1\x80\x80"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
    EXPECT_FALSE(is_utf8("ok" + std::string(text))) << text;
  }
}

TEST(Utf8, ShowsAnExcerptOnOneLine) {
  EXPECT_EQ(excerpt("plain text, ä"), "plain text, ä");
  EXPECT_EQ(excerpt(std::string_view("a\nb\0c\x7F\xFF", 7)), "a\\x0ab\\x00c\\x7f\\xff");
  EXPECT_EQ(excerpt(""), "");
}

TEST(Utf8, CutsAnExcerptBetweenCharacters) {
  const std::string long_text(39, 'x');
  EXPECT_EQ(excerpt(long_text + "y"), long_text + "y");
  EXPECT_EQ(excerpt(long_text + "yz"), long_text + "y...");
  EXPECT_EQ(excerpt(long_text + "ä"), long_text + "...");
}

TEST(Visible, ShowsControlCharactersAndKeepsTheRest) {
  EXPECT_EQ(visible("plain text, ä, 日本"), "plain text, ä, 日本");
  EXPECT_EQ(visible("a\x1b[31mb\r\n\t"), "a\\x1b[31mb\\x0d\\x0a\\x09");
  EXPECT_EQ(visible("two\nlines\x07", "\n"), "two\nlines\\x07");
  EXPECT_EQ(visible("\xc2\x9b"), "\\xc2\\x9b");  // U+009B begins a command, too
  EXPECT_EQ(visible("\xc2\xa0"), "\xc2\xa0");
  EXPECT_EQ(visible("\xff\xc3"), "\\xff\\xc3");
}

}  // namespace
}  // namespace pcgs

namespace pcgs::io {
namespace {

TEST(TextColumn, GivesBackWhatWasAdded) {
  std::mt19937 random(1);
  std::vector<std::string> texts;
  TextColumn column;
  EXPECT_EQ(column.size(), 0u);
  for (int row = 0; row < 1000; ++row) {
    std::string text(random() % 7, static_cast<char>('a' + random() % 26));
    column.add(text);
    texts.push_back(std::move(text));
    ASSERT_EQ(column.size(), texts.size());
  }
  const TextColumn moved = std::move(column);
  for (std::size_t row = 0; row < texts.size(); ++row) ASSERT_EQ(moved[row], texts[row]) << row;
}

TEST(TextColumn, KeepsEmptyTexts) {
  TextColumn column;
  for (const char* text : {"", "a", "", ""}) column.add(text);
  EXPECT_EQ(column[0], "");
  EXPECT_EQ(column[1], "a");
  EXPECT_EQ(column[2], "");
  EXPECT_EQ(column[3], "");
}

}  // namespace

namespace {

const TextTable kTable = {
    "Who won", {"name", "x", "long head"}, {{"a", "1.5", "2"}, {"bcd", "10", "-"}}};

TEST(TextTable, TextPutsTheFirstColumnLeftAndTheOthersRight) {
  EXPECT_EQ(text(kTable),
            "Who won\n"
            "\n"
            "name    x  long head\n"
            "a     1.5          2\n"
            "bcd    10          -\n");
}

TEST(TextTable, TextWithoutACaptionBeginsWithTheHead) {
  TextTable table = kTable;
  table.caption.clear();
  EXPECT_EQ(text(table).substr(0, 5), "name ");
}

TEST(TextTable, TextCountsLettersAndNotBytes) {
  const TextTable table = {"", {"m", "regret"}, {{"é", "1 ± 2"}, {"ab", "12 ± 34"}}};
  EXPECT_EQ(text(table),
            "m    regret\n"
            "é     1 ± 2\n"
            "ab  12 ± 34\n");
}

TEST(TextTable, TextOfOneColumnHasNoTrailingSpaces) {
  EXPECT_EQ(text({"", {"one"}, {{"b"}}}), "one\nb\n");
}

TEST(TextTable, TextWithoutAHeadPutsSeveralColumnsLeft) {
  const TextTable table = {"", {}, {{"é", "a letter"}, {"abc", "three"}}, 2};
  EXPECT_EQ(text(table),
            "é    a letter\n"
            "abc  three\n");
}

TEST(TextTable, CountsAndTimesAreWords) {
  EXPECT_EQ(counted(1, "round") + ", " + counted(0, "round"), "1 round, 0 rounds");
  EXPECT_EQ(time_text(66.4) + ", " + time_text(2.5e4) + ", " + time_text(3e7),
            "66 ns, 25 us, 30 ms");
}

TEST(TextTable, CsvReadsBackToTheSameCells) {
  const TextTable table = {"not written",
                           {"a,b", "say \"x\"", "plain"},
                           {{"fixed-share{eta=4,rho=0.01}", "1 ± 2", ""}, {"; x", "\"", " y "}}};
  std::string written = csv(table);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t end = written.find('\n'); end != std::string::npos; end = written.find('\n')) {
    rows.push_back(test::csv_cells(written.substr(0, end)));
    written.erase(0, end + 1);
  }
  EXPECT_EQ(written, "") << "the last line must end too";
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], table.head);
  EXPECT_EQ(rows[1], table.rows[0]);
  EXPECT_EQ(rows[2], table.rows[1]);
}

TEST(TextTable, LatexIsABooktabsTable) {
  EXPECT_EQ(latex(kTable, "wins"),
            "\\begin{table}[t]\n\\centering\n\\small\n\\begin{tabular}{lrr}\n\\toprule\n"
            "name & x & long head \\\\\n\\midrule\n"
            "a & 1.5 & 2 \\\\\nbcd & 10 & - \\\\\n"
            "\\bottomrule\n\\end{tabular}\n\\caption{Who won}\n\\label{tab:wins}\n\\end{table}\n");
}

TEST(TextTable, LatexEscapesWhatItWouldTakeForCommands) {
  const TextTable table = {"100 % of a_b & more", {"df \\ p", "#1"}, {{"f{x=1}", "3 ± 4 $ ~ ^"}}};
  const std::string out = latex(table, "t");
  for (const char* part :
       {"\\caption{100 \\% of a\\_b \\& more}", "df \\textbackslash{} p & \\#1 \\\\",
        "f\\{x=1\\} & 3 $\\pm$ 4 \\$ \\~{} \\^{} \\\\"}) {
    EXPECT_NE(out.find(part), std::string::npos) << "no " << part << " in\n" << out;
  }
}

}  // namespace

}  // namespace pcgs::io
