#include "pcgs/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "proof/coarse_problems.h"
#include "proof/path_certificates.h"
#include "proof/sweep.h"
#include "reference/switching.h"
#include "research/suite.h"
#include "support/csv.h"
#include "support/data_file.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using reference::switching_by_enumeration;
using reference::switching_by_recursion;
using test::coarse_problem;
using test::cost_along;
using test::expect_same;
using test::Random;

using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

TEST(Oracle, OneExpertHasNowhereToGo) {
  Matrix losses(3, 1);
  losses.values = {0.25, 0.5, 1};
  EXPECT_EQ(switching_oracle(losses, 5), Values(6, 1.75));
}

TEST(Oracle, ARoundWithNobodyAwakeMakesEveryPathInfinite) {
  Random random(5);
  Matrix losses = coarse_problem(random, 6, 3, 0);
  for (double& l : losses.row(3)) l = kInfinity;
  EXPECT_EQ(switching_oracle(losses, 7), Values(8, kInfinity));
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

// The table of docs/certificates.md: how far the bounds are from what happened.

constexpr std::size_t kRounds = 600, kExperts = 32, kSwitches = 12;
constexpr std::uint64_t kSeeds = 20;

struct Ratios {
  void add(const Certificate& certificate) {
    const double ratio = certificate.bound / certificate.regret;
    bound += certificate.bound / kSeeds;
    mean += ratio / kSeeds;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  double bound = 0, mean = 0, least = 1e300, most = 0;
};

TEST(CertificateTable, SharpIsTheTighterEverywhere) {
  std::printf("T = %zu, K = %zu, S = %zu, switching sequences of seeds 0..%d\n", kRounds, kExperts,
              kSwitches, static_cast<int>(kSeeds) - 1);
  std::printf("%-24s %8s | %8s %22s | %8s %22s\n", "method", "regret", "sharp", "ratio (range)",
              "eta/8", "ratio (range)");
  for (const char* spec :
       {"hedge", "fixed-share", "genshare", "past-posteriors", "hedge{eta=0.5}",
        "fixed-share{eta=0.5}", "genshare{eta=0.5}", "past-posteriors{eta=0.5}"}) {
    double regret = 0;
    Ratios sharp, plain;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto sequence = suite::generate("switch", kRounds, kExperts, seed);
      Aggregator aggregator = make_aggregator(spec, kExperts);
      Trace trace;
      aggregator.trace(&trace);
      for (std::size_t t = 0; t < kRounds; ++t) aggregator.learn(sequence.losses.row(t));
      const auto s = switching_certificates(ShareRecord::of(trace.rows()), kSwitches).back();
      ASSERT_TRUE(s.sharp.holds() && s.plain.holds());
      ASSERT_GT(s.sharp.regret, 0);
      ASSERT_LT(s.sharp.bound, s.plain.bound) << spec << ", seed " << seed;
      regret += s.sharp.regret / kSeeds;
      sharp.add(s.sharp);
      plain.add(s.plain);
    }
    std::printf("%-24s %8.2f | %8.2f %6.3f (%6.3f to %6.3f) | %8.2f %6.3f (%6.3f to %6.3f)\n", spec,
                regret, sharp.bound, sharp.mean, sharp.least, sharp.most, plain.bound, plain.mean,
                plain.least, plain.most);
  }
}

// The oracle where every switch costs something, with a budget of switches and without.

using reference::switching_path_by_table;

using Experts = std::vector<std::uint32_t>;

// Multiples of 1/4 as the coarse losses are, so that costs and losses tie.
constexpr double kCosts[] = {0, 0.25, 0.5, 1, 1.75, 5};

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
    for (const double cost : {0.0, 0.5, 1.0, 2.0}) {
      ASSERT_NO_FATAL_FAILURE(expect_as_enumerated(losses, cost))
          << ::testing::PrintToString(losses.values) << " at " << cost;
    }
  }
}

TEST(SwitchCost, MatchesBruteForceOnRandomTinyProblems) {
  Random random(21);
  for (int problem = 0; problem < 3000; ++problem) {
    const Matrix losses = test::random_tiny_problem(random, problem);
    const double cost = kCosts[random.below(std::size(kCosts))];
    ASSERT_NO_FATAL_FAILURE(expect_as_enumerated(losses, cost))
        << losses.columns << " experts, " << losses.rows << " rounds at " << cost;
  }
}

