// The exponential of the forward pass. Included once per instruction set by the files that need it
// inside a kernel of their own, hence the toggle in place of an include guard.
#if defined(PCGS_INFER_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PCGS_INFER_EXP_INL_H
#undef PCGS_INFER_EXP_INL_H
#else
#define PCGS_INFER_EXP_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pcgs::infer::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// exp(x) for x <= 0 with a relative error of 2e-7; exactly 0 below -87, where it would be denormal.
//     x = n ln 2 + r, |r| <= ln(2)/2        exp(x) = 2^n (1 + r + r^2 P(r))
// P is a least-maximum fit.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfNegative(D d, V x) {
  const V lowest = hn::Set(d, -87.0f);
  const V y = hn::Max(x, lowest);
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits of the sum.
  const V rounder = hn::Set(d, 0x1.8p23f);
  const V shifted = hn::MulAdd(y, hn::Set(d, 0x1.715476p+0f), rounder);
  const V n = hn::Sub(shifted, rounder);
  const V high = hn::NegMulAdd(n, hn::Set(d, 0x1.62e4p-1f), y);
  const V r = hn::NegMulAdd(n, hn::Set(d, 0x1.7f7d1cp-20f), high);
  V p = hn::MulAdd(hn::Set(d, 0x1.10624ep-7f), r, hn::Set(d, 0x1.572a68p-5f));
  p = hn::MulAdd(p, r, hn::Set(d, 0x1.5557b0p-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 0x1.fffdfcp-2f));
  const V mantissa = hn::MulAdd(hn::MulAdd(p, r, hn::Set(d, 1.0f)), r, hn::Set(d, 1.0f));
  const hn::RebindToSigned<D> di;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  const V result = hn::BitCast(d, hn::Add(hn::BitCast(di, mantissa), exponent));
  return hn::IfThenElseZero(hn::Ge(x, lowest), result);
}

}  // namespace pcgs::infer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
