#include "data/csv.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/expect.h"

namespace pcgs::io {
namespace {

using Row = std::vector<std::string>;

struct Contents {
  Row header;
  std::vector<Row> rows;
  std::vector<std::size_t> lines;  // where each row starts
  bool operator==(const Contents&) const = default;
};

Contents read(std::string_view text) {
  CsvReader reader(text, "f.csv");
  Contents contents;
  contents.header.assign(reader.header().begin(), reader.header().end());
  while (reader.next()) {
    contents.rows.emplace_back(reader.fields().begin(), reader.fields().end());
    contents.lines.push_back(reader.line());
    EXPECT_EQ(reader.row(), contents.rows.size());
  }
  EXPECT_FALSE(reader.next()) << "the end is final";
  EXPECT_TRUE(reader.fields().empty());
  return contents;
}

std::string refusal(std::string_view text) {
  return test::error_of([&] { read(text); });
}

const Contents kTwoByTwo{{"a", "b"}, {{"1", "2"}, {"3", "4"}}, {2, 3}};

TEST(Csv, ReadsHeaderAndRows) { EXPECT_EQ(read("a,b\n1,2\n3,4\n"), kTwoByTwo); }

TEST(Csv, ReadsTheSameWithAnyLineEndAndMark) {
  for (const char* text :
       {"a,b\r\n1,2\r\n3,4\r\n", "a,b\n1,2\r\n3,4\n", "a,b\n1,2\n3,4",
        "\xEF\xBB\xBF"
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4\n\n\n", "a,b\r\n1,2\r\n3,4\r\n\r\n", "a,b\n1,2\n3,4\n  \n",
        "\"a\",\"b\"\n\"1\",2\n3,\"4\"", " a , b\n1,2\n3,4\n"}) {
    EXPECT_EQ(read(text), kTwoByTwo) << text;
  }
}

TEST(Csv, FindsTheDelimiterInTheHeader) {
  EXPECT_EQ(read("a;b\n1;2\n3;4\n"), kTwoByTwo);
  EXPECT_EQ(read("a\tb\n1\t2\n3\t4\n"), kTwoByTwo);
  EXPECT_EQ(read("a;b\n1,5;2,5\n").rows, (std::vector<Row>{{"1,5", "2,5"}}));
  EXPECT_EQ(read("a,b\n1;5,2;5\n").rows, (std::vector<Row>{{"1;5", "2;5"}}));
  EXPECT_EQ(read("\"x;y;z\",b\n1,2\n").header, (Row{"x;y;z", "b"}));
  EXPECT_EQ(read("\"x;\n;z\",b\n1,2\n").header, (Row{"x;\n;z", "b"}));
  EXPECT_EQ(read("alone\n1\n").header, (Row{"alone"}));
  EXPECT_EQ(CsvReader("alone", "f").delimiter(), ',');
}

TEST(Csv, KeepsWhatIsInQuotes) {
  const Contents contents = read("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"\",\"two\r\nlines\"\n5,6\n");
  EXPECT_EQ(contents.rows,
            (std::vector<Row>{{"x,y", "say \"hi\""}, {"", "two\r\nlines"}, {"5", "6"}}));
  EXPECT_EQ(contents.lines, (std::vector<std::size_t>{2, 3, 5}));
}

TEST(Csv, KeepsSpacesInFields) { EXPECT_EQ(read("a,b\n 1 ,\t2\n").rows[0], (Row{" 1 ", "\t2"})); }

TEST(Csv, KeepsEmptyFields) {
  EXPECT_EQ(read("a,b\n,\n1,\n,2").rows, (std::vector<Row>{{"", ""}, {"1", ""}, {"", "2"}}));
}

TEST(Csv, ReadsABlankLineOfAOneColumnFileAsARowUnlessAtTheEnd) {
  EXPECT_EQ(read("a\n1\n\n3\n\n").rows, (std::vector<Row>{{"1"}, {""}, {"3"}}));
  EXPECT_EQ(read("a\n1\n\"\"\n").rows, (std::vector<Row>{{"1"}, {""}}));
}

TEST(Csv, AcceptsAHeaderWithoutRows) {
  EXPECT_TRUE(read("a,b\n").rows.empty());
  EXPECT_TRUE(read("a,b").rows.empty());
}

TEST(Csv, KnowsItsPosition) {
  CsvReader reader("a,\"b\nc\"\n1,2\n", "f.csv");
  EXPECT_EQ(reader.position(), "f.csv: line 1");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.position(), "f.csv: row 1 (line 3)");
  EXPECT_EQ(reader.position(0), "f.csv: row 1 (line 3), column a");
  EXPECT_EQ(reader.position(1), "f.csv: row 1 (line 3), column b\\x0ac");
}

TEST(Csv, RefusesAnEmptyFile) {
  const std::string message =
      "f.csv: the file is empty; give a header line with a name for each column, then the rows";
  for (const char* text : {"", "\n", "\r\n\n", "  \n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"}) {
    EXPECT_EQ(refusal(text), message) << '[' << text << ']';
  }
}

TEST(Csv, RefusesAnEmptyHeader) {
  EXPECT_EQ(refusal("\n1,2\n"), "f.csv: line 1: the header is empty; name the columns there");
  EXPECT_EQ(refusal("\"\"\n1\n"), "f.csv: line 1: the header is empty; name the columns there");
}

TEST(Csv, RefusesAColumnWithoutAName) {
  for (const char* text : {"a,,c\n", "a, ,c\n", "a,\"\",c\n"}) {
    EXPECT_EQ(refusal(text),
              "f.csv: line 1: column 2 of the header has no name; give every column one");
  }
  EXPECT_EQ(refusal(",,\n"),
            "f.csv: line 1: column 2 of the header has no name; give every column one");
  for (const char* text : {",\n1,2\n", " , \n", "\t\n1\t2\n"}) {
    EXPECT_EQ(refusal(text),
              "f.csv: line 1: column 1 of the header has no name; give every column one")
        << text;
  }
  EXPECT_EQ(refusal("a,b,,\n1,2,,\n"),
            "f.csv: line 1: column 3 of the header has no name; give every column one");
}

TEST(Csv, LeavesTheFirstColumnWithoutAName) {
  const Contents contents = read(",a\n0,1\n1,2\n");
  EXPECT_EQ(contents.header, (Row{"", "a"}));
  EXPECT_EQ(contents.rows, (std::vector<Row>{{"0", "1"}, {"1", "2"}}));
  CsvReader reader(",a\n0,1\n", "f.csv");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.position(0), "f.csv: row 1 (line 2), column 1");
}

