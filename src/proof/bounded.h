// Numbers that know how far a computation in double precision may be from them.
//
// Every operation adds to the bound what rounding may have done to its result (running error
// analysis: Higham, Accuracy and Stability of Numerical Algorithms, 3.3). Two computations of the same
// number, ours and the one that is checked, are then apart by at most both bounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs::verify {

// Twice the rounding error of one operation: for somebody else's order of summation, and for
// logarithms and exponentials that are not quite the nearest.
inline constexpr double kRounding = std::numeric_limits<double>::epsilon();

struct Bounded {
  double value = 0;
  double error = 0;  // at least 0

  // A number whose error is at most `error`, rounded once.
  static Bounded rounded(double value, double error) {
    return {value, error + kRounding * std::abs(value)};
  }
};

inline Bounded operator+(Bounded a, Bounded b) {
  return Bounded::rounded(a.value + b.value, a.error + b.error);
}
inline Bounded operator-(Bounded a, Bounded b) {
  return Bounded::rounded(a.value - b.value, a.error + b.error);
}
inline Bounded operator*(double exact, Bounded b) {
  return Bounded::rounded(exact * b.value, std::abs(exact) * b.error);
}
inline Bounded& operator+=(Bounded& a, Bounded b) { return a = a + b; }

// By something that is not near 0.
inline Bounded operator/(Bounded a, Bounded b) {
  const double quotient = a.value / b.value;
  const double surely = std::abs(b.value) - b.error;
  return Bounded::rounded(quotient, (a.error + std::abs(quotient) * b.error) / surely);
}

// |sqrt(x) - sqrt(y)| is at most |x - y| / sqrt(x), and at most sqrt(|x - y|).
inline Bounded sqrt(Bounded a) {
  const double root = std::sqrt(std::max(0.0, a.value));
  return Bounded::rounded(root, std::min(a.error / root, std::sqrt(a.error)));
}

// Whether somebody's computation of the same number may have given `claimed`.
inline bool agrees(double claimed, Bounded ours) {
  return std::abs(claimed - ours.value) <= 4 * (ours.error + kRounding * std::abs(ours.value));
}

}  // namespace pcgs::verify
