#include "data/progress.h"

#include <gtest/gtest.h>

namespace pcgs::io {
namespace {

TEST(BarLine, FillsWithTheShareThatIsDone) {
  EXPECT_EQ(bar_line("reading", 0.5, 12, "", 79),
            "reading [###############...............]  50 %  12 s left");
  EXPECT_EQ(bar_line("training", 1, 0, "held out -0.4490", 79),
            "training [##########] 100 %  0 s left  held out -0.4490");
}

TEST(BarLine, PromisesNoTimeBeforeAnythingIsDone) {
  EXPECT_EQ(bar_line("training", 0, {}, "first scores", 79),
            "training [..........]   0 %  first scores");
}

TEST(BarLine, SaysLongTimesInMinutesAndHours) {
  EXPECT_NE(bar_line("a", 0.5, 99.4, "", 79).find("  99 s left"), std::string::npos);
  EXPECT_NE(bar_line("a", 0.5, 300, "", 79).find("  5 min left"), std::string::npos);
  EXPECT_NE(bar_line("a", 0.5, 9000, "", 79).find("  2.5 h left"), std::string::npos);
}

TEST(BarLine, IsNeverLongerThanTheTerminal) {
  EXPECT_EQ(bar_line("training", 0.25, 12, std::string(100, 'x'), 79).size(), 79U);
  EXPECT_EQ(bar_line("training", 0.25, 12, "", 12), "training [##");
}

}  // namespace
}  // namespace pcgs::io
