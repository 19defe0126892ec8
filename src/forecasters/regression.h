// Regressions on lags: what they see of the past, an intercept and chosen lags, and recursive least squares.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pcgs/experts.h"
#include "pcgs/state.h"

namespace pcgs {

// The lags in order; throws Error if there are none, too many, or one twice.
std::vector<std::size_t> accepted_lags(std::vector<std::size_t> lags, std::size_t longest);

// "1-6+24+25"
std::string lags_text(std::span<const std::size_t> lags);

// Writes 1, y[lags] as they were `ago` steps before now to x [1 + lags], each value divided by
// `unit`; false if a value is missing.
bool fill_regressors(const Past& past, std::span<const std::size_t> lags, std::size_t ago,
                     double unit, std::span<double> x);

// <coefficients, x> for the regressors of now; NaN if a value is missing.
double predict_from(const Past& past, std::span<const std::size_t> lags, double unit,
                    std::span<const double> coefficients);

// Recursive least squares with forgetting, in a form that rounding cannot break.
//
//     f      = <c, x>
//     g      = P x / (forgetting + x' P x)
//     c      = c + g (y - f)
//     P      = (P - g x' P) / forgetting
//
// P is kept as U D U' with U unit upper triangular and D diagonal (Bierman, Factorization Methods
// for Discrete Sequential Estimation, 1977, chapter 5): the update multiplies the entries of D by
// positive numbers, so P stays symmetric and positive for ever.
//
// Directions in which x does not move are forgotten without being learned again, and P would grow
// in them by 1/forgetting each step until the first new value throws c anywhere. Where the trace of
// P would pass kLargestTrace times that of the prior, the step does not forget.
class LeastSquares {
 public:
  static constexpr double kLargestTrace = 1e6;

  // All coefficients 0, each with variance `prior`.
  LeastSquares(std::size_t size, double forgetting, double prior);

  std::size_t size() const { return size_; }
  std::span<const double> coefficients() const { return coefficients_; }
  double predict(std::span<const double> x) const;
  // False, and as new, if the numbers left the range of a double.
  bool learn(std::span<const double> x, double y);
  void reset();

  double trace() const;  // of P

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::size_t size_;
  double forgetting_, prior_;
  std::vector<double> coefficients_;   // [size]
  std::vector<double> upper_;          // [size x size] U, above its diagonal
  std::vector<double> diagonal_;       // [size] D
  std::vector<double> turned_, gain_;  // [size] U' x, and g before its division
};

}  // namespace pcgs
