#include "pcgs/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "proof/coarse_problems.h"
#include "reference/switching.h"
#include "support/csv.h"
#include "support/data_file.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using reference::switching_by_enumeration;
using reference::switching_by_recursion;
using test::coarse_problem;
using test::Random;

using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Oracle, MatchesBruteForceOnAllTinyProblems) {
  for (const Matrix& losses : test::all_tiny_problems()) {
    ASSERT_EQ(switching_oracle(losses, 4), switching_by_enumeration(losses, 4))
        << ::testing::PrintToString(losses.values);
  }
}

TEST(Oracle, MatchesBruteForceOnRandomTinyProblems) {
  Random random(1);
  for (int problem = 0; problem < 4000; ++problem) {
    const auto [losses, switches] = test::random_tiny_problem(random, problem, 5);
    ASSERT_EQ(switching_oracle(losses, switches), switching_by_enumeration(losses, switches))
        << losses.columns << " experts, " << losses.rows << " rounds, " << switches << " switches";
  }
}

TEST(Oracle, MatchesBruteForceForAwkwardNumbersOfExperts) {
  Random random(2);
  for (std::size_t experts = 1; experts <= 40; ++experts) {
    const Matrix losses = coarse_problem(random, 3, experts, 0.2);
    ASSERT_EQ(switching_oracle(losses, 3), switching_by_enumeration(losses, 3)) << experts;
  }
}

TEST(Oracle, MatchesTheRecursionOnLongerProblems) {
  Random random(3);
  for (std::size_t experts : {1u, 2u, 3u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 64u, 65u}) {
    for (double asleep : {0.0, 0.3}) {
      const Matrix coarse = coarse_problem(random, 40, experts, asleep);
      ASSERT_EQ(switching_oracle(coarse, 12), switching_by_recursion(coarse, 12)) << experts;
      Matrix fine(40, experts);
      for (double& l : fine.values) l = random.chance(asleep) ? kInfinity : random.uniform();
      const Values values = switching_oracle(fine, 50);
      const Values expected = switching_by_recursion(fine, 50);
      ASSERT_EQ(values.size(), 51u);
      for (std::size_t s = 0; s < values.size(); ++s) {
        if (expected[s] == kInfinity) {
          ASSERT_EQ(values[s], kInfinity);
        } else {  // a sum of 40 losses below 1: 40 roundings of at most 40 epsilon/2
          ASSERT_NEAR(values[s], expected[s], 2e-13);
        }
      }
    }
  }
}

TEST(Oracle, MatchesAnIndependentProgram) {
  const std::string golden = test::data_file("golden/");
  const Matrix losses = test::csv_matrix(golden + "losses.csv");
  const Matrix expected = test::csv_matrix(golden + "shifting_oracle.csv");
  ASSERT_EQ(losses.rows, 80u);
  ASSERT_EQ(expected.rows, 21u);
  const Values values = switching_oracle(losses, 20);
  ASSERT_EQ(values.size(), 21u);
  for (std::size_t s = 0; s <= 20; ++s) {
    ASSERT_EQ(expected.row(s)[0], static_cast<double>(s));
    EXPECT_NEAR(values[s], expected.row(s)[1], 1e-12) << s << " switches";
  }
}

// A good at both ends, B good in the middle: one switch buys nothing, two buy everything. Any
// method that charges a price per switch jumps from 0 to 2 and cannot answer for 1.
TEST(Oracle, ValuesNeedNotBeConvexInTheNumberOfSwitches) {
  Matrix losses(9, 2);
  for (std::size_t t = 0; t < 9; ++t) {
    const bool middle = t >= 3 && t < 6;
    losses.row(t)[0] = middle ? 1 : 0;
    losses.row(t)[1] = middle ? 0 : 1;
  }
  EXPECT_EQ(switching_oracle(losses, 3), (Values{3, 3, 0, 0}));
}

TEST(Oracle, OneExpertHasNowhereToGo) {
  Matrix losses(3, 1);
  losses.values = {0.25, 0.5, 1};
  EXPECT_EQ(switching_oracle(losses, 5), Values(6, 1.75));
}

TEST(Oracle, EnoughSwitchesFollowTheBestExpertOfEveryRound) {
  Random random(4);
  const Matrix losses = coarse_problem(random, 30, 5, 0);
  double best = 0;
  for (std::size_t t = 0; t < 30; ++t) {
    best += *std::min_element(losses.row(t).begin(), losses.row(t).end());
  }
  const Values values = switching_oracle(losses, 60);
  for (std::size_t s = 29; s <= 60; ++s) EXPECT_EQ(values[s], best) << s;
}

TEST(Oracle, NoRoundsCostNothing) {
  EXPECT_EQ(switching_oracle(Matrix(0, 3), 4), Values(5, 0));
  EXPECT_EQ(switching_oracle(Matrix(0, 0), 0), Values(1, 0));
}

TEST(Oracle, ARoundWithNobodyAwakeMakesEveryPathInfinite) {
  Random random(5);
  Matrix losses = coarse_problem(random, 6, 3, 0);
  for (double& l : losses.row(3)) l = kInfinity;
  EXPECT_EQ(switching_oracle(losses, 7), Values(8, kInfinity));
}

TEST(Oracle, SwitchesAwayFromAnExpertThatFallsAsleep) {
  Matrix losses(3, 2);
  losses.values = {0, 1, 0, kInfinity, kInfinity, 1};
  EXPECT_EQ(switching_oracle(losses, 2), (Values{kInfinity, 1, 1}));
}

// Every partial sum is a double and none but the first few is a float.
TEST(Oracle, SumsAreExactInDouble) {
  Matrix losses(20000, 2);
  for (std::size_t t = 0; t < losses.rows; ++t) {
    losses.row(t)[0] = 0.5 + 0x1p-20;
    losses.row(t)[1] = 1;
  }
  EXPECT_EQ(switching_oracle(losses, 1)[0], 10000 + 20000 * 0x1p-20);
}

}  // namespace
}  // namespace pcgs
