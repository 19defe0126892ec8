// The oracle where every switch costs something, with a budget of switches and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pcgs/oracle.h"
#include "proof/coarse_problems.h"
#include "proof/sweep.h"
#include "reference/switching.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using reference::switching_by_enumeration;
using reference::switching_by_recursion;
using reference::switching_path_by_table;
using test::coarse_problem;
using test::Random;

using Experts = std::vector<std::uint32_t>;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Multiples of 1/4 as the coarse losses are, so that costs and losses tie.
constexpr double kCosts[] = {0, 0.25, 0.5, 1, 1.75, 5};

// What a path costs, added in the order of rounds.
double cost_along(MatrixView losses, const Experts& experts, double switch_cost) {
  double sum = 0;
  for (std::size_t t = 0; t < experts.size(); ++t) {
    if (t > 0 && experts[t] != experts[t - 1]) sum += switch_cost;
    sum += losses.row(t)[experts[t]];
  }
  return sum;
}

void expect_same(const SwitchingPath& path, const SwitchingPath& expected) {
  ASSERT_EQ(path.loss, expected.loss);
  ASSERT_EQ(path.switches, expected.switches);
  ASSERT_EQ(path.experts, expected.experts);
}

// Every number of switches up to more than there can be, and no limit.
void expect_as_enumerated(MatrixView losses, double switch_cost) {
  const std::size_t most = losses.rows + 1;
  const Values expected = switching_by_enumeration(losses, most, switch_cost);
  ASSERT_EQ(switching_oracle(losses, most, 1, switch_cost), expected);
  for (std::size_t s = 0; s <= most; ++s) {
    const SwitchingPath path = switching_path(losses, s, kOracleMemory, 1, switch_cost);
    ASSERT_NO_FATAL_FAILURE(expect_same(path, switching_path_by_table(losses, s, switch_cost)));
    ASSERT_EQ(path.loss, expected[s]);
    if (path.loss == kInfinity) continue;
    ASSERT_EQ(cost_along(losses, path.experts, switch_cost), expected[s]);
    const auto fewest = std::find(expected.begin(), expected.end(), expected[s]);
    ASSERT_EQ(path.switches, static_cast<std::size_t>(fewest - expected.begin()));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(unlimited_path(losses, switch_cost),
                                      switching_path_by_table(losses, most, switch_cost)));
}

TEST(SwitchCost, MatchesBruteForceOnAllTinyProblems) {
  for (const Matrix& losses : test::all_tiny_problems()) {
    for (const double cost : {0.5, 1.0, 2.0}) {
      ASSERT_NO_FATAL_FAILURE(expect_as_enumerated(losses, cost))
          << ::testing::PrintToString(losses.values) << " at " << cost;
    }
  }
}

TEST(SwitchCost, MatchesBruteForceOnRandomTinyProblems) {
  Random random(21);
  for (int problem = 0; problem < 3000; ++problem) {
    const Matrix losses = test::random_tiny_problem(random, problem, 6).losses;
    const double cost = kCosts[random.below(std::size(kCosts))];
    ASSERT_NO_FATAL_FAILURE(expect_as_enumerated(losses, cost))
        << losses.columns << " experts, " << losses.rows << " rounds at " << cost;
  }
}

TEST(SwitchCost, MatchesTheTableAtAwkwardSizes) {
  const struct {
    std::size_t rounds, experts, switches;
  } cases[] = {{1, 9, 3},   {2, 17, 40},  {17, 31, 20},  {100, 1, 7},    {333, 7, 40},
               {700, 8, 3}, {1025, 9, 5}, {1024, 64, 6}, {120, 200, 13}, {100, 65, 99}};
  Random random(22);
  for (const auto& [rounds, experts, switches] : cases) {
    for (const double cost : {0.25, 0.75, 3.0}) {
      SCOPED_TRACE(::testing::Message() << rounds << " rounds, " << experts << " experts, "
                                        << switches << " switches at " << cost);
      const Matrix losses = coarse_problem(random, rounds, experts, 0.02);
      ASSERT_EQ(switching_oracle(losses, switches, 1, cost),
                switching_by_recursion(losses, switches, cost));
      ASSERT_NO_FATAL_FAILURE(expect_same(switching_path(losses, switches, kOracleMemory, 1, cost),
                                          switching_path_by_table(losses, switches, cost)));
    }
  }
}

// The one-row recursion against the table with a row for every number of switches.
TEST(SwitchCost, WithoutALimitIsABudgetForEveryRound) {
  Random random(23);
  for (int problem = 0; problem < 60; ++problem) {
    const std::size_t rounds = 1 + random.below(120), experts = 1 + random.below(20);
    const double asleep = problem % 3 == 0 ? 0.1 : 0;
    const Matrix losses = coarse_problem(random, rounds, experts, asleep);
    const double cost = kCosts[random.below(std::size(kCosts))];
    SCOPED_TRACE(::testing::Message()
                 << rounds << " rounds, " << experts << " experts at " << cost);
    ASSERT_NO_FATAL_FAILURE(expect_same(
        unlimited_path(losses, cost), switching_path(losses, rounds - 1, kOracleMemory, 1, cost)));
  }
}