TEST(Csv, IgnoresADelimiterAtTheEndOfTheHeaderOrOfAllRows) {
  for (const char* text :
       {"a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", "a,b,\n1,2\n3,4\n", "a,b, \n1,2, \n3,4,\t\n",
        "a;b;\r\n1;2;\r\n3;4;\r\n", "a,b,\n1,2,\n3,4,", "a,b,\n1,2,\"\"\n3,4,\n"}) {
    EXPECT_EQ(read(text), kTwoByTwo) << text;
  }
  EXPECT_EQ(read("a,\n1,\n").rows, (std::vector<Row>{{"1"}}));
  EXPECT_EQ(read("a,b\n,,\n1,,\n").rows, (std::vector<Row>{{"", ""}, {"1", ""}}));
}

TEST(Csv, RefusesRowsOfWhichSomeEndInADelimiter) {
  EXPECT_EQ(refusal("a,b\n1,2,\n3,4\n"),
            "f.csv: row 2 (line 3): does not end in a delimiter as row 1 does; end all rows so, or "
            "none");
  const std::string more =
      "f.csv: row 2 (line 3): has 3 fields, but the header names 2 columns; give every row one "
      "field per column";
  EXPECT_EQ(refusal("a,b\n1,2\n3,4,\n"), more);
  EXPECT_EQ(refusal("a,b,\n1,2,\n3,4,5\n"), more);
  EXPECT_TRUE(test::mentions(refusal("a,b,\n1,2,,\n"), "row 1 (line 2): has 4 fields"));
}

TEST(Csv, RefusesANameTwice) {
  EXPECT_EQ(
      refusal("a,b, a\n"),
      "f.csv: line 1: column 3 of the header has the name of column 1 (a); give every column its "
      "own");
}

TEST(Csv, RefusesANameThatIsNotUtf8) {
  EXPECT_EQ(
      refusal("a,Gr\xF6\xDF"
              "e\n"),
      "f.csv: line 1: column 2 of the header has a name that is not UTF-8 (Gr\\xf6\\xdfe); if it "
      "is Latin-1, convert it with iconv -f ISO-8859-1 -t UTF-8 f.csv > new.csv");
}

