#include "research/paired.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/expect.h"
#include "support/random.h"

namespace pcgs::stats {
namespace {

Paired compare(const std::vector<double>& a, const std::vector<double>& b) {
  return stats::compare(a, b, Bootstrap(a.size(), kResamples, 1));
}

// Student (1908): extra hours of sleep of ten patients with two drugs. R: t.test(paired = TRUE),
// with the sign of second less first; d = mean / sd of the differences.
TEST(Paired, MatchesROnStudentsSleepData) {
  const std::vector<double> first = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const std::vector<double> second = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  const Paired paired = compare(first, second);
  EXPECT_EQ(paired.win_rate, 0.95);  // nine patients, and one without a difference
  EXPECT_NEAR(paired.mean_improvement, 1.58, 1e-15);
  EXPECT_NEAR(paired.t.value(), 4.06212768338203656, 1e-13);
  EXPECT_NEAR(paired.t_p, 0.00283289019738427, 1e-15);
  EXPECT_NEAR(paired.cohens_d.value(), 1.284557562591055, 1e-13);
  EXPECT_EQ(paired.wilcoxon_w, 45);
  EXPECT_EQ(paired.wilcoxon_p, 2.0 / 512);
}

// Darwin's maize (Fisher, The Design of Experiments): heights in inches of fifteen pairs of plants,
// self-fertilised and crossed. R: t.test and wilcox.test with paired = TRUE.
TEST(Paired, MatchesROnDarwinsMaize) {
  const std::vector<double> self = {17.375, 20.375, 20,    20, 18.375, 18.625, 18.625, 15.25,
                                    16.5,   18,     16.25, 18, 12.75,  15.5,   18};
  const std::vector<double> crossed = {23.5,  12,     21,    22, 19.125, 21.5, 22.125, 20.375,
                                       18.25, 21.625, 23.25, 21, 22.125, 23,   12};
  const Paired paired = compare(self, crossed);
  EXPECT_EQ(paired.win_rate, 13.0 / 15);
  EXPECT_NEAR(paired.t.value(), 2.147987461331120063, 1e-13);
  EXPECT_NEAR(paired.t_p, 0.049702944021800928, 1e-14);
  EXPECT_NEAR(paired.cohens_d.value(), 0.5546079777065185, 1e-14);
  EXPECT_EQ(paired.wilcoxon_w, 96);
  EXPECT_EQ(paired.wilcoxon_p, 1352.0 / 32768);
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

TEST(Paired, SeesNothingBetweenEqualMethods) {
  for (const std::size_t n : {1u, 2u, 20u, 60u}) {
    const std::vector<double> same(n, 0.3);
    const Paired paired = compare(same, same);
    EXPECT_EQ(paired.win_rate, 0.5);
    EXPECT_EQ(paired.mean_improvement, 0);
    EXPECT_EQ(paired.t, 0.0);
    EXPECT_EQ(paired.t_p, 1);
    EXPECT_EQ(paired.cohens_d, 0.0);
    EXPECT_EQ(paired.wilcoxon_w, 0);
    EXPECT_EQ(paired.wilcoxon_p, 1);
    EXPECT_EQ(paired.ci_low, 0);
    EXPECT_EQ(paired.ci_high, 0);
  }
}

TEST(Paired, KnowsNothingFromOneSequence) {
  const Paired paired = compare({0.25}, {1.0});
  EXPECT_EQ(paired.win_rate, 1);
  EXPECT_EQ(paired.mean_improvement, 0.75);
  EXPECT_EQ(paired.t, std::nullopt);
  EXPECT_EQ(paired.t_p, 1);
  EXPECT_EQ(paired.cohens_d, std::nullopt);
  EXPECT_EQ(paired.wilcoxon_w, 1);
  EXPECT_EQ(paired.wilcoxon_p, 1);
  EXPECT_EQ(paired.ci_low, 0.75);
  EXPECT_EQ(paired.ci_high, 0.75);
}

TEST(Paired, HasNoFiniteTForAConstantImprovement) {
  for (const double improvement : {0.1, -0.1}) {
    const Paired paired = compare(std::vector<double>(7, 0.0), std::vector<double>(7, improvement));
    EXPECT_EQ(paired.win_rate, improvement > 0 ? 1 : 0);
    EXPECT_EQ(paired.mean_improvement, improvement);
    EXPECT_EQ(paired.t, std::nullopt);
    EXPECT_EQ(paired.t_p, 0);
    EXPECT_EQ(paired.cohens_d, std::nullopt);
    EXPECT_EQ(paired.wilcoxon_p, std::ldexp(1.0, -6));
    EXPECT_EQ(paired.ci_low, improvement);
    EXPECT_EQ(paired.ci_high, improvement);
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

}  // namespace
}  // namespace pcgs::stats
