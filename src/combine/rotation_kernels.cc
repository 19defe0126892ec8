#define HWY_TARGET_INCLUDE "combine/rotation_kernels.cc"
#include <algorithm>

#include "combine/ridge_regression.h"
#include "core/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::blend::kernels::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

// Only the weight waits for a division, and each entry of the row for one product: with cosines both
// would wait for a root as well.
double RotateIn(const Triangle& triangle, std::size_t first, double* HWY_RESTRICT row,
                double weight, double keep) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t end = triangle.size + 1;
  V largest = hn::Zero(d);
  for (std::size_t i = first; i < triangle.size; ++i) {
    double* HWY_RESTRICT r = triangle.rows + i * triangle.stride;
    const double x = row[i];
    const double old = keep * triangle.diagonal[i];
    const double now = old + weight * x * x;
    const double inverse = 1 / now;
    const V v_x = hn::Set(d, x);
    const V gain = hn::Set(d, weight * x * inverse);
    weight = weight * old * inverse;
    triangle.diagonal[i] = now;
    // From the whole register that holds the diagonal: before it both are 0, on it U is 1, and all
    // that stays.
    for (std::size_t j = i / lanes * lanes; j < end; j += lanes) {
      const V u = hn::Load(d, r + j);
      const V left = hn::NegMulAdd(v_x, u, hn::Load(d, row + j));
      hn::Store(left, d, row + j);
      const V turned = hn::MulAdd(gain, left, u);
      hn::Store(turned, d, r + j);
      largest = hn::Max(largest, hn::Abs(turned));
    }
  }
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

// A register's worth of rows at a time: what is solved already is subtracted from all of them in
// registers, and only the small triangle that is left waits for itself.
void BackSubstitute(const Triangle& triangle, double* HWY_RESTRICT solution) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t n = triangle.size;
  std::fill_n(solution, triangle.stride, 0.0);
  for (std::size_t end = n; end > 0;) {
    const std::size_t begin = (end - 1) / lanes * lanes;
    const std::size_t solved = begin + lanes;
    for (std::size_t i = begin; i < end; ++i) {
      const double* HWY_RESTRICT r = triangle.rows + i * triangle.stride;
      V sum = hn::Zero(d);
      for (std::size_t j = solved; j < n; j += lanes) {
        sum = hn::MulAdd(hn::Load(d, r + j), hn::Load(d, solution + j), sum);
      }
      solution[i] = r[n] - hn::GetLane(hn::SumOfLanes(d, sum));
    }
    for (std::size_t i = end; i-- > begin;) {
      const double* HWY_RESTRICT r = triangle.rows + i * triangle.stride;
      for (std::size_t j = i + 1; j < end; ++j) solution[i] -= r[j] * solution[j];
    }
    end = begin;
  }
}

}  // namespace pcgs::blend::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::blend::kernels {

HWY_EXPORT(RotateIn);
HWY_EXPORT(BackSubstitute);

double rotate_in(const Triangle& triangle, std::size_t first, double* row, double weight,
                 double keep) {
  return HWY_DYNAMIC_DISPATCH(RotateIn)(triangle, first, row, weight, keep);
}

void back_substitute(const Triangle& triangle, double* solution) {
  HWY_DYNAMIC_DISPATCH(BackSubstitute)(triangle, solution);
}

}  // namespace pcgs::blend::kernels
#endif
