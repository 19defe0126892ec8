#include "reference/switching.h"

#include <algorithm>
#include <limits>

namespace pcgs::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Every continuation of a path that has come to round t at expert `at` with this loss and cost.
void extend(MatrixView losses, double switch_cost, std::size_t t, std::size_t at,
            std::size_t switches, double loss, std::vector<double>& best_with_exactly) {
  loss += losses.row(t)[at];
  if (t + 1 == losses.rows) {
    best_with_exactly[switches] = std::min(best_with_exactly[switches], loss);
    return;
  }
  for (std::size_t next = 0; next < losses.columns; ++next) {
    if (next == at) {
      extend(losses, switch_cost, t + 1, next, switches, loss, best_with_exactly);
    } else {
      extend(losses, switch_cost, t + 1, next, switches + 1, loss + switch_cost, best_with_exactly);
    }
  }
}

}  // namespace

std::vector<double> switching_by_enumeration(MatrixView losses, std::size_t max_switches,
                                             double switch_cost) {
  if (losses.rows == 0) return std::vector<double>(max_switches + 1, 0);
  std::vector<double> exactly(losses.rows, kInfinity);  // a path of T rounds has < T switches
  for (std::size_t k = 0; k < losses.columns; ++k) {
    extend(losses, switch_cost, 0, k, 0, 0, exactly);
  }

  std::vector<double> at_most(max_switches + 1);
  double best = kInfinity;
  for (std::size_t s = 0; s <= max_switches; ++s) {
    if (s < exactly.size()) best = std::min(best, exactly[s]);
    at_most[s] = best;
  }
  return at_most;
}

std::vector<double> switching_by_recursion(MatrixView losses, std::size_t max_switches,
                                           double switch_cost) {
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
          if (j != k) best = std::min(best, before[s - 1][j] + switch_cost);
        }
        dp[s][k] = losses.row(t)[k] + best;
      }
    }
  }
  std::vector<double> out;
  for (const auto& row : dp) out.push_back(*std::min_element(row.begin(), row.end()));
  return out;
}

SwitchingPath switching_path_by_table(MatrixView losses, std::size_t max_switches,
                                      double switch_cost) {
  SwitchingPath path;
  const std::size_t rounds = losses.rows;
  const std::size_t experts = losses.columns;
  if (rounds == 0) return path;
  std::vector<std::vector<double>> dp(max_switches + 1);  // [s][k]
  for (auto& row : dp) row.assign(losses.row(0).begin(), losses.row(0).end());
  // The expert of the round before; k itself: stayed.
  std::vector<std::uint32_t> from(rounds * (max_switches + 1) * experts);
  const auto from_at = [&](std::size_t t, std::size_t s, std::size_t k) -> std::uint32_t& {
    return from[(t * (max_switches + 1) + s) * experts + k];
  };
  for (std::size_t t = 1; t < rounds; ++t) {
    const auto before = dp;
    for (std::size_t s = 0; s <= max_switches; ++s) {
      // The lowest index that is best in the row below, and the lowest that is best of the others.
      std::size_t best = experts, second = experts;
      for (std::size_t j = 0; s > 0 && j < experts; ++j) {
        if (best == experts || before[s - 1][j] < before[s - 1][best]) best = j;
      }
      for (std::size_t j = 0; s > 0 && j < experts; ++j) {
        if (j == best) continue;
        if (second == experts || before[s - 1][j] < before[s - 1][second]) second = j;
      }
      for (std::size_t k = 0; k < experts; ++k) {
        const std::size_t other = k == best ? second : best;
        const double moved = other < experts ? before[s - 1][other] + switch_cost : kInfinity;
        const bool moves = moved < before[s][k];
        from_at(t, s, k) = static_cast<std::uint32_t>(moves ? other : k);
        dp[s][k] = losses.row(t)[k] + (moves ? moved : before[s][k]);
      }
    }
  }

  std::size_t s = 0, k = 0;
  path.loss = kInfinity;
  for (std::size_t i = 0; i <= max_switches; ++i) {
    for (std::size_t j = 0; j < experts; ++j) {
      if (dp[i][j] < path.loss) path.loss = dp[s = i][k = j];
    }
  }
  if (path.loss == kInfinity) return path;
  path.experts.resize(rounds);
  for (std::size_t t = rounds; t-- > 0;) {
    path.experts[t] = static_cast<std::uint32_t>(k);
    if (t == 0 || from_at(t, s, k) == k) continue;
    k = from_at(t, s, k);
    --s;
    ++path.switches;
  }
  return path;
}

}  // namespace pcgs::reference
