#include "fma_peak.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fma_peak.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set; must come first
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcgs::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

double MultiplyAdd(std::size_t steps, float& sink) {
  constexpr std::size_t kSums = 12;  // independent, so that none waits for itself
  const D d;
  const V factor = hn::Set(d, 0.999f + sink);
  V sums[kSums];
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = hn::Set(d, static_cast<float>(i));
  for (std::size_t step = 0; step < steps; ++step) {
    for (V& sum : sums) sum = hn::MulAdd(sum, factor, factor);
  }
  V total = hn::Zero(d);
  for (const V& sum : sums) total = hn::Add(total, sum);
  sink = hn::GetLane(hn::SumOfLanes(d, total)) * 0;
  return 2.0 * static_cast<double>(steps * kSums * hn::Lanes(d));
}

}  // namespace pcgs::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::bench {

HWY_EXPORT(MultiplyAdd);

double multiply_add(std::size_t steps, float& sink) {
  return HWY_DYNAMIC_DISPATCH(MultiplyAdd)(steps, sink);
}

}  // namespace pcgs::bench
#endif
