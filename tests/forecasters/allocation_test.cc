// Forecasting and observing allocate nothing.
#include <gtest/gtest.h>

#include "forecasters/series.h"
#include "pcgs/experts.h"
#include "support/allocations.h"

namespace pcgs::test {
namespace {

TEST(PoolAllocation, NothingIsAllocatedPerStep) {
  const std::vector<std::size_t> seasons = {12, 84};
  Experts experts = standard_experts(seasons);
  experts.push_back(holt_winters_expert(12));
  experts.push_back(rolling_regression_expert({1, 2, 12}, 50));
  ExpertPool pool(std::move(experts));
  const auto series = seasonal_series(1000, 13, 0.05);
  std::vector<double> out(pool.size());
  const std::size_t before = allocations.count;
  for (const double y : series) {
    pool.forecast(out);
    pool.observe(y);
  }
  EXPECT_EQ(allocations.count, before);
}

}  // namespace
}  // namespace pcgs::test
