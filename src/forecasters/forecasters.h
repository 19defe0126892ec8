// What the forecasters have in common: ranges that their options must be in, regressions on lags with recursive least
// squares, and pools described in JSON.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/error.h"
#include "pcgs/experts.h"
#include "pcgs/state.h"

namespace pcgs {

// What read_experts() does with the content of the file; `origin` names it in messages.
Experts parse_experts(std::string_view json, const std::string& origin);

// The number itself, if it is within a range that experts accept; else an Error that says which.
inline std::size_t checked_steps(std::string_view what, std::size_t steps, std::size_t low = 1,
                                 std::size_t high = kLongestReach) {
  if (steps >= low && steps <= high) return steps;
  throw Error(fmt::format("{} is {}; give a whole number from {} to {}", what, steps, low, high));
}

inline double checked_number(std::string_view what, double number, double low, double high) {
  if (number >= low && number <= high) return number;
  throw Error(fmt::format("{} is {}; give a number from {} to {}", what, number, low, high));
}

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