// Coarse losses, which tie, and fine ones; few sleepers and enough switches to avoid them.
TEST(SwitchCost, MatchesTheTableAtAwkwardSizes) {
  const struct {
    std::size_t rounds, experts, switches;
  } cases[] = {{1, 9, 3},     {2, 17, 40},    {15, 3, 14},    {16, 5, 3},      {17, 31, 20},
               {100, 1, 7},   {333, 7, 40},   {700, 8, 11},   {1025, 9, 5},    {1024, 64, 13},
               {1500, 65, 0}, {1999, 13, 40}, {120, 200, 13}, {300, 130, 299}, {300, 2, 299}};
  Random random(22);
  for (const auto& [rounds, experts, switches] : cases) {
    for (const double cost : {0.0, 0.25, 0.75, 3.0}) {
      SCOPED_TRACE(::testing::Message() << rounds << " rounds, " << experts << " experts, "
                                        << switches << " switches at " << cost);
      const Matrix coarse = coarse_problem(random, rounds, experts, cost == 0 ? 0 : 0.02);
      if (experts * switches < 10000) {  // the recursion is slow
        ASSERT_EQ(switching_oracle(coarse, switches, 1, cost),
                  switching_by_recursion(coarse, switches, cost));
      }
      ASSERT_NO_FATAL_FAILURE(expect_same(switching_path(coarse, switches, kOracleMemory, 1, cost),
                                          switching_path_by_table(coarse, switches, cost)));
      if (cost > 0) continue;
      Matrix fine(rounds, experts);
      for (double& l : fine.values) l = random.chance(0.02) ? kInfinity : random.uniform();
      ASSERT_NO_FATAL_FAILURE(
          expect_same(switching_path(fine, switches), switching_path_by_table(fine, switches)));
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
// any price, so that the frontier is not convex (whoever charges a price per switch cannot answer for 1),
// and at 3/2 a switch the detour is worth nothing.
TEST(SwitchCost, BuysADetourOnlyWhereItPays) {
  Matrix losses(9, 2);
  for (std::size_t t = 0; t < 9; ++t) {
    const bool middle = t >= 3 && t < 6;
    losses.row(t)[0] = middle ? 1 : 0;
    losses.row(t)[1] = middle ? 0 : 1;
  }
  EXPECT_EQ(switching_oracle(losses, 3), (Values{3, 3, 0, 0}));
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
  const Values values = switching_oracle(losses, 70);
  for (std::size_t s = 49; s <= 70; ++s) EXPECT_EQ(values[s], best) << s;
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
  EXPECT_EQ(switching_oracle(losses, 2), (Values{kInfinity, 1, 1}));
  EXPECT_EQ(switching_oracle(losses, 2, 1, 100), (Values{kInfinity, 101, 101}));
  EXPECT_EQ(unlimited_path(losses, 100).experts, (Experts{0, 0, 1}));
  for (double& l : losses.row(1)) l = kInfinity;
  EXPECT_EQ(unlimited_path(losses, 1).loss, kInfinity);
  EXPECT_TRUE(unlimited_path(losses, 1).experts.empty());
}

TEST(Oracle, OfNoRoundsIsFreeAndOfNobodyInfinite) {
  for (const Matrix& nothing : {Matrix(0, 0), Matrix(0, 3), Matrix(3, 0)}) {
    const double loss = nothing.rows == 0 ? 0 : kInfinity;
    EXPECT_EQ(switching_oracle(nothing, 4), Values(5, loss));
    for (const SwitchingPath& path : {switching_path(nothing, 2), unlimited_path(nothing, 2)}) {
      EXPECT_EQ(path.loss, loss);
      EXPECT_EQ(path.switches, 0u);
      EXPECT_TRUE(path.experts.empty());
    }
  }
}

TEST(SwitchCost, RefusesWhatIsNoCost) {
  using test::error_of;
  for (const double cost : {-1e-9, -1.0, kInfinity, 1e291, std::nan("")}) {
    for (const Matrix& any : {Matrix(3, 2), Matrix(0, 2), Matrix(3, 0)}) {
      for (const std::string& said :
           {error_of([&] { (void)switching_oracle(any, 1, 1, cost); }),
            error_of([&] { (void)switching_path(any, 1, kOracleMemory, 1, cost); }),
            error_of([&] { (void)unlimited_path(any, cost); })}) {
        EXPECT_TRUE(test::mentions(said, "cannot cost"));
      }
    }
  }
  EXPECT_EQ(switching_oracle(Matrix(3, 2), 2, 1, kMostSwitchCost), Values(3, 0));
}

}  // namespace

}  // namespace pcgs
