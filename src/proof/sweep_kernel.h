// The inner loop of the oracle, compiled for each instruction set and chosen at run time.
#pragma once

#include <cstddef>

namespace pcgs::oracle {

// Rows of the table that are carried through the rounds together, so that each loss is loaded once
// for all of them.
inline constexpr std::size_t kBlockRows = 4;

// Some neighbouring rows dp[s,.] and some rounds to carry them through.
//
// min over j != k in the recursion may as well include j = k: dp[t,s,k] <= dp[t,s-1,k], since paths
// with at most s - 1 switches are among those with at most s, whatever a switch costs. Where k
// itself is the best of the row below, staying is at least as good as "switching" from k to k,
//     dp[t,s,k] <= dp[t,s-1,k] <= dp[t,s-1,k] + c        c >= 0
// and rounding keeps both. The update of a row is then
//     dp[s,k] <- min( dp[s,k], best of row s-1 before this round + c ) + loss(k)
// and the pass that writes a row also finds the best of it, for the next round.
struct Block {
  double* rows;          // [count][stride], aligned
  std::size_t count;     // 1 .. kBlockRows
  std::size_t stride;    // K padded to a multiple of 8
  double* best;          // [count] smallest entry of each row; kept up to date
  const double* losses;  // [rounds][stride], aligned; +infinity in the padding
  std::size_t rounds;
  // The best of every row before each round: round t's are at before + t * before_step. The entry
  // before the block's own (before[-1]) belongs to the row below and is read, +infinity if there is
  // none; those of the block are written.
  double* before;
  std::size_t before_step;
  double switch_cost;  // c
};

void carry(const Block& block);

}  // namespace pcgs::oracle
