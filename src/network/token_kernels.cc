#define HWY_TARGET_INCLUDE "network/token_kernels.cc"
#include "network/token_kernels.h"

// clang-format off
#include "core/simd_inl.h"
#include <hwy/contrib/math/math-inl.h>  // after it
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcgs::tokens::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

// f over whole registers, and over a copy of the rest behind which stands `filler`.
template <class Function>
HWY_INLINE void ForEach(const float* in, float* out, std::size_t n, float filler,
                        const Function& f) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, in + i)), d, out + i);
  if (i == n) return;
  HWY_ALIGN float buffer[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(hn::Set(d, filler), d, buffer);
  for (std::size_t j = i; j < n; ++j) buffer[j - i] = in[j];
  hn::Store(f(hn::Load(d, buffer)), d, buffer);
  for (std::size_t j = i; j < n; ++j) out[j] = buffer[j - i];
}

void FilterStep(float* HWY_RESTRICT weights, const float* HWY_RESTRICT charge, std::size_t n,
                float rho) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  VF sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const VF v = hn::Mul(hn::LoadU(d, weights + i), hn::Exp(d, hn::Neg(hn::LoadU(d, charge + i))));
    hn::StoreU(v, d, weights + i);
    sum = hn::Add(sum, v);
  }
  if (i < n) {
    HWY_ALIGN float w[HWY_MAX_BYTES / sizeof(float)] = {};
    HWY_ALIGN float c[HWY_MAX_BYTES / sizeof(float)] = {};
    for (std::size_t j = i; j < n; ++j) {
      w[j - i] = weights[j];
      c[j - i] = charge[j];
    }
    const VF v = hn::Mul(hn::Load(d, w), hn::Exp(d, hn::Neg(hn::Load(d, c))));
    hn::Store(v, d, w);
    for (std::size_t j = i; j < n; ++j) weights[j] = w[j - i];
    sum = hn::Add(sum, v);
  }
  const float total = hn::GetLane(hn::SumOfLanes(d, sum));
  const VF keep = hn::Set(d, (1 - rho) / total);
  const VF restart = hn::Set(d, rho / static_cast<float>(n));
  ForEach(weights, weights, n, 0.0f, [&](VF v) HWY_ATTR { return hn::MulAdd(v, keep, restart); });
}

void ScaledLog(const float* x, std::size_t n, float factor, float* out) {
  const F d;
  const VF scale = hn::Set(d, factor);
  ForEach(x, out, n, 1.0f, [&](VF v) HWY_ATTR { return hn::Log(d, hn::Mul(v, scale)); });
}

void SignedLog1p(float* x, std::size_t n) {
  const F d;
  ForEach(x, x, n, 0.0f, [&](VF v) HWY_ATTR { return hn::CopySign(hn::Log1p(d, hn::Abs(v)), v); });
}

}  // namespace pcgs::tokens::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::tokens {

HWY_EXPORT(FilterStep);
HWY_EXPORT(ScaledLog);
HWY_EXPORT(SignedLog1p);

void filter_step(float* weights, const float* charge, std::size_t n, float rho) {
  HWY_DYNAMIC_DISPATCH(FilterStep)(weights, charge, n, rho);
}

void scaled_log(const float* x, std::size_t n, float factor, float* out) {
  HWY_DYNAMIC_DISPATCH(ScaledLog)(x, n, factor, out);
}

void signed_log1p(float* x, std::size_t n) { HWY_DYNAMIC_DISPATCH(SignedLog1p)(x, n); }

}  // namespace pcgs::tokens
#endif  // HWY_ONCE
