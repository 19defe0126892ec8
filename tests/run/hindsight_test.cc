#include "run/hindsight.h"

#include <gtest/gtest.h>

#include "pcgs/oracle.h"
#include "research/suite.h"

namespace pcgs::compare {
namespace {

TEST(Hindsight, KnowsTheOracleOfEveryPrefix) {
  const auto losses = suite::generate("mix", 97, 5, 1).losses;
  const Hindsight hindsight(losses, 4, 10);
  std::size_t ends = 0;
  for (std::size_t t = 0; t < losses.rows; ++t) {
    if (!hindsight.ends_stretch(t)) continue;
    const auto prefix =
        switching_oracle(MatrixView{losses.values.data(), t + 1, losses.columns}, 4);
    EXPECT_EQ(hindsight.frontier(ends++), prefix);
    if (t + 1 == losses.rows) {
      EXPECT_EQ(hindsight.oracle(2), prefix[2]);
      EXPECT_EQ(Hindsight(losses, 4, 0).oracle(4), prefix[4]);
    }
  }
  EXPECT_EQ(ends, hindsight.stretches());
}

TEST(Hindsight, OfNoRoundIsZero) {
  const Hindsight hindsight(Matrix(0, 3), 4, 10);
  EXPECT_EQ(hindsight.oracle(4), 0);
  EXPECT_FALSE(hindsight.has_path());
}

TEST(Hindsight, AllowsMoreSwitchesThanThereAreRounds) {
  const auto losses = suite::generate("mix", 5, 3, 1).losses;
  EXPECT_EQ(Hindsight(losses, 100, 2).oracle(100), switching_oracle(losses, 100).back());
}

}  // namespace
}  // namespace pcgs::compare
