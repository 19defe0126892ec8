#include "supply.h"

#include <gtest/gtest.h>

#include "tiny.h"

namespace pcgs::train {
namespace {

TrainingPools tiny_set(std::int64_t set) {
  return {{test::tiny_pool(2, 100 + static_cast<std::uint64_t>(set))}, {1.0}};
}

bool same(const TrainingPools& a, const TrainingPools& b) {
  return torch::equal(a.pools[0].losses, b.pools[0].losses);
}

TEST(Supply, NeverChangesUnlessAsked) {
  Supply supply(tiny_set(3));
  for (const std::int64_t step : {0, 5, 1000000}) EXPECT_TRUE(same(supply.at(step), tiny_set(3)));
}

TEST(Supply, EveryStepHasItsSet) {
  Supply supply(tiny_set(0), tiny_set, 3);
  for (std::int64_t step = 0; step < 10; ++step) {
    EXPECT_TRUE(same(supply.at(step), tiny_set(step / 3))) << step;
  }
  EXPECT_FALSE(same(tiny_set(0), tiny_set(1)));
}

TEST(Supply, CanBeGoneOnWithAnywhere) {
  Supply supply(tiny_set(0), tiny_set, 3);
  EXPECT_TRUE(same(supply.at(13), tiny_set(4)));
  EXPECT_TRUE(same(supply.at(15), tiny_set(5)));
}

}  // namespace
}  // namespace pcgs::train
