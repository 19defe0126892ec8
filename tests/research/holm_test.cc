#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "research/paired.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::stats {
namespace {

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

TEST(Holm, LeavesASingleTestAlone) {
  EXPECT_EQ(holm(std::vector<double>{0.03}), std::vector<double>{0.03});
  EXPECT_EQ(holm(std::vector<double>{}), std::vector<double>{});
}

TEST(Holm, KeepsZerosAndStopsAtOne) {
  EXPECT_EQ(holm(std::vector<double>{0.6, 0, 1, 0}), (std::vector<double>{1, 0, 1, 0}));
}

}  // namespace
}  // namespace pcgs::stats
