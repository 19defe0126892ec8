// The learning rate of AdaHedge: it falls with the mixability gap that has been paid.
//
//     Delta += max(0, <w,l> - rise of the soft minimum of the cumulative losses)
//     eta    = ln M / Delta        over M experts or members; infinite while Delta = 0
//
// De Rooij, van Erven, Grunwald and Koolen, Follow the leader if you can, hedge if you must, 2014.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "pcgs/state.h"

namespace pcgs {

class MixabilityGap {
 public:
  explicit MixabilityGap(std::size_t members, double least = 0)
      : log_members_(std::log(static_cast<double>(members))), least_(least), sum_(least) {}

  double sum() const { return sum_; }  // Delta
  double log_members() const { return log_members_; }
  // Infinite also where the division overflows.
  double learning_rate() const { return log_members_ / sum_; }

  void pay(double loss, double rise) { sum_ += std::max(0.0, loss - rise); }

  void save(StateWriter& out) const { out.f64(sum_); }
  void load(StateReader& in) { sum_ = in.f64_within(least_, 1e15, "the sum of mixability gaps"); }

 private:
  double log_members_, least_, sum_;
};

}  // namespace pcgs
