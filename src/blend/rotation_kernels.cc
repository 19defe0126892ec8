#define HWY_TARGET_INCLUDE "blend/rotation_kernels.cc"
#include "blend/rotation_kernels.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch_inl.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::blend::kernels::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

void RotateIn(const Triangle& triangle, std::size_t first, double* HWY_RESTRICT row, double keep) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t end = triangle.size + 1;
  for (std::size_t i = first; i < triangle.size; ++i) {
    double* HWY_RESTRICT r = triangle.rows + i * triangle.stride;
    const double a = keep * r[i];
    const double b = row[i];
    const double length = std::sqrt(a * a + b * b);
    const double cosine = a / length;
    const double sine = b / length;
    const V c = hn::Set(d, cosine), s = hn::Set(d, sine);
    const V kept_c = hn::Set(d, keep * cosine), kept_s = hn::Set(d, keep * sine);
    // From the whole register that holds the diagonal: before it both are 0 and stay 0.
    for (std::size_t j = i / lanes * lanes; j < end; j += lanes) {
      const V old = hn::Load(d, r + j);
      const V x = hn::Load(d, row + j);
      hn::Store(hn::MulAdd(kept_c, old, hn::Mul(s, x)), d, r + j);
      hn::Store(hn::NegMulAdd(kept_s, old, hn::Mul(c, x)), d, row + j);
    }
    r[i] = length;
    row[i] = 0;
  }
}

void BackSubstitute(const Triangle& triangle, double* HWY_RESTRICT solution) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t n = triangle.size;
  std::fill_n(solution, triangle.stride, 0.0);
  for (std::size_t i = n; i-- > 0;) {
    const double* HWY_RESTRICT r = triangle.rows + i * triangle.stride;
    V sum = hn::Zero(d);
    for (std::size_t j = i / lanes * lanes; j < n; j += lanes) {
      sum = hn::MulAdd(hn::Load(d, r + j), hn::Load(d, solution + j), sum);
    }
    solution[i] = (r[n] - hn::GetLane(hn::SumOfLanes(d, sum))) / r[i];
  }
}

}  // namespace pcgs::blend::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::blend::kernels {

HWY_EXPORT(RotateIn);
HWY_EXPORT(BackSubstitute);

void rotate_in(const Triangle& triangle, std::size_t first, double* row, double keep) {
  HWY_DYNAMIC_DISPATCH(RotateIn)(triangle, first, row, keep);
}

void back_substitute(const Triangle& triangle, double* solution) {
  HWY_DYNAMIC_DISPATCH(BackSubstitute)(triangle, solution);
}

}  // namespace pcgs::blend::kernels
#endif