TEST(Csv, RefusesARaggedRow) {
  EXPECT_EQ(
      refusal("a,b,c\n1,2,3\n1,2,3\n1,2\n"),
      "f.csv: row 3 (line 4): has 2 fields, but the header names 3 columns; give every row one "
      "field per column");
  EXPECT_EQ(
      refusal("a\n1,2\n"),
      "f.csv: row 1 (line 2): has 2 fields, but the header names 1 column; give every row one "
      "field per column");
  EXPECT_EQ(
      refusal("a,b\n1,2\n\n3,4\n"),
      "f.csv: row 2 (line 3): has 1 field, but the header names 2 columns; give every row one "
      "field per column");
}

TEST(Csv, CountsLinesInsideQuotesForItsMessages) {
  EXPECT_EQ(refusal("a,b\n\"x\n\ny\",2\n3\n").find("f.csv: row 2 (line 5): has 1 field"), 0u);
}

TEST(Csv, RefusesAnOpenQuote) {
  EXPECT_EQ(refusal("a,b\n1,\"2\n3,4\n"),
            "f.csv: row 1 (line 2), column b: the quote that opens this field is never closed; end "
            "the field with a quote");
  EXPECT_EQ(refusal("a,\"b\n1,2\n"),
            "f.csv: line 1, column 2: the quote that opens this field is never closed; end "
            "the field with a quote");
  EXPECT_EQ(refusal("a\n\"").find("f.csv: row 1 (line 2), column a: the quote"), 0u);
  EXPECT_EQ(refusal("a\n\"x\"\"").find("f.csv: row 1 (line 2), column a: the quote"), 0u);
}

TEST(Csv, RefusesTextAfterAQuote) {
  EXPECT_EQ(refusal("a,b\n\"1\"x,2\n"),
            "f.csv: row 1 (line 2), column a: text follows the closing quote; end the field there, "
            "or double a quote that belongs to it");
}

TEST(Csv, RefusesAQuoteInsideAPlainField) {
  EXPECT_EQ(
      refusal("a,b\n1,5\" pipe\n"),
      "f.csv: row 1 (line 2), column b: a quote stands inside a field that does not begin with "
      "one; put the whole field in quotes and double the quotes inside it");
  EXPECT_EQ(refusal("a\n1,5\"\n").find("f.csv: row 1 (line 2), column 2: a quote"), 0u);
}

TEST(Csv, RefusesALoneCarriageReturn) {
  const std::string why = " a carriage return stands alone; end lines with LF or CRLF";
  EXPECT_EQ(refusal("a,b\r1,2\r"), "f.csv: line 1:" + why);
  EXPECT_EQ(refusal("a,b\n1,2\r\r\n"), "f.csv: row 1 (line 2):" + why);
}

TEST(Csv, RefusesANulByte) {
  EXPECT_EQ(refusal(std::string_view("a,b\n1,2\n3\0,4\n", 13)),
            "f.csv: line 3: there is a NUL byte, so this is not a text file; give CSV in UTF-8");
}

std::string encode(const Row& fields, char delimiter, bool always_quote) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += delimiter;
    const std::string& field = fields[i];
    if (!always_quote && field.find_first_of(",;\t\"\r\n") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line;
}

TEST(Csv, ReadsBackWhateverIsWritten) {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return random() % n; };
  const std::string alphabet = "a1 .,;\t\"\r\n";
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t columns = 1 + below(4);
    const char delimiter = columns == 1 ? ',' : ",;\t"[below(3)];
    const char* const newline = below(2) == 0 ? "\n" : "\r\n";
    Contents contents;
    for (std::size_t i = 0; i < columns; ++i) contents.header.push_back("c" + std::to_string(i));
    std::string text = encode(contents.header, delimiter, below(2) == 0) + newline;
    std::size_t line = 2;
    for (std::size_t rows = below(5); rows > 0; --rows) {
      contents.lines.push_back(line);
      Row& row = contents.rows.emplace_back(columns);
      for (std::string& field : row) {
        for (std::size_t n = below(6); n > 0; --n) field += alphabet[below(10)];
        for (const char c : field) line += c == '\n' ? 1 : 0;
      }
      // A row of one empty field is a blank line unless it is quoted.
      text += encode(row, delimiter, columns == 1 || below(2) == 0);
      if (rows > 1 || below(2) == 0) text += newline;
      ++line;
    }
    ASSERT_EQ(read(text), contents) << text;
  }
}

}  // namespace
}  // namespace pcgs::io