// A path in little memory is cut into segments; losses that are no multiples of anything.
TEST(SwitchCost, IsTheSameWhateverTheMemoryAndTheThreads) {
  Random random(24);
  Matrix losses(4000, 30);
  for (double& l : losses.values) l = random.uniform();
  const double cost = 0.3;
  const std::size_t switches = 80;
  const Values values = switching_oracle(losses, switches, 1, cost);
  const SwitchingPath path = switching_path(losses, switches, kOracleMemory, 1, cost);
  EXPECT_EQ(path.loss, values.back());
  EXPECT_EQ(cost_along(losses, path.experts, cost), path.loss);
  EXPECT_TRUE(test::same_bits(switching_oracle(losses, switches, 3, cost), values));
  for (const std::size_t memory : {std::size_t{1} << 20, std::size_t{2} << 20}) {
    ASSERT_NO_FATAL_FAILURE(expect_same(switching_path(losses, switches, memory, 3, cost), path));
  }
}

// Staying with A costs 3; B in the middle saves 3 and takes two switches. One switch buys nothing at
// any price, so that the frontier is not convex, and at 3/2 a switch the detour is worth nothing.
TEST(SwitchCost, BuysADetourOnlyWhereItPays) {
  Matrix losses(9, 2);
  for (std::size_t t = 0; t < 9; ++t) {
    const bool middle = t >= 3 && t < 6;
    losses.row(t)[0] = middle ? 1 : 0;
    losses.row(t)[1] = middle ? 0 : 1;
  }
  EXPECT_EQ(switching_oracle(losses, 3, 1, 1), (Values{3, 3, 2, 2}));
  EXPECT_EQ(unlimited_path(losses, 1).experts, (Experts{0, 0, 0, 1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(switching_oracle(losses, 3, 1, 1.5), (Values{3, 3, 3, 3}));
  EXPECT_EQ(unlimited_path(losses, 1.5).switches, 0u) << "as good with none";
  EXPECT_EQ(unlimited_path(losses, 1.5).experts, Experts(9, 0));
}

TEST(SwitchCost, OfNothingFollowsTheBestExpertOfEveryRound) {
  Random random(25);
  const Matrix losses = coarse_problem(random, 50, 6, 0);
  double best = 0;
  for (std::size_t t = 0; t < losses.rows; ++t) {
    best += *std::min_element(losses.row(t).begin(), losses.row(t).end());
  }
  EXPECT_EQ(unlimited_path(losses, 0).loss, best);
}

// A lower cost never makes paths dearer, and never by more than it saves.
TEST(SwitchCost, ValuesRiseWithTheCostByAtMostWhatSwitchesAdd) {
  Random random(26);
  for (int problem = 0; problem < 20; ++problem) {
    const Matrix losses = coarse_problem(random, 60, 5, 0);
    Values cheaper = switching_oracle(losses, 10);
    for (const double cost : {0.25, 0.5, 0.75}) {
      const Values values = switching_oracle(losses, 10, 1, cost);
      for (std::size_t s = 0; s <= 10; ++s) {
        ASSERT_GE(values[s], cheaper[s]);
        ASSERT_LE(values[s], cheaper[s] + 0.25 * static_cast<double>(s));
      }
      ASSERT_EQ(values[0], cheaper[0]) << "who stays pays nothing";
      cheaper = values;
    }
  }
}

TEST(SwitchCost, LeavesASleeperAtAnyPrice) {
  Matrix losses(3, 2);
  losses.values = {0, 1, 0, kInfinity, kInfinity, 1};
  EXPECT_EQ(switching_oracle(losses, 2, 1, 100), (Values{kInfinity, 101, 101}));
  EXPECT_EQ(unlimited_path(losses, 100).experts, (Experts{0, 0, 1}));
  for (double& l : losses.row(1)) l = kInfinity;
  EXPECT_EQ(unlimited_path(losses, 1).loss, kInfinity);
  EXPECT_TRUE(unlimited_path(losses, 1).experts.empty());
}

TEST(SwitchCost, OfNoRoundsOrNobodyIsAsWithoutCosts) {
  for (const Matrix& nothing : {Matrix(0, 0), Matrix(0, 3)}) {
    EXPECT_EQ(unlimited_path(nothing, 2).loss, 0);
    EXPECT_TRUE(unlimited_path(nothing, 2).experts.empty());
  }
  EXPECT_EQ(unlimited_path(Matrix(3, 0), 2).loss, kInfinity);
}

TEST(SwitchCost, RefusesWhatIsNoCost) {
  const Matrix losses(3, 2);
  for (const double cost : {-1e-9, -1.0, kInfinity, 1e291, std::nan("")}) {
    for (const Matrix& any : {losses, Matrix(0, 2), Matrix(3, 0)}) {
      EXPECT_TRUE(test::mentions(test::error_of([&] { (void)switching_oracle(any, 1, 1, cost); }),
                                 "cannot cost"));
      EXPECT_TRUE(test::mentions(
          test::error_of([&] { (void)switching_path(any, 1, kOracleMemory, 1, cost); }),
          "cannot cost"));
      EXPECT_TRUE(
          test::mentions(test::error_of([&] { (void)unlimited_path(any, cost); }), "cannot cost"));
    }
  }
  EXPECT_EQ(switching_oracle(losses, 2, 1, kMostSwitchCost), Values(3, 0));
}

}  // namespace
}  // namespace pcgs
