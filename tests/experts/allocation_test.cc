// Forecasting and observing allocate nothing. Replaces the global operator new, so it stands alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "experts/series.h"
#include "pcgs/experts.h"

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  void* p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

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
  const std::size_t before = allocations;
  for (const double y : series) {
    pool.forecast(out);
    pool.observe(y);
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace pcgs::test
