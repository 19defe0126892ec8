#include "reference/losses.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

namespace pcgs::reference {
namespace {

// The mixture over J of f((x - centre - jump J) / scale).
template <class F>
long double over_jumps(const ClippedLoss& law, double x, const F& f) {
  const long double scale = law.scale, jump = law.jump, p = law.jump_probability;
  const long double from_centre = static_cast<long double>(x) - law.centre;
  return (1 - p) * f(from_centre / scale) + p / 2 * f((from_centre - jump) / scale) +
         p / 2 * f((from_centre + jump) / scale);
}

template <class F>
long double with_distribution(const ClippedLoss& law, const F& f) {
  if (std::isinf(law.df)) return f(boost::math::normal_distribution<long double>());
  return f(boost::math::students_t_distribution<long double>(law.df));
}

}  // namespace

long double density(const ClippedLoss& law, double x) {
  return with_distribution(law, [&](const auto& z_law) {
    return over_jumps(law, x, [&](long double z) { return pdf(z_law, z) / law.scale; });
  });
}

long double below(const ClippedLoss& law, double x) {
  return with_distribution(law, [&](const auto& z_law) {
    return over_jumps(law, x, [&](long double z) { return cdf(z_law, z); });
  });
}

long double above(const ClippedLoss& law, double x) {
  return with_distribution(law, [&](const auto& z_law) {
    return over_jumps(law, x, [&](long double z) { return cdf(complement(z_law, z)); });
  });
}

long double likelihood(const ClippedLoss& law, double loss) {
  if (loss == 0) return below(law, 0);
  if (loss == 1) return above(law, 1);
  return density(law, loss);
}

long double inner_moment(const ClippedLoss& law, int power) {
  constexpr int kPanels = 100;  // each a third of the narrowest scale in use
  long double sum = 0;
  for (int i = 0; i < kPanels; ++i) {
    sum += boost::math::quadrature::gauss<double, 7>::integrate(
        [&](double l) {
          return static_cast<double>(std::pow(static_cast<long double>(l), power) *
                                     density(law, l));
        },
        static_cast<double>(i) / kPanels, static_cast<double>(i + 1) / kPanels);
  }
  return sum;
}

long double mean(const ClippedLoss& law) { return inner_moment(law, 1) + above(law, 1); }

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
