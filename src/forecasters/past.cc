#include <bit>
#include <cmath>
#include <limits>

#include "pcgs/experts.h"

namespace pcgs {

namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 53;  // one a microsecond for 285 years

}  // namespace

const double Past::kNone = std::numeric_limits<double>::quiet_NaN();

Past::Past(std::size_t reach)
    : mask_(std::bit_ceil(std::uint64_t{reach} + 1) - 1), ring_(mask_ + 1, kNone) {}

// Added up anew each time: a running sum would remember the rounding of every spike that has left
// the window.
double Past::mean(std::size_t n) const {
  if (n > count_) return kNone;
  double sum = 0;
  std::size_t there = 0;
  for (std::uint64_t i = count_ - n; i < count_; ++i) {
    const double y = ring_[i & mask_];
    if (std::isnan(y)) continue;
    sum += y;
    ++there;
  }
  return there > 0 ? sum / static_cast<double>(there) : kNone;
}

void Past::save(StateWriter& out) const {
  out.u64(count_);
  out.f64s(ring_);
}

void Past::load(StateReader& in) {
  count_ = in.u64();
  if (count_ > kMostSteps) in.fail("the number of steps is out of range");
  in.f64s(ring_);
  for (const double y : ring_) {
    if (std::isinf(y)) in.fail("a value of the series is infinite");
  }
}

}  // namespace pcgs
