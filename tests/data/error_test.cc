#include "pcgs/error.h"

#include <gtest/gtest.h>

namespace pcgs {
namespace {

const Wording kProgram{[](std::string_view name) { return "--" + std::string(name); },
                       [](std::string_view name, std::string_view value) {
                         return "--" + std::string(name) +
                                (value.empty() ? "" : " " + std::string(value));
                       }};

TEST(Error, PutsThePlaceInFrontOfTheSentence) {
  EXPECT_STREQ(Error(ErrorKind::kValue, {"a.csv", 3, 4, "load"}, "is x").what(),
               "a.csv: row 3 (line 4), column load: is x");
  EXPECT_STREQ(Error(ErrorKind::kValue, {"a.csv", 3}, "is x").what(), "a.csv: row 3: is x");
  EXPECT_STREQ(Error(ErrorKind::kFile, {"a.csv"}, "is not there").what(), "a.csv: is not there");
  EXPECT_STREQ(Error(ErrorKind::kRequest, {.field = "block"}, "no").what(), "no");
}

TEST(Error, WordsOptionsAsADoorDoes) {
  const Error error(ErrorKind::kRequest, {.file = "s"},
                    "leave " + option("time") + " out, or give " + option("block", "24") + " or " +
                        option_on("skip") + "; done");
  EXPECT_STREQ(error.what(), "s: leave time out, or give block = 24 or skip; done");
  EXPECT_EQ(error.in_words_of(kProgram), "s: leave --time out, or give --block 24 or --skip; done");
}

TEST(Error, TakesASentenceWithControlCharactersAsItIs) {
  EXPECT_EQ(worded("a\x11 b", kProgram), "a\x11 b");
  EXPECT_EQ(worded("a\x13 b\x12 c", kProgram), "a\x13 b\x12 c");
}

TEST(Error, KeepsKindAndPlaceWhenItIsCopied) {
  const Error error(ErrorKind::kUnknown, {.file = "f", .column = "c", .field = "time"}, "x");
  const Error copy = error;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.kind(), ErrorKind::kUnknown);
  EXPECT_EQ(copy.place().column, "c");
  EXPECT_EQ(copy.place().field, "time");
}

}  // namespace
}  // namespace pcgs
