// For files of kernels: compiles the file that includes it once per instruction set, names the registers of each, and
// has the exponentials that weights and softmaxes are made with.
//
// The file defines HWY_TARGET_INCLUDE, its own path, and includes this before anything else of
// Highway. Hence the toggle in place of an include guard.
#include <hwy/foreach_target.h>  // must come first
#include <hwy/highway.h>

#if defined(PCGS_CORE_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PCGS_CORE_SIMD_INL_H
#undef PCGS_CORE_SIMD_INL_H
#else
#define PCGS_CORE_SIMD_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace pcgs::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using F = hn::ScalableTag<float>;
using VF = hn::Vec<F>;

// Both exponentials below reduce their argument to
//     x = n ln 2 + r, |r| <= ln(2)/2        exp(x) = 2^n (1 + r + r^2 P(r))
// Highway's own Exp takes any argument and is twice as long; here the result is never denormal, so
// the scaling by 2^n is one integer addition.
template <class X>
struct Reduced {
  X shifted, r;  // n in the low bits
};
// Adding 1.5 * 2^52, or 2^23, rounds to an integer and leaves it in the low bits of the sum. ln 2 comes in two
// parts.
template <class T, class X, class N>
HWY_INLINE Reduced<X> Reduce(T d, X y, N log2_e, N rounder, N ln2_high, N ln2_low) {
  const X shifted = hn::MulAdd(y, hn::Set(d, log2_e), hn::Set(d, rounder));
  const X n = hn::Sub(shifted, hn::Set(d, rounder));
  return {shifted,
          hn::NegMulAdd(n, hn::Set(d, ln2_low), hn::NegMulAdd(n, hn::Set(d, ln2_high), y))};
}
// 2^n (1 + r + r^2 p), 0 for x below `lowest`.
template <int kMantissaBits, class T, class X>
HWY_INLINE X Scaled(T d, const Reduced<X>& reduced, X mantissa, X x, X lowest) {
  const hn::RebindToSigned<T> di;
  const auto exponent = hn::ShiftLeft<kMantissaBits>(hn::BitCast(di, reduced.shifted));
  const X result = hn::BitCast(d, hn::Add(hn::BitCast(di, mantissa), exponent));
  return hn::IfThenElseZero(hn::Ge(x, lowest), result);
}

// Of doubles. exp(x) for x <= 700, exactly 0 below `lowest` (>= -700): a denormal result would cost a hundred
// cycles and could not be trusted to its last bits. Within 1 ulp elsewhere. P interpolates at the Chebyshev
// nodes; its relative error is 1.6e-17.
HWY_INLINE V ExpOrZero(D d, V x, V lowest) {
  const auto reduced = Reduce(d, hn::Max(x, lowest), 0x1.71547652b82fep+0, 0x1.8p52,
                              0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33);
  const V r = reduced.r;
  const V r2 = hn::Mul(r, r);
  const V r4 = hn::Mul(r2, r2);
  const auto pair = [&](double c0, double c1)
                        HWY_ATTR { return hn::MulAdd(hn::Set(d, c1), r, hn::Set(d, c0)); };
  const V p01 = pair(0x1.0000000000001p-1, 0x1.5555555555556p-3);
  const V p23 = pair(0x1.5555555553d68p-5, 0x1.11111111109b5p-7);
  const V p45 = pair(0x1.6c16c17889f40p-10, 0x1.a01a01a7c2f2ep-13);
  const V p67 = pair(0x1.a019b9148739fp-16, 0x1.71de0db2eafc6p-19);
  const V p89 = pair(0x1.28917ca046b86p-22, 0x1.af389eeb9e5e9p-26);
  const V p0to3 = hn::MulAdd(p23, r2, p01);
  const V p4to9 = hn::MulAdd(p89, r4, hn::MulAdd(p67, r2, p45));
  const V p = hn::MulAdd(p4to9, r4, p0to3);
  return Scaled<52>(d, reduced, hn::Add(hn::Set(d, 1.0), hn::MulAdd(p, r2, r)), x, lowest);
}

// Of floats. exp(x) for x <= 0 with a relative error of 2e-7; exactly 0 below -87, where it would be denormal.
// P is a least-maximum fit.
HWY_INLINE VF ExpOfNegative(F d, VF x) {
  const VF lowest = hn::Set(d, -87.0f);
  const auto reduced =
      Reduce(d, hn::Max(x, lowest), 0x1.715476p+0f, 0x1.8p23f, 0x1.62e4p-1f, 0x1.7f7d1cp-20f);
  const VF r = reduced.r;
  VF p = hn::MulAdd(hn::Set(d, 0x1.10624ep-7f), r, hn::Set(d, 0x1.572a68p-5f));
  p = hn::MulAdd(p, r, hn::Set(d, 0x1.5557b0p-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 0x1.fffdfcp-2f));
  const VF mantissa = hn::MulAdd(hn::MulAdd(p, r, hn::Set(d, 1.0f)), r, hn::Set(d, 1.0f));
  return Scaled<23>(d, reduced, mantissa, x, lowest);
}

}  // namespace pcgs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
