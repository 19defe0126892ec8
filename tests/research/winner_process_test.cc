#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "research/bayes_filter.h"
#include "research/segments.h"

namespace pcgs::suite {
namespace {

using test::Segment;
using test::whole_segments;

constexpr double kStandardErrors = 4.5;

// Each outcome must come up as often as its chance says, to a few standard errors.
template <class Outcome>
void expect_shares(const std::map<Outcome, std::size_t>& counts,
                   const std::map<Outcome, double>& chances) {
  double all = 0;
  for (const auto& [outcome, count] : counts) {
    all += static_cast<double>(count);
    EXPECT_TRUE(chances.contains(outcome)) << outcome << " should not happen";
  }
  ASSERT_GT(all, 1000);
  for (const auto& [outcome, chance] : chances) {
    const auto at = counts.find(outcome);
    const double share = at == counts.end() ? 0 : static_cast<double>(at->second) / all;
    EXPECT_NEAR(share, chance, kStandardErrors * std::sqrt(chance * (1 - chance) / all))
        << "outcome " << outcome;
  }
}

std::map<std::size_t, std::size_t> lengths_of(const std::vector<Segment>& segments) {
  std::map<std::size_t, std::size_t> counts;
  for (const Segment& segment : segments) ++counts[segment.length];
  return counts;
}

TEST(Dwell, HazardIsZeroBeforeTheLeastLengthAndConstantAfterwards) {
  const Dwell dwell = Dwell::geometric_after(5, 0.3);
  for (std::size_t age = 1; age < 5; ++age) EXPECT_EQ(dwell.at(age), 0) << age;
  for (const std::size_t age : {5u, 6u, 7u, 100u, 100000u}) EXPECT_EQ(dwell.at(age), 0.3) << age;
}

TEST(Dwell, BetweenMakesEveryLengthEquallyLikely) {
  const Dwell dwell = Dwell::between(3, 8);
  double alive = 1;
  for (std::size_t length = 1; length <= 8; ++length) {
    EXPECT_NEAR(alive * dwell.at(length), length < 3 ? 0 : 1.0 / 6, 1e-15) << length;
    alive *= 1 - dwell.at(length);
  }
  EXPECT_NEAR(alive, 0, 1e-15);
}

TEST(WinnerProcess, SegmentsLastAtLeastSoLongAndThenEndAtTheHazard) {
  for (const auto& [least, hazard] :
       std::vector<std::pair<std::size_t, double>>{{1, 0.2}, {7, 0.35}, {25, 0.04}}) {
    Random random("winner process", 1);
    const auto winners = any_other(6, Dwell::geometric_after(least, hazard)).draw(600'000, random);
    // Lengths from `rare` on are too rare to tell apart, and count as one.
    const std::size_t rare = least + static_cast<std::size_t>(2 / hazard);
    std::map<std::size_t, std::size_t> counts;
    for (const auto& [length, count] : lengths_of(whole_segments(winners))) {
      counts[std::min(length, rare)] += count;
    }
    std::map<std::size_t, double> chances;
    double left = 1;
    for (std::size_t length = least; length < rare; ++length, left *= 1 - hazard) {
      chances[length] = left * hazard;
    }
    chances[rare] = left;
    expect_shares(counts, chances);
  }
}

TEST(WinnerProcess, SegmentsLastBetweenTheLeastAndTheMostWithEveryLengthEquallyLikely) {
  Random random("winner process", 2);
  const auto winners = any_other(6, Dwell::between(4, 9)).draw(300'000, random);
  std::map<std::size_t, double> chances;
  for (std::size_t length = 4; length <= 9; ++length) chances[length] = 1.0 / 6;
  expect_shares(lengths_of(whole_segments(winners)), chances);
}

// Were the first segment met at a random moment of a long history, it would be shorter than others.
TEST(WinnerProcess, TheFirstSegmentIsFreshAndItsWinnerIsAnyMember) {
  Random random("winner process", 3);
  const WinnerProcess process = {Dwell::between(3, 6), {7, 2, 5}, {}};
  std::map<std::size_t, std::size_t> lengths, firsts;
  for (int i = 0; i < 30'000; ++i) {
    const auto segments = whole_segments(process.draw(8, random));
    ASSERT_FALSE(segments.empty());
    ++lengths[segments.front().length];
    ++firsts[segments.front().winner];
  }
  expect_shares(lengths, {{3, 0.25}, {4, 0.25}, {5, 0.25}, {6, 0.25}});
  expect_shares(firsts, {{2, 1.0 / 3}, {5, 1.0 / 3}, {7, 1.0 / 3}});
}

TEST(WinnerProcess, AnyOtherMemberIsAsLikelyToBeNext) {
  Random random("winner process", 4);
  const WinnerProcess process = {Dwell::geometric_after(2, 0.5), {9, 4, 0, 6}, {}};
  const auto segments = whole_segments(process.draw(200'000, random));
  std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> follows;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    ++follows[segments[i - 1].winner][segments[i].winner];
  }
  ASSERT_EQ(follows.size(), 4u);
  for (const auto& [from, counts] : follows) {
    std::map<std::uint32_t, double> chances;
    for (const std::uint32_t to : process.members) {
      if (to != from) chances[to] = 1.0 / 3;
    }
    expect_shares(counts, chances);
  }
}

TEST(WinnerProcess, FollowsTheGivenChancesOfTheNextWinner) {
  Random random("winner process", 5);
  const WinnerProcess process = {
      Dwell::geometric_after(1, 0.8), {3, 1, 8}, {0, 0.7, 0.3, 0.05, 0, 0.95, 1, 0, 0}};
  const auto segments = whole_segments(process.draw(200'000, random));
  std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> follows;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    ++follows[segments[i - 1].winner][segments[i].winner];
  }
  expect_shares(follows[3], {{1, 0.7}, {8, 0.3}});
  expect_shares(follows[1], {{3, 0.05}, {8, 0.95}});
  expect_shares(follows[8], {{3, 1.0}});
}

TEST(WinnerProcess, TheOnlyMemberAlwaysWins) {
  Random random("winner process", 6);
  EXPECT_EQ(any_other(1, Dwell::geometric_after(1, 1)).draw(50, random),
            std::vector<std::uint32_t>(50, 0));
  EXPECT_EQ((WinnerProcess{Dwell::between(2, 3), {4}, {}}.draw(50, random)),
            std::vector<std::uint32_t>(50, 4));
}

TEST(WinnerProcess, TwoMembersTakeTurns) {
  Random random("winner process", 7);
  const auto winners = any_other(2, Dwell::between(1, 1)).draw(100, random);
  for (std::size_t t = 1; t < winners.size(); ++t) ASSERT_EQ(winners[t], 1 - winners[t - 1]);
}

}  // namespace
}  // namespace pcgs::suite
