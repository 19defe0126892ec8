#include "data/text_table.h"

#include <gtest/gtest.h>

#include "support/csv.h"

namespace pcgs::io {
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
