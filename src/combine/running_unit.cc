#include "combine/running_unit.h"

#include <limits>

namespace pcgs::levels {

void RunningUnit::save(StateWriter& out) const {
  out.f64(mean_);
  out.u64(rounds_);
}

void RunningUnit::load(StateReader& in) {
  mean_ = in.f64_within(0, std::numeric_limits<double>::max(), "a mean score");
  rounds_ = in.u64();
  if (rounds_ >= std::uint64_t{1} << 53) in.fail("a count in it is out of range");
}

}  // namespace pcgs::levels
