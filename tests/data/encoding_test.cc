#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "data/number_table.h"
#include "data/text.h"
#include "support/expect.h"

namespace pcgs::io {
namespace {

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

std::string refusal(const std::string& bytes, const std::string& path = "f.csv") {
  return test::error_of([&] { parse_table(bytes, path); });
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
    EXPECT_EQ(parse_table(text, "f.csv").names[0], "größe");
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

}  // namespace
}  // namespace pcgs::io
