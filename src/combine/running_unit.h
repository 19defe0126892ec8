// What a series' operators are measured by: the mean over its rounds of a middling one's score.
//
// In units of the round itself a quiet week, in which sharp tails gain little, would count as much as
// the week of the peak, in which they lose much. So they would look better than they are.
#pragma once

#include <cstdint>

#include "pcgs/state.h"

namespace pcgs::levels {

class RunningUnit {
 public:
  // Counts the unit of one more round, above 0. Sums could leave the range of a double.
  void add(double unit) {
    ++rounds_;
    mean_ += (unit - mean_) / static_cast<double>(rounds_);
  }
  double mean() const { return mean_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double mean_ = 0;
  std::uint64_t rounds_ = 0;
};

}  // namespace pcgs::levels
