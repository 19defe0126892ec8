#include "data/text.h"

#include <gtest/gtest.h>

#include <string>

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
