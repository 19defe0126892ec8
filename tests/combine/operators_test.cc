#include "combine/operators.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "draws.h"
#include "support/expect.h"

namespace pcgs::levels {
namespace {

using Numbers = std::vector<double>;

TEST(PanelOperators, TheMiddleIsTheMeansAndTheTailsAreMostlyThePools) {
  const Levels levels({0.1, 0.25, 0.5, 0.75, 0.9});
  const Numbers mean = {-1, 0, 1, 2, 3};
  Numbers pool = {-5, -2, 7, 6, 11};
  put_into_middle(levels, mean, pool);
  // c is 0.64, 0.25 and 0.
  EXPECT_TRUE(test::all_near(pool, Numbers{-1 - 0.64 * 4, -0.25 * 2, 1, 2 + 0.25 * 4, 3 + 0.64 * 8},
                             1e-14));
  EXPECT_NEAR(mean_weight_of_pool(levels), 2 * (0.64 + 0.25) / 5, 1e-15);
}

TEST(PanelOperators, QuantilesThatCrossArePutInOrder) {
  const Levels levels({0.02, 0.3, 0.5});
  const Numbers mean = {0, 1, 10};
  Numbers pool = {9, 9, 10};
  put_into_middle(levels, mean, pool);
  EXPECT_TRUE(test::all_near(pool, Numbers{1 + 0.16 * 8, 0.9216 * 9, 10}, 1e-13));
}

TEST(PanelOperators, AreBetweenWhatTheyAreMadeOfWhateverTheNumbers) {
  const Levels levels({0.001, 0.1, 0.3, 0.6, 0.999});
  test::Random random(1);
  for (int draw = 0; draw < 1000; ++draw) {
    Numbers mean(5), pool(5);
    const double size = random.chance(0.2) ? 1.7e308 : random.log_uniform(1e-150, 1e150);
    for (double& x : mean) x = size * random.uniform(-1, 1);
    for (double& x : pool) x = random.chance(0.3) ? mean[0] : size * random.uniform(-1, 1);
    std::ranges::sort(mean);
    std::ranges::sort(pool);
    Numbers made = pool;
    put_into_middle(levels, mean, made);
    EXPECT_TRUE(std::ranges::is_sorted(made));
    for (std::size_t i = 0; i < made.size(); ++i) {
      EXPECT_GE(made[i], std::min(mean[i], pool[i]));
      EXPECT_LE(made[i], std::max(mean[i], pool[i]));
    }
  }
}

}  // namespace
}  // namespace pcgs::levels
