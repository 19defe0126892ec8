#include "research/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "reference/signed_rank.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::stats {
namespace {

Paired compare(const std::vector<double>& a, const std::vector<double>& b) {
  return stats::compare(a, b, Bootstrap(a.size(), kResamples, 1));
}

// Student (1908): extra hours of sleep of ten patients with two drugs; nine of them differ. Darwin's maize
// (Fisher, The Design of Experiments): heights in inches of fifteen pairs of plants, self-fertilised and
// crossed. R: t.test and wilcox.test with paired = TRUE, with the sign of second less first; d = mean / sd.
TEST(Paired, MatchesROnStudentsSleepDataAndDarwinsMaize) {
  struct Case {
    std::vector<double> first, second;
    Paired r;
  };
  for (const Case& one :
       {Case{{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
             {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4},
             {0.95, 1.58, 4.06212768338203656, 0.00283289019738427, 45, 2.0 / 512,
              1.284557562591055, 0, 0}},
        Case{{17.375, 20.375, 20, 20, 18.375, 18.625, 18.625, 15.25, 16.5, 18, 16.25, 18, 12.75,
              15.5, 18},
             {23.5, 12, 21, 22, 19.125, 21.5, 22.125, 20.375, 18.25, 21.625, 23.25, 21, 22.125, 23,
              12},
             {13.0 / 15, 2.6166666666666667, 2.147987461331120063, 0.049702944021800928, 96,
              1352.0 / 32768, 0.5546079777065185, 0, 0}}}) {
    const Paired paired = compare(one.first, one.second);
    EXPECT_EQ(paired.win_rate, one.r.win_rate);
    EXPECT_NEAR(paired.mean_improvement, one.r.mean_improvement, 1e-14);
    EXPECT_NEAR(paired.t.value(), *one.r.t, 1e-13);
    EXPECT_NEAR(paired.t_p, one.r.t_p, 1e-14);
    EXPECT_NEAR(paired.cohens_d.value(), *one.r.cohens_d, 1e-13);
    EXPECT_EQ(paired.wilcoxon_w, one.r.wilcoxon_w);
    EXPECT_EQ(paired.wilcoxon_p, one.r.wilcoxon_p);
  }
}

// With one and two degrees of freedom Student's distribution has a closed form:
//
//     p = 1 - 2 atan(|t|) / pi      p = 1 - |t| / sqrt(2 + t^2)
TEST(Paired, MatchesClosedFormsOfStudentsDistribution) {
  test::Random random(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Paired two = compare({0, 0}, {random.uniform(-1, 2), random.uniform(-1, 2)});
    EXPECT_NEAR(two.t_p, 1 - 2 * std::atan(std::abs(two.t.value())) / std::numbers::pi, 1e-14);
    const Paired three =
        compare({0, 0, 0}, {random.uniform(-1, 2), random.uniform(-1, 2), random.uniform(-1, 2)});
    const double t = std::abs(three.t.value());
    EXPECT_NEAR(three.t_p, 1 - t / std::sqrt(2 + t * t), 1e-14);
  }
}

TEST(Paired, ReportsTheBootstrapIntervalAndTheSignedRanksOfTheImprovements) {
  test::Random random(3);
  const std::vector<double> a = random.losses(20);
  const std::vector<double> b = random.losses(20);
  std::vector<double> improvements(20);
  for (std::size_t i = 0; i < 20; ++i) improvements[i] = b[i] - a[i];
  const Bootstrap bootstrap(20, 1000, 4);
  const Paired paired = stats::compare(a, b, bootstrap);
  EXPECT_EQ(paired.ci_low, bootstrap.interval(improvements, 0.95).low);
  EXPECT_EQ(paired.ci_high, bootstrap.interval(improvements, 0.95).high);
  EXPECT_EQ(paired.wilcoxon_w, wilcoxon(improvements).w);
  EXPECT_EQ(paired.wilcoxon_p, wilcoxon(improvements).p);
}

TEST(Paired, ChangesSignWhenTheMethodsChangePlaces) {
  test::Random random(5);
  std::vector<double> a = random.losses(15);
  const std::vector<double> b = random.losses(15);
  a[3] = b[3];
  const Paired forth = compare(a, b);
  const Paired back = compare(b, a);
  EXPECT_NEAR(forth.win_rate, 1 - back.win_rate, 1e-15);
  EXPECT_NEAR(forth.mean_improvement, -back.mean_improvement, 1e-15);
  EXPECT_NEAR(forth.t.value(), -back.t.value(), 1e-13);
  EXPECT_NEAR(forth.cohens_d.value(), -back.cohens_d.value(), 1e-13);
  EXPECT_NEAR(forth.t_p, back.t_p, 1e-13);
  EXPECT_EQ(forth.wilcoxon_w, 14 * 15 / 2 - back.wilcoxon_w);
  EXPECT_EQ(forth.wilcoxon_p, back.wilcoxon_p);
  EXPECT_NEAR(forth.ci_low, -back.ci_high, 1e-13);
  EXPECT_NEAR(forth.ci_high, -back.ci_low, 1e-13);
}

// The table in the header: differences that have no spread.
TEST(Paired, KnowsWhatDifferencesWithoutSpreadAre) {
  for (const std::size_t n : {1u, 2u, 20u, 60u}) {
    const std::vector<double> same(n, 0.3);
    EXPECT_EQ(compare(same, same), (Paired{0.5, 0, 0.0, 1, 0, 1, 0.0, 0, 0}));
  }
  EXPECT_EQ(compare({0.25}, {1.0}), (Paired{1, 0.75, {}, 1, 1, 1, {}, 0.75, 0.75}));
  for (const double d : {0.1, -0.1}) {
    const double w = d > 0 ? 28 : 0, p = std::ldexp(1.0, -6);
    EXPECT_EQ(compare(std::vector<double>(7, 0.0), std::vector<double>(7, d)),
              (Paired{d > 0 ? 1.0 : 0.0, d, {}, 0, w, p, {}, d, d}));
  }
}

TEST(Paired, DoesNotDependOnTheUnitOfTheRegrets) {
  const Paired plain = compare({0, 0, 0, 0}, {1, 2, -1, 2});
  EXPECT_NEAR(plain.t.value(), std::numbers::sqrt2, 1e-15);
  for (const double unit : {1e-300, 1e-160, 1e150, 1e299}) {
    const Paired paired = compare({0, 0, 0, 0}, {1 * unit, 2 * unit, -1 * unit, 2 * unit});
    EXPECT_NEAR(paired.t.value(), std::numbers::sqrt2, 1e-14) << unit;
    EXPECT_NEAR(paired.cohens_d.value(), std::numbers::sqrt2 / 2, 1e-14) << unit;
    EXPECT_NEAR(paired.t_p, plain.t_p, 1e-14) << unit;
    EXPECT_EQ(paired.wilcoxon_p, plain.wilcoxon_p) << unit;
    EXPECT_NEAR(paired.ci_low / unit, plain.ci_low, 1e-12) << unit;
    EXPECT_NEAR(paired.ci_high / unit, plain.ci_high, 1e-12) << unit;
  }
}

// p is counted exactly on both sides, so it is the same number.
void expect_enumeration(const std::vector<double>& differences) {
  const Wilcoxon fast = wilcoxon(differences);
  const reference::SignedRank slow = reference::signed_rank_by_enumeration(differences);
  ASSERT_EQ(fast.w, slow.w) << ::testing::PrintToString(differences);
  ASSERT_EQ(fast.p, slow.p) << ::testing::PrintToString(differences);
}

TEST(Wilcoxon, MatchesEnumerationOfAllSignsWithTiesAndZerosAndWithout) {
  test::Random random(1);
  for (std::size_t n = 1; n <= 12; ++n) {
    for (int repeat = 0; repeat < 40; ++repeat) {
      std::vector<double> differences(n);
      for (double& d : differences) {
        d = repeat % 2 == 0 ? random.uniform(-1, 2) : static_cast<double>(random.below(8)) - 3;
      }
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

// The fifteen p-values of Benjamini and Hochberg (1995), out of order. R: p.adjust(p, "holm").
TEST(Holm, MatchesRInAnyOrder) {
  const std::vector<double> p = {0.0459, 0.0001, 1.0000, 0.0201, 0.3240, 0.0019, 0.6528, 0.0298,
                                 0.0004, 0.4262, 0.0278, 0.7590, 0.0095, 0.5719, 0.0344};
  const std::vector<double> adjusted = {0.3213, 0.0015, 1,     0.2211, 1,     0.0247, 1,    0.278,
                                        0.0056, 1,      0.278, 1,      0.114, 1,      0.278};
  EXPECT_TRUE(test::all_near(holm(p), adjusted, 1e-15));
}

// Holm's procedure is the closed test built from Bonferroni's: a hypothesis falls when every
// intersection that contains it does.
std::vector<double> by_closed_testing(const std::vector<double>& p) {
  std::vector<double> adjusted(p.size(), 0.0);
  for (std::size_t members = 1; members < std::size_t{1} << p.size(); ++members) {
    double count = 0;
    double least = 1;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if ((members >> i & 1) == 0) continue;
      ++count;
      least = std::min(least, p[i]);
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      if ((members >> i & 1) == 0) continue;
      adjusted[i] = std::max(adjusted[i], std::min(1.0, count * least));
    }
  }
  return adjusted;
}

TEST(Holm, MatchesClosedTestingOfAllIntersections) {
  test::Random random(3);
  for (std::size_t m = 1; m <= 8; ++m) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<double> p(m);
      for (double& value : p) value = random.log_uniform(1e-3, 1);
      if (repeat % 2 == 1) p[random.below(m)] = p[0];
      ASSERT_TRUE(test::same_bits(holm(p), by_closed_testing(p))) << ::testing::PrintToString(p);
    }
  }
}

TEST(Holm, KeepsZerosAndStopsAtOne) {
  EXPECT_EQ(holm(std::vector<double>{0.6, 0, 1, 0}), (std::vector<double>{1, 0, 1, 0}));
  EXPECT_EQ(holm(std::vector<double>{}), std::vector<double>{});
}

}  // namespace

}  // namespace pcgs::stats
