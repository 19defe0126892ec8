#include "data/csv.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "data/number_table.h"
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

Contents read(std::string_view text, const std::string& origin = "f.csv") {
  CsvReader reader(text, origin);
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

std::string refusal(std::string_view text, const std::string& origin = "f.csv") {
  return test::error_of([&] { read(text, origin); });
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

TEST(Csv, KnowsItsPlace) {
  CsvReader reader("a,\"b\nc\"\n1,2\n", "f.csv");
  EXPECT_EQ(reader.place().row, 0u);
  ASSERT_TRUE(reader.next());
  const ErrorPlace place = reader.place(1);
  EXPECT_EQ(place.file, "f.csv");
  EXPECT_EQ(place.row, 1u);
  EXPECT_EQ(place.line, 3u);
  EXPECT_EQ(place.column, "b\\x0ac");
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
  EXPECT_EQ(CsvReader(",a\n0,1\n", "f.csv").place(0).column, "1");
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

constexpr std::string_view kCsv = "a,b\n1,2\n";

std::string utf16(std::string_view text, bool big_endian) {
  std::string out;
  for (const char c : text) {
    if (big_endian) out += '\0';
    out += c;
    if (!big_endian) out += '\0';
  }
  return out;
}

TEST(Encoding, SaysHowToConvertUtf16) {
  const std::string message =
      "f.csv: is in UTF-16; give UTF-8, which you get with iconv -f UTF-16 -t UTF-8 f.csv > "
      "new.csv";
  EXPECT_EQ(refusal("\xFF\xFE" + utf16(kCsv, false)), message);
  EXPECT_EQ(refusal("\xFE\xFF" + utf16(kCsv, true)), message);
  EXPECT_EQ(refusal(utf16(kCsv, false)), message);
  EXPECT_EQ(refusal(utf16(std::string(1000, 'x'), false)), message);
  EXPECT_TRUE(test::mentions(refusal(utf16(kCsv, true)), "iconv -f UTF-16BE -t UTF-8 f.csv"));
}

TEST(Encoding, AdvisesWithACommandThatFitsTheInput) {
  const std::string bytes = "\xFF\xFE" + utf16(kCsv, false);
  EXPECT_TRUE(test::mentions(refusal(bytes, "my file.csv"), "UTF-8 'my file.csv' > new.csv"));
  EXPECT_TRUE(test::mentions(refusal(bytes, "f.csv.gz"),
                             "zcat f.csv.gz | iconv -f UTF-16 -t UTF-8 > new.csv"));
  EXPECT_EQ(
      refusal(bytes, "standard input"),
      "standard input: is in UTF-16; give UTF-8, which you get with iconv -f UTF-16 -t UTF-8");
}

TEST(Encoding, TakesOtherNulsForNoText) {
  EXPECT_EQ(refusal(std::string("a,b\n1,\0\n", 8)),
            "f.csv: line 2: there is a NUL byte, so this is not a text file; give CSV in UTF-8");
  EXPECT_TRUE(test::mentions(refusal(std::string("a\0", 2)), "not a text file"));
  EXPECT_TRUE(test::mentions(refusal(std::string(100, '\0')), "not a text file"));
}

TEST(Encoding, AcceptsUtf8WithAndWithoutAMark) {
  for (const char* text : {"größe,b\n1,2\n", "\xEF\xBB\xBFgröße,b\n1,2\n"}) {
    EXPECT_EQ(read(text).header[0], "größe");
  }
}

TEST(Encoding, SaysHowToConvertLatin1) {
  EXPECT_EQ(
      refusal("gr\xF6\xDF"
              "e,b\n1,2\n"),
      "f.csv: line 1: column 1 of the header has a name that is not UTF-8 (gr\\xf6\\xdfe); if it "
      "is Latin-1, convert it with iconv -f ISO-8859-1 -t UTF-8 f.csv > new.csv");
  const TableRequest request{.text = {"place"}};
  EXPECT_EQ(test::error_of([&] { parse_table("place,b\nx,1\nK\xF6ln,2\n", "f.csv", request); }),
            "f.csv: row 2 (line 3), column place: \"K\\xf6ln\" is not UTF-8; if it is Latin-1, "
            "convert it with iconv -f ISO-8859-1 -t UTF-8 f.csv > new.csv");
  EXPECT_NO_THROW(parse_table("place,b\nK\xF6ln,2\n", "f.csv", {.ignore = {"place"}}))
      << "nobody looks at it";
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
