#include "reference/loss_ratio.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pcgs::reference {

// With t = sqrt(v) tan(u) the density becomes cos(u)^(v-1), over -pi/2 .. pi/2: Simpson's rule.
double student_tails(double t, std::size_t degrees) {
  const auto v = static_cast<double>(degrees);
  const auto integral = [&](double from, double to) {
    constexpr int kSteps = 4000;
    const double h = (to - from) / kSteps;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
      const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
      sum += weight * std::pow(std::max(0.0, std::cos(from + i * h)), v - 1);
    }
    return sum * h / 3;
  };
  const double half = std::numbers::pi / 2;
  return integral(std::atan(std::abs(t) / std::sqrt(v)), half) / integral(0, half);
}

double student_quantile(std::size_t degrees) {
  double low = 0, high = 1000;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (student_tails(middle, degrees) > 0.05 ? low : high) = middle;
  }
  return low;
}

LossRatio loss_ratio(std::span<const double> a, std::span<const double> b) {
  const std::size_t n = a.size();
  long double of_a = 0, of_b = 0;
  for (std::size_t t = 0; t < n; ++t) {
    of_a += a[t];
    of_b += b[t];
  }
  of_a /= static_cast<long double>(n);
  of_b /= static_cast<long double>(n);
  const auto v = std::min<std::size_t>(
      256, static_cast<std::size_t>(0.4 * std::pow(static_cast<double>(n), 2.0 / 3)));
  long double power = 0;
  for (std::size_t j = 1; j <= v; ++j) {
    long double sum = 0;
    for (std::size_t t = 0; t < n; ++t) {
      const long double x = a[t] / of_a - b[t] / of_b;
      sum += x * std::cos(std::numbers::pi_v<long double> * static_cast<long double>(j) *
                          (static_cast<long double>(t) + 0.5L) / static_cast<long double>(n));
    }
    power += 2 / static_cast<long double>(n) * sum * sum;
  }
  const auto variance = static_cast<double>(power / static_cast<long double>(v * n));
  const auto ratio = static_cast<double>(of_a / of_b);
  const double centre = std::log(ratio), error = std::sqrt(variance);
  const double half = student_quantile(v) * error;
  return {ratio, std::exp(centre - half), std::exp(centre + half),
          student_tails(centre / error, v)};
}

}  // namespace pcgs::reference
