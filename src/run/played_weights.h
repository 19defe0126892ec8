// What only the weights of every round tell.
#pragma once

#include <cmath>
#include <vector>

#include "pcgs/matrix.h"
#include "pcgs/trace.h"

namespace pcgs::compare {

// Watches a method play. Its movement is the sum over rounds of half the L1 distance between the
// weights played and those of the round before: the mass that went from one expert to another. A
// path of experts, as weights, moves by one for every switch.
class PlayedWeights final : public TraceSink {
 public:
  // [rounds learned x K] the losses before they were capped, as they will be learned; empty for none.
  explicit PlayedWeights(const Matrix& unclipped) : unclipped_(unclipped) {}

  double movement() const { return movement_; }
  // <played weights, unclipped losses>, summed.
  double unclipped_loss() const { return unclipped_loss_; }

  void record(const TraceRow& row) override {
    for (std::size_t k = 0; k < row.played.size() && !last_.empty(); ++k) {
      movement_ += std::abs(row.played[k] - last_[k]) / 2;
    }
    last_.assign(row.played.begin(), row.played.end());
    if (round_ >= unclipped_.rows) return;
    const auto losses = unclipped_.row(round_++);
    for (std::size_t k = 0; k < losses.size(); ++k) {
      if (row.played[k] > 0) unclipped_loss_ += row.played[k] * losses[k];  // sleepers are infinite
    }
  }

 private:
  const Matrix& unclipped_;
  std::size_t round_ = 0;
  std::vector<double> last_;  // [K] empty before the first round
  double movement_ = 0, unclipped_loss_ = 0;
};

}  // namespace pcgs::compare
