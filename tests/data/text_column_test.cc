#include "data/text_column.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

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
}  // namespace pcgs::io
