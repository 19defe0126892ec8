#include "blend/ridge_regression.h"

#include <algorithm>
#include <cmath>

namespace pcgs::blend {

namespace {

constexpr double kMost = 1e12;  // rows and targets are in units, and no coefficient is ever near it

}  // namespace

RidgeRegression::RidgeRegression(std::span<const double> ridge, double forgetting)
    : stride_(ridge.size() + 1),
      forgetting_(forgetting),
      ridge_(ridge.begin(), ridge.end()),
      triangle_(ridge.size() * stride_),
      coefficients_(ridge.size()),
      row_(stride_) {
  reset();
}

void RidgeRegression::reset() {
  std::fill(triangle_.begin(), triangle_.end(), 0.0);
  std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
  for (std::size_t i = 0; i < size(); ++i) triangle_row(i)[i] = std::sqrt(ridge_[i]);
}

double RidgeRegression::predict(std::span<const double> x) const {
  double f = 0;
  for (std::size_t i = 0; i < size(); ++i) f += coefficients_[i] * x[i];
  return f;
}

// Rotates row_ into the triangle from row `first` on, after the triangle was multiplied by `keep`.
void RidgeRegression::rotate_in(std::size_t first, double y, double keep) {
  const std::size_t n = size();
  row_[n] = y;
  double* const x = row_.data();
  for (std::size_t i = first; i < n; ++i) {
    double* const r = triangle_row(i);
    const double a = keep * r[i];
    const double b = x[i];
    const double length = std::sqrt(a * a + b * b);
    const double cosine = a / length;
    const double sine = b / length;
    const double kept_cosine = keep * cosine;
    const double kept_sine = keep * sine;
    r[i] = length;
    for (std::size_t j = i + 1; j <= n; ++j) {
      const double old = r[j];
      r[j] = kept_cosine * old + sine * x[j];
      x[j] = cosine * x[j] - kept_sine * old;
    }
  }
}

void RidgeRegression::solve() {
  const std::size_t n = size();
  for (std::size_t i = n; i-- > 0;) {
    const double* const r = triangle_row(i);
    double rest = r[n];
    for (std::size_t j = i + 1; j < n; ++j) rest -= r[j] * coefficients_[j];
    coefficients_[i] = rest / r[i];
  }
}

void RidgeRegression::learn(std::span<const double> x, double y, double scale) {
  for (std::size_t i = 0; i < size(); ++i) row_[i] = scale * x[i];
  rotate_in(0, scale * y, std::sqrt(forgetting_));
  if (forgetting_ < 1) {
    std::fill(row_.begin(), row_.end(), 0.0);
    row_[turn_] = std::sqrt(ridge_[turn_] * (1 - forgetting_) * static_cast<double>(size()));
    rotate_in(turn_, 0, 1);
    turn_ = (turn_ + 1) % size();
  }
  solve();
  const auto sane = [](double c) { return std::abs(c) <= kMost; };
  if (!std::all_of(coefficients_.begin(), coefficients_.end(), sane)) reset();
}

void RidgeRegression::save(StateWriter& out) const {
  out.f64s(triangle_);
  out.f64s(coefficients_);
  out.u64(turn_);
}

void RidgeRegression::load(StateReader& in) {
  in.f64s(triangle_);
  in.f64s(coefficients_);
  const auto turn = in.u64();
  const auto sane = [](double c) { return std::abs(c) <= kMost; };
  bool good = turn < size() && std::all_of(triangle_.begin(), triangle_.end(), sane) &&
              std::all_of(coefficients_.begin(), coefficients_.end(), sane);
  for (std::size_t i = 0; i < size(); ++i) good = good && triangle_row(i)[i] > 1e-9;
  if (!good) in.fail("the coefficients of a regression in it are damaged");
  turn_ = turn;
}

}  // namespace pcgs::blend
