#include "combine/ridge_regression.h"

#include <algorithm>
#include <cmath>

#include "core/kernels.h"

namespace pcgs::blend {

namespace {

constexpr double kMost = 1e12;    // rows and targets are in units, and nothing is ever near it
constexpr double kLeast = 1e-18;  // of D

bool sane(double c) { return std::abs(c) <= kMost; }
bool sane_diagonal(double d) { return d >= kLeast && d <= kMost; }

}  // namespace

RidgeRegression::RidgeRegression(std::span<const double> ridge, double forgetting)
    : stride_(padded(ridge.size() + 1)),
      forgetting_(forgetting),
      ridge_(ridge.begin(), ridge.end()),
      triangle_(ridge.size() * stride_),
      diagonal_(ridge.size()),
      coefficients_(stride_),
      row_(stride_) {
  reset();
}

void RidgeRegression::reset() {
  std::fill(triangle_.begin(), triangle_.end(), 0.0);
  std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
  for (std::size_t i = 0; i < size(); ++i) triangle_[i * stride_ + i] = 1;
  std::copy(ridge_.begin(), ridge_.end(), diagonal_.begin());
}

double RidgeRegression::predict(std::span<const double> x) const {
  return pcgs::kernels::dot(coefficients(), x);
}

void RidgeRegression::learn(std::span<const double> x, double y, double scale) {
  const kernels::Triangle triangle = {diagonal_.data(), triangle_.data(), size(), stride_};
  std::copy(x.begin(), x.end(), row_.begin());
  row_[size()] = y;
  double largest = kernels::rotate_in(triangle, 0, row_.data(), scale * scale, forgetting_);
  if (forgetting_ < 1 && ++since_ == kEvery) {
    since_ = 0;
    std::fill(row_.begin(), row_.end(), 0.0);
    const auto rows = static_cast<double>(kEvery * size());
    row_[turn_] = 1;
    const double weight = ridge_[turn_] * (1 - forgetting_) * rows;
    largest = std::max(largest, kernels::rotate_in(triangle, turn_, row_.data(), weight, 1));
    turn_ = (turn_ + 1) % size();
  }
  kernels::back_substitute(triangle, coefficients_.data());
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
    kernels::rotate_in(triangle, 0, out.row_.data(), diagonal_[i], 1);
  }
  kernels::back_substitute(triangle, out.coefficients_.data());
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
  in.f64s(triangle_);
  in.f64s(diagonal_);
  in.f64s(coefficients_);
  const auto turn = in.u64();
  const auto since = in.u64();
  bool good = turn < size() && since < kEvery &&
              std::all_of(triangle_.begin(), triangle_.end(), sane) && sane_solution();
  // Zeros and ones that the kernels count on.
  for (std::size_t i = 0; i < size(); ++i) {
    good = good && triangle_[i * stride_ + i] == 1;
    for (std::size_t j = 0; j < stride_; ++j) {
      if (j < i || j > size()) good = good && triangle_[i * stride_ + j] == 0;
    }
  }
  for (std::size_t j = size(); j < stride_; ++j) good = good && coefficients_[j] == 0;
  if (!good) in.fail("the coefficients of a regression in it are damaged");
  turn_ = turn;
  since_ = since;
}

}  // namespace pcgs::blend
