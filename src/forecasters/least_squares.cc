#include "forecasters/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs {

LeastSquares::LeastSquares(std::size_t size, double forgetting, double prior)
    : size_(size),
      forgetting_(forgetting),
      prior_(prior),
      coefficients_(size),
      upper_(size * size),
      diagonal_(size),
      turned_(size),
      gain_(size) {
  reset();
}

void LeastSquares::reset() {
  std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
  std::fill(upper_.begin(), upper_.end(), 0.0);
  std::fill(diagonal_.begin(), diagonal_.end(), prior_);
}

double LeastSquares::predict(std::span<const double> x) const {
  double f = 0;
  for (std::size_t i = 0; i < size_; ++i) f += coefficients_[i] * x[i];
  return f;
}

// sum_i P_ii = sum_i sum_{j >= i} U_ij^2 D_j
double LeastSquares::trace() const {
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    sum += diagonal_[i];
    for (std::size_t j = i + 1; j < size_; ++j) {
      const double u = upper_[i * size_ + j];
      sum += u * u * diagonal_[j];
    }
  }
  return sum;
}

bool LeastSquares::learn(std::span<const double> x, double y) {
  const double error = y - predict(x);
  for (std::size_t j = 0; j < size_; ++j) {
    double f = x[j];
    for (std::size_t i = 0; i < j; ++i) f += upper_[i * size_ + j] * x[i];
    turned_[j] = f;
  }
  double alpha = forgetting_;  // forgetting + the part of x' P x that has been taken in
  for (std::size_t j = 0; j < size_; ++j) {
    const double f = turned_[j];
    const double v = diagonal_[j] * f;
    const double before = alpha;
    alpha += f * v;
    diagonal_[j] *= before / alpha;
    gain_[j] = v;
    const double p = -f / before;
    for (std::size_t i = 0; i < j; ++i) {
      double& u = upper_[i * size_ + j];
      const double old = u;
      u += gain_[i] * p;
      gain_[i] += old * v;
    }
  }
  const double step = error / alpha;
  for (std::size_t i = 0; i < size_; ++i) coefficients_[i] += gain_[i] * step;

  const double spread = trace();
  if (spread <= kLargestTrace * prior_ * static_cast<double>(size_) * forgetting_) {
    for (double& d : diagonal_) d /= forgetting_;
  }
  const auto finite = [](double c) { return std::isfinite(c); };
  if (std::isfinite(spread) && std::all_of(coefficients_.begin(), coefficients_.end(), finite)) {
    return true;
  }
  reset();
  return false;
}

void LeastSquares::save(StateWriter& out) const {
  out.f64s(coefficients_);
  out.f64s(upper_);
  out.f64s(diagonal_);
}

void LeastSquares::load(StateReader& in) {
  in.f64s(coefficients_);
  in.f64s(upper_);
  in.f64s(diagonal_);
  const auto finite = [](double c) { return std::isfinite(c); };
  const auto variance = [](double d) { return d >= 0 && std::isfinite(d); };
  if (!std::all_of(coefficients_.begin(), coefficients_.end(), finite) ||
      !std::all_of(upper_.begin(), upper_.end(), finite) ||
      !std::all_of(diagonal_.begin(), diagonal_.end(), variance)) {
    in.fail("the coefficients of a regression are not finite");
  }
}

}  // namespace pcgs
