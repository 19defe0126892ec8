#include <algorithm>

#include "pcgs/oracle.h"

namespace pcgs {

std::vector<double> switching_oracle(MatrixView losses, std::size_t max_switches) {
  const std::size_t experts = losses.columns;
  const std::size_t budgets = max_switches + 1;
  std::vector<double> frontier(budgets, 0.0);
  if (losses.rows == 0) return frontier;

  // More budget than rounds to switch in buys nothing.
  const std::size_t rows = std::min(budgets, losses.rows);
  std::vector<double> dp(rows * experts);  // [s][k]
  for (std::size_t s = 0; s < rows; ++s) {
    std::copy_n(losses.data, experts, dp.begin() + static_cast<std::ptrdiff_t>(s * experts));
  }
  for (std::size_t t = 1; t < losses.rows; ++t) {
    const double* loss = losses.data + t * experts;
    // Downwards in s, so that row s - 1 still holds round t - 1.
    for (std::size_t s = rows; s-- > 0;) {
      double* row = dp.data() + s * experts;
      if (s == 0) {
        for (std::size_t k = 0; k < experts; ++k) row[k] += loss[k];
        continue;
      }
      // Coming from the best of the row below is allowed even from k itself: dp[s,k] <= dp[s-1,k],
      // so where k is that best, staying is at least as good.
      const double* below = row - experts;
      const double best = *std::min_element(below, below + experts);
      for (std::size_t k = 0; k < experts; ++k) row[k] = std::min(row[k], best) + loss[k];
    }
  }
  for (std::size_t s = 0; s < budgets; ++s) {
    const auto first = dp.begin() + static_cast<std::ptrdiff_t>(std::min(s, rows - 1) * experts);
    frontier[s] = *std::min_element(first, first + static_cast<std::ptrdiff_t>(experts));
  }
  return frontier;
}

}  // namespace pcgs
