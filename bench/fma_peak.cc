#define HWY_TARGET_INCLUDE "fma_peak.cc"
#include "fma_peak.h"

#include "core/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::bench::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

double MultiplyAdd(std::size_t steps, float& sink) {
  constexpr std::size_t kSums = 12;  // independent, so that none waits for itself
  const F d;
  const VF factor = hn::Set(d, 0.999f + sink);
  VF sums[kSums];
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = hn::Set(d, static_cast<float>(i));
  for (std::size_t step = 0; step < steps; ++step) {
    for (VF& sum : sums) sum = hn::MulAdd(sum, factor, factor);
  }
  VF total = hn::Zero(d);
  for (const VF& sum : sums) total = hn::Add(total, sum);
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
