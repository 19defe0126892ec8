// The table dp[s,k] on its way through the rounds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/kernels.h"
#include "pcgs/oracle.h"

namespace pcgs::oracle {

// Losses that are in memory.
class MatrixRows final : public LossRows {
 public:
  explicit MatrixRows(MatrixView matrix) : matrix_(matrix) {}
  std::size_t rows() const override { return matrix_.rows; }
  std::size_t columns() const override { return matrix_.columns; }
  void read(std::size_t first, std::size_t count, double* out, std::size_t stride) const override;
  void read_column(std::size_t column, std::size_t first, std::size_t count,
                   double* out) const override;

 private:
  MatrixView matrix_;
};

// The cost itself. Throws Error unless it is one.
double checked_switch_cost(double cost);

class Sweep {
 public:
  // The table before the first round, with rows s < budgets. Throws Error for a cost that is none.
  Sweep(const LossRows& losses, std::size_t budgets, std::size_t threads = 1,
        double switch_cost = 0);

  // Carries the rows s < budgets (at most those of the constructor) through the rounds first ..
  // first + count - 1, which must follow on those before. If asked to, writes the best of each row
  // before each round to bests[round - first][1 + s], and +infinity to bests[..][0], so that
  // bests[..][s] is what row s may switch from; a round takes budgets + 1 numbers.
  void advance(std::size_t first, std::size_t count, std::size_t budgets, double* bests = nullptr);

  std::size_t budgets() const { return best_.size(); }
  double switch_cost() const { return switch_cost_; }
  std::size_t stride() const { return stride_; }
  // L_sw(s) for the rounds so far.
  double best(std::size_t s) const { return best_[s]; }
  // The lowest k that attains it.
  std::size_t best_expert(std::size_t s) const;

  // Everything that later rounds depend on; the first numbers are the table, [budgets][stride].
  std::vector<double> checkpoint() const;
  void restore(std::span<const double> checkpoint);

 private:
  struct Work {
    std::size_t first, count, budgets;
    double* bests;
  };
  bool advance_in_stages(const Work& work, std::size_t chunks, std::size_t blocks);
  double* bests_of(const Work& work, std::size_t c);
  void load_chunk(const Work& work, std::size_t c);
  void carry_chunk(const Work& work, std::size_t c, std::size_t first_block,
                   std::size_t last_block);

  const LossRows& losses_;
  double switch_cost_;
  std::size_t stride_;
  std::size_t chunk_;          // rounds that are copied and worked on together
  std::size_t block_rows_;     // rows of the table that are worked on together
  std::size_t stages_;         // threads
  std::size_t slots_;          // chunks in flight
  AlignedVector rows_;         // [budgets][stride]
  std::vector<double> best_;   // [budgets]
  AlignedVector buffer_;       // [slot][chunk][stride] losses; +infinity in the padding
  std::vector<double> bests_;  // [slot][chunk][budgets + 1], where the caller gives no room
};

// The inner loop, compiled for each instruction set and chosen at run time.

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
