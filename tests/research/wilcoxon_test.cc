#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/signed_rank.h"
#include "research/paired.h"
#include "support/random.h"

namespace pcgs::stats {
namespace {

// p is counted exactly on both sides, so it is the same number.
void expect_enumeration(const std::vector<double>& differences) {
  const Wilcoxon fast = wilcoxon(differences);
  const reference::SignedRank slow = reference::signed_rank_by_enumeration(differences);
  ASSERT_EQ(fast.w, slow.w) << ::testing::PrintToString(differences);
  ASSERT_EQ(fast.p, slow.p) << ::testing::PrintToString(differences);
}

TEST(Wilcoxon, MatchesEnumerationOfAllSigns) {
  test::Random random(1);
  for (std::size_t n = 1; n <= 12; ++n) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<double> differences(n);
      for (double& d : differences) d = random.uniform(-1, 2);
      expect_enumeration(differences);
    }
  }
}

TEST(Wilcoxon, MatchesEnumerationOfAllSignsWithTiesAndZeros) {
  test::Random random(2);
  for (std::size_t n = 1; n <= 12; ++n) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<double> differences(n);
      for (double& d : differences) d = static_cast<double>(random.below(8)) - 3;
      expect_enumeration(differences);
    }
  }
}

TEST(Wilcoxon, MatchesEnumerationOnEveryTinyProblem) {
  for (int code = 0; code < 5 * 5 * 5 * 5 * 5; ++code) {
    std::vector<double> differences;
    for (int rest = code, i = 0; i < 5; ++i, rest /= 5) differences.push_back(rest % 5 - 2);
    expect_enumeration(differences);
  }
}

// Hollander and Wolfe, Nonparametric Statistical Methods, the depression scale of nine patients at
// two visits: V = 40, and P(V >= 40) = 10/512.
TEST(Wilcoxon, MatchesHollanderAndWolfe) {
  const std::vector<double> first = {1.83, .50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> second = {.878, .647, .598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> differences(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) differences[i] = first[i] - second[i];
  EXPECT_EQ(wilcoxon(differences).w, 40);
  EXPECT_EQ(wilcoxon(differences).p, 2 * 10.0 / 512);
}

// Darwin's maize, crossed less self-fertilised, in eighths of an inch (Fisher, The Design of
// Experiments). R: wilcox.test(exact = TRUE) gives V = 96, p = 0.041259765625 = 1352 / 2^15.
TEST(Wilcoxon, MatchesROnDarwinsMaize) {
  const std::vector<double> differences = {49, -67, 8,  16, 6,  23, 28, 41,
                                           14, 29,  56, 24, 75, 60, -48};
  EXPECT_EQ(wilcoxon(differences).w, 96);
  EXPECT_EQ(wilcoxon(differences).p, 1352.0 / 32768);
}

// 1, 2, -3, 4, 5, -6, ...
std::vector<double> every_third_negative(int n) {
  std::vector<double> differences;
  for (int i = 1; i <= n; ++i) differences.push_back(i % 3 == 0 ? -i : i);
  return differences;
}

// R: wilcox.test(exact = TRUE), and exact = FALSE, correct = TRUE.
TEST(Wilcoxon, IsExactUpToFiftyAndMatchesRsNormalApproximationBeyond) {
  EXPECT_EQ(wilcoxon(every_third_negative(50)).w, 867);
  EXPECT_NEAR(wilcoxon(every_third_negative(50)).p, 0.02616696817119646, 1e-15);
  EXPECT_EQ(wilcoxon(every_third_negative(51)).w, 867);
  EXPECT_NEAR(wilcoxon(every_third_negative(51)).p, 0.05645580536770219, 1e-15);
}

// 80 made-up differences in -9, ..., 13 with many ties and three zeros. R: wilcox.test(exact =
// FALSE, correct = TRUE).
TEST(Wilcoxon, MatchesRsNormalApproximationWithTiesAndZeros) {
  std::vector<double> differences;
  for (int i = 1; i <= 80; ++i) differences.push_back(i * 37 % 23 - 9);
  EXPECT_EQ(wilcoxon(differences).w, 1989.5);
  EXPECT_NEAR(wilcoxon(differences).p, 0.0132336928238986, 1e-14);
}

TEST(Wilcoxon, CountsOnlyDifferencesThatAreNotZeroTowardsTheLimitOfExactness) {
  const std::vector<double> fifty = every_third_negative(50);
  std::vector<double> with_zeros = fifty;
  with_zeros.insert(with_zeros.begin() + 10, 25, 0.0);
  EXPECT_EQ(wilcoxon(with_zeros).p, wilcoxon(fifty).p);
}

TEST(Wilcoxon, IsOneForBalancedDifferences) {
  std::vector<double> differences;
  for (int i = 1; i <= 20; ++i) differences.insert(differences.end(), {1.0 * i, -1.0 * i});
  EXPECT_EQ(wilcoxon(differences).p, 1);
  for (int i = 21; i <= 40; ++i) differences.insert(differences.end(), {1.0 * i, -1.0 * i});
  EXPECT_EQ(wilcoxon(differences).p, 1);
}

TEST(Wilcoxon, IsTheLeastPossibleWhenAllSignsAgree) {
  for (const int n : {2, 10, 50}) {
    const std::vector<double> differences(static_cast<std::size_t>(n), 0.25);
    EXPECT_EQ(wilcoxon(differences).p, std::ldexp(1.0, 1 - n));
    EXPECT_EQ(wilcoxon(differences).w, n * (n + 1) / 2);
  }
}

TEST(Wilcoxon, IsOneWithoutDifferences) {
  for (const auto& differences : {std::vector<double>{}, std::vector<double>(60, 0.0)}) {
    EXPECT_EQ(wilcoxon(differences).w, 0);
    EXPECT_EQ(wilcoxon(differences).p, 1);
  }
}

}  // namespace
}  // namespace pcgs::stats
