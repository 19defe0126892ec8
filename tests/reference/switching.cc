#include "reference/switching.h"

#include <algorithm>
#include <limits>

namespace pcgs::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Every continuation of a path that has come to round t at expert `at` with this loss.
void extend(MatrixView losses, std::size_t t, std::size_t at, std::size_t switches, double loss,
            std::vector<double>& best_with_exactly) {
  loss += losses.row(t)[at];
  if (t + 1 == losses.rows) {
    best_with_exactly[switches] = std::min(best_with_exactly[switches], loss);
    return;
  }
  for (std::size_t next = 0; next < losses.columns; ++next) {
    extend(losses, t + 1, next, switches + (next != at), loss, best_with_exactly);
  }
}

}  // namespace

std::vector<double> switching_by_enumeration(MatrixView losses, std::size_t max_switches) {
  if (losses.rows == 0) return std::vector<double>(max_switches + 1, 0);
  std::vector<double> exactly(losses.rows, kInfinity);  // a path of T rounds has < T switches
  for (std::size_t k = 0; k < losses.columns; ++k) extend(losses, 0, k, 0, 0, exactly);

  std::vector<double> at_most(max_switches + 1);
  double best = kInfinity;
  for (std::size_t s = 0; s <= max_switches; ++s) {
    if (s < exactly.size()) best = std::min(best, exactly[s]);
    at_most[s] = best;
  }
  return at_most;
}

std::vector<double> switching_by_recursion(MatrixView losses, std::size_t max_switches) {
  if (losses.rows == 0) return std::vector<double>(max_switches + 1, 0);
  const std::size_t experts = losses.columns;
  // dp[s][k]
  std::vector<std::vector<double>> dp(max_switches + 1);
  for (auto& row : dp) row.assign(losses.row(0).begin(), losses.row(0).end());
  for (std::size_t t = 1; t < losses.rows; ++t) {
    const auto before = dp;
    for (std::size_t s = 0; s <= max_switches; ++s) {
      for (std::size_t k = 0; k < experts; ++k) {
        double best = before[s][k];
        for (std::size_t j = 0; s > 0 && j < experts; ++j) {
          if (j != k) best = std::min(best, before[s - 1][j]);
        }
        dp[s][k] = losses.row(t)[k] + best;
      }
    }
  }
  std::vector<double> out;
  for (const auto& row : dp) out.push_back(*std::min_element(row.begin(), row.end()));
  return out;
}

}  // namespace pcgs::reference
