#define HWY_TARGET_INCLUDE "proof/sweep_kernel.cc"
#include <limits>

#include "core/simd_inl.h"
#include "data/invariant.h"
#include "proof/sweep.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::oracle::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

double Least(V values) {
  const D d;
#if HWY_TARGET == HWY_EMU128
  // Its MinOfLanes never exceeds the largest finite number, but everybody may be asleep.
  HWY_ALIGN double lanes[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(values, d, lanes);
  double least = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(d); ++i) least = lanes[i] < least ? lanes[i] : least;
  return least;
#else
  return hn::GetLane(hn::MinOfLanes(d, values));
#endif
}

// Adding a cost of 0 would change nothing but the time, between two rounds of few experts.
template <std::size_t kRows, bool kCosts>
void CarryRows(const Block& block) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t stride = block.stride;
  double* const rows = block.rows;
  const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  double best[kRows];
  for (std::size_t i = 0; i < kRows; ++i) best[i] = block.best[i];
  const auto switched = [&](double from) {
    return hn::Set(d, kCosts ? from + block.switch_cost : from);
  };

  for (std::size_t t = 0; t < block.rounds; ++t) {
    const double* HWY_RESTRICT losses = block.losses + t * stride;
    double* before = block.before + t * block.before_step;
    V from_below[kBlockRows] = {switched(before[-1]), infinity, infinity, infinity};
    V least[kBlockRows] = {infinity, infinity, infinity, infinity};
    for (std::size_t i = 0; i < kRows; ++i) {
      before[i] = best[i];
      if (i > 0) from_below[i] = switched(best[i - 1]);
    }
    for (std::size_t k = 0; k < stride; k += lanes) {
      const V loss = hn::Load(d, losses + k);
      for (std::size_t i = 0; i < kRows; ++i) {
        double* HWY_RESTRICT at = rows + i * stride + k;
        const V value = hn::Add(hn::Min(hn::Load(d, at), from_below[i]), loss);
        hn::Store(value, d, at);
        least[i] = hn::Min(least[i], value);
      }
    }
    for (std::size_t i = 0; i < kRows; ++i) best[i] = Least(least[i]);
  }
  for (std::size_t i = 0; i < kRows; ++i) block.best[i] = best[i];
}

template <bool kCosts>
void CarryBlock(const Block& block) {
  switch (block.count) {
    case 1:
      return CarryRows<1, kCosts>(block);
    case 2:
      return CarryRows<2, kCosts>(block);
    case 3:
      return CarryRows<3, kCosts>(block);
    default:
      return CarryRows<4, kCosts>(block);
  }
}

void Carry(const Block& block) {
  if (block.switch_cost > 0) return CarryBlock<true>(block);
  CarryBlock<false>(block);
}

}  // namespace pcgs::oracle::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::oracle {

HWY_EXPORT(Carry);

void carry(const Block& block) {
  invariant(block.count >= 1 && block.count <= kBlockRows, "a block of one to four rows");
  HWY_DYNAMIC_DISPATCH(Carry)(block);
}

}  // namespace pcgs::oracle
#endif
