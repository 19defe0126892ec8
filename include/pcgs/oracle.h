// The exact best sequence of experts in hindsight with a bounded number of switches, each of which
// may cost something, c >= 0.
//
//     dp[1,s,k] = l_1(k)
//     dp[t,s,k] = l_t(k) + min( dp[t-1,s,k], c + min_{j != k} dp[t-1,s-1,j] )
//     L_sw(s)   = min_k dp[T,s,k]
//
// L_sw(s) is the least sum of losses and c times switches of all paths with at most s switches. It
// is not convex in s, so nothing cheaper than this recursion is exact. Losses and costs are added in
// double, in the order of rounds. A loss of +infinity marks an expert that sleeps; where every path
// with so few switches meets a sleeper the value is +infinity (K = 0: nobody is ever awake). T = 0
// gives zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs {

// Where losses come from, so that they need not all be in memory.
class LossRows {
 public:
  virtual ~LossRows() = default;
  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;
  // Writes rows first .. first + count - 1 to out, out + stride, ...; entries beyond `columns` are
  // left alone. May be called from several threads and for the same rows more than once.
  virtual void read(std::size_t first, std::size_t count, double* out,
                    std::size_t stride) const = 0;
  // Writes that column's entry of each of those rows. Reads whole rows unless overridden.
  virtual void read_column(std::size_t column, std::size_t first, std::size_t count,
                           double* out) const;
};

// What a switch may cost: from 0 to this, so that no sum of costs is infinite. Anything else is an
// Error.
inline constexpr double kMostSwitchCost = 1e290;

// L_sw(0), ..., L_sw(max_switches) in one sweep. O(T K S) time, O(K S) memory. Several threads
// share the budgets; the answer is the same to the bit.
std::vector<double> switching_oracle(MatrixView losses, std::size_t max_switches,
                                     std::size_t threads = 1, double switch_cost = 0);
std::vector<double> switching_oracle(const LossRows& losses, std::size_t max_switches,
                                     std::size_t threads = 1, double switch_cost = 0);

struct SwitchingPath {
  double loss = 0;                     // L_sw(max_switches), with the costs of its switches
  std::size_t switches = 0;            // how many it takes: the fewest that reach this loss
  std::vector<std::uint32_t> experts;  // [T]; empty when the loss is infinite
};

inline constexpr std::size_t kOracleMemory = std::size_t{256} << 20;

// The path that attains L_sw(max_switches); among equals the one with the fewest switches, and
// seen from the end one that stays where it can and else comes from the lowest index. About as fast
// as the value alone. Takes at most `memory` bytes beyond the losses, the path and a few hundred
// KiB of buffers; where that is too little to go over the rounds once, goes over them twice. Throws
// Error, saying how much to allow, if even that does not fit.
SwitchingPath switching_path(MatrixView losses, std::size_t max_switches,
                             std::size_t memory = kOracleMemory, std::size_t threads = 1,
                             double switch_cost = 0);
SwitchingPath switching_path(const LossRows& losses, std::size_t max_switches,
                             std::size_t memory = kOracleMemory, std::size_t threads = 1,
                             double switch_cost = 0);

// The best path of all, with as many switches as pay for themselves: what switching_path finds with
// a budget of T - 1, by the same rule among equals, in O(T K) time and O(T + K) memory. Paths whose
// sums differ by less than rounding may change places: one row keeps one path to each expert, where
// a table keeps one for each number of switches.
SwitchingPath unlimited_path(MatrixView losses, double switch_cost);
SwitchingPath unlimited_path(const LossRows& losses, double switch_cost);

}  // namespace pcgs
