#include "run/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pcgs::stats {
namespace {

// Student's sleep data, extra hours with the second drug. R: mean, sd.
TEST(Summary, MatchesROnStudentsSleepData) {
  const std::vector<double> extra = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  EXPECT_NEAR(summarize(extra).mean, 2.33, 1e-15);
  EXPECT_NEAR(summarize(extra).std, 2.002248735796829, 1e-14);
}

TEST(Summary, OfOneNumberHasNoSpread) {
  EXPECT_EQ(summarize(std::vector<double>{0.1}).mean, 0.1);
  EXPECT_EQ(summarize(std::vector<double>{0.1}).std, 0);
}

// 0.1 + 0.1 + 0.1 is not 0.3.
TEST(Summary, OfEqualNumbersIsExact) {
  for (std::size_t n = 1; n <= 40; ++n) {
    EXPECT_EQ(summarize(std::vector<double>(n, 0.1)).mean, 0.1) << n;
    EXPECT_EQ(summarize(std::vector<double>(n, 0.1)).std, 0) << n;
  }
}

TEST(Summary, KeepsASmallSpreadAroundALargeMean) {
  const double unit = std::ldexp(1.0, -20);
  const std::vector<double> x = {1e9, 1e9 + unit, 1e9 + 2 * unit};
  EXPECT_EQ(summarize(x).mean, 1e9 + unit);
  EXPECT_EQ(summarize(x).std, unit);
}

TEST(Summary, SurvivesNumbersWhoseSquaresDoNot) {
  for (const double scale : {1e-300, 1e299}) {
    const std::vector<double> x = {1 * scale, 2 * scale, 3 * scale};
    EXPECT_NEAR(summarize(x).mean / scale, 2, 1e-15);
    EXPECT_NEAR(summarize(x).std / scale, 1, 1e-15);
  }
}

}  // namespace
}  // namespace pcgs::stats
