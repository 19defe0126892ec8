#define HWY_TARGET_INCLUDE "combine/ridge_regression.cc"
#include "combine/ridge_regression.h"

#include <algorithm>
#include <cmath>

#include "core/kernels.h"
#include "core/simd_inl.h"

#ifndef PCGS_COMBINE_TRIANGLE  // once for all instruction sets
#define PCGS_COMBINE_TRIANGLE
namespace pcgs::blend::kernels {

// D and U of U'DU. U has n rows of `stride` numbers, aligned, with ones on the diagonal, zeros before
// it and beyond column n, which is the right side.
struct Triangle {
  double* diagonal;    // [n] D
  double* rows;        // [n x stride] U
  std::size_t size;    // n
  std::size_t stride;  // a multiple of 8, above n
};

}  // namespace pcgs::blend::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace pcgs::blend::kernels::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

// Multiplies D by `keep` and rotates a row [stride] of this weight into it; columns before `first` of
// the row are 0, and rows before it are left alone. The row is used up. Returns the
// largest size of a number that is written to U, unless one is NaN.
//
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

// U times the solution is the right side. `solution` [stride] is zero from n on afterwards.
//
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
namespace pcgs::blend {

namespace kernels {

HWY_EXPORT(RotateIn);
HWY_EXPORT(BackSubstitute);

}  // namespace kernels

namespace {

constexpr double kMost = 1e12;    // rows and targets are in units, and nothing is ever near it
constexpr double kLeast = 1e-18;  // of D

bool sane(double c) { return std::abs(c) <= kMost; }
bool sane_diagonal(double d) { return d >= kLeast && d <= kMost; }

double rotate_in(const kernels::Triangle& triangle, std::size_t first, double* row, double weight,
                 double keep) {
  using namespace kernels;
  return HWY_DYNAMIC_DISPATCH(RotateIn)(triangle, first, row, weight, keep);
}

void back_substitute(const kernels::Triangle& triangle, double* solution) {
  using namespace kernels;
  HWY_DYNAMIC_DISPATCH(BackSubstitute)(triangle, solution);
}

}  // namespace

RidgeRegression::RidgeRegression(std::span<const double> ridge, double forgetting)
    : stride_(padded(ridge.size() + 1)),
      forgetting_(forgetting),
      ridge_(ridge.begin(), ridge.end()),
      row_(stride_) {
  reset();
}

void RidgeRegression::reset() {
  triangle_.assign(size() * stride_, 0.0);
  coefficients_.assign(stride_, 0.0);
  diagonal_.assign(ridge_.begin(), ridge_.end());
  for (std::size_t i = 0; i < size(); ++i) triangle_[i * stride_ + i] = 1;
}

double RidgeRegression::predict(std::span<const double> x) const {
  return pcgs::kernels::dot(coefficients(), x);
}

void RidgeRegression::learn(std::span<const double> x, double y, double scale) {
  const kernels::Triangle triangle = {diagonal_.data(), triangle_.data(), size(), stride_};
  std::copy(x.begin(), x.end(), row_.begin());
  row_[size()] = y;
  double largest = rotate_in(triangle, 0, row_.data(), scale * scale, forgetting_);
  if (forgetting_ < 1 && ++since_ == kEvery) {
    since_ = 0;
    std::fill(row_.begin(), row_.end(), 0.0);
    const auto rows = static_cast<double>(kEvery * size());
    row_[turn_] = 1;
    const double weight = ridge_[turn_] * (1 - forgetting_) * rows;
    largest = std::max(largest, rotate_in(triangle, turn_, row_.data(), weight, 1));
    turn_ = (turn_ + 1) % size();
  }
  back_substitute(triangle, coefficients_.data());
  // What load() would refuse must never be saved.
  if (!sane(largest) || !sane_solution()) reset();
}

bool RidgeRegression::sane_solution() const {
  return std::all_of(diagonal_.begin(), diagonal_.end(), sane_diagonal) &&
         std::all_of(coefficients_.begin(), coefficients_.end(), sane);
}

// Without a leaver's column its row of the triangle lacks the diagonal, and is rotated in like any
// other.
RidgeRegression RidgeRegression::after(const ExpertChange& change) const {
  constexpr std::size_t kNew = ExpertChange::kNew;
  std::vector<std::size_t> from;  // [size after, and the right side] which column it was
  std::vector<double> ridge;
  for (std::size_t k = 0; k < change.after(); ++k) from.push_back(change.from(k));
  for (std::size_t i = change.before(); i <= size(); ++i) from.push_back(i);
  for (std::size_t j = 0; j + 1 < from.size(); ++j) {
    ridge.push_back(ridge_[from[j] == kNew ? 0 : from[j]]);
  }
  RidgeRegression out(ridge, forgetting_);
  const auto copy_row = [&](std::size_t i, double* into) {
    for (std::size_t j = 0; j < from.size(); ++j) {
      into[j] = from[j] == kNew ? 0 : triangle_[i * stride_ + from[j]];
    }
  };
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (from[j] == kNew) continue;
    copy_row(from[j], out.triangle_.data() + j * out.stride_);
    out.diagonal_[j] = diagonal_[from[j]];
  }
  const kernels::Triangle triangle = {out.diagonal_.data(), out.triangle_.data(), out.size(),
                                      out.stride_};
  for (std::size_t i = 0; i < change.before(); ++i) {
    if (change.place_of(i) != kNew) continue;
    std::fill(out.row_.begin(), out.row_.end(), 0.0);
    copy_row(i, out.row_.data());
    rotate_in(triangle, 0, out.row_.data(), diagonal_[i], 1);
  }
  back_substitute(triangle, out.coefficients_.data());
  out.turn_ = turn_ % out.size();
  out.since_ = since_;
  if (!std::all_of(out.triangle_.begin(), out.triangle_.end(), sane) || !out.sane_solution()) {
    out.reset();
  }
  return out;
}

void RidgeRegression::save(StateWriter& out) const {
  out.f64s(triangle_);
  out.f64s(diagonal_);
  out.f64s(coefficients_);
  out.u64(turn_);
  out.u64(since_);
}

void RidgeRegression::load(StateReader& in) {
  in.f64s_within(triangle_, -kMost, kMost, "a number of a regression");
  in.f64s_within(diagonal_, kLeast, kMost, "a diagonal of a regression");
  in.f64s_within(coefficients_, -kMost, kMost, "a coefficient");
  turn_ = in.u64_below(size(), "a turn of a ridge");
  since_ = in.u64_below(kEvery, "a count of rows");
  // Zeros and ones that the kernels count on.
  bool good = true;
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j < stride_; ++j) {
      if (j <= i || j > size()) good = good && triangle_[i * stride_ + j] == (i == j ? 1 : 0);
    }
  }
  for (std::size_t j = size(); j < stride_; ++j) good = good && coefficients_[j] == 0;
  if (!good) in.fail("the coefficients of a regression in it are damaged");
}

}  // namespace pcgs::blend
#endif  // HWY_ONCE
