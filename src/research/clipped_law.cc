#include "research/clipped_law.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace pcgs::suite {

namespace {

// std::lgamma keeps the sign in a variable that all threads share.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace

ClippedLaw::ClippedLaw(double centre, const Noise& noise) : centre_(centre), noise_(noise) {
  namespace constants = boost::math::double_constants;
  factor_ = std::isinf(noise.df)
                ? constants::one_div_root_two_pi / noise.scale
                : std::exp(log_gamma((noise.df + 1) / 2) - log_gamma(noise.df / 2)) /
                      (std::sqrt(noise.df * constants::pi) * noise.scale);
  at_zero_ = below(0);
  at_one_ = above(1);
  // E clip(X,0,1) is the integral of P(X > x) over [0,1].
  mean_ = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
      [this](double x) { return above(x); }, 0.0, 1.0, 8, 1e-10);
}

double ClippedLaw::draw_unclipped(Random& random) const {
  double x = centre_ +
             noise_.scale * (std::isinf(noise_.df) ? random.normal() : random.student_t(noise_.df));
  if (noise_.jump_probability > 0) {
    const double lot = random.unit();
    if (lot < noise_.jump_probability)
      x += 2 * lot < noise_.jump_probability ? noise_.jump : -noise_.jump;
  }
  return x;
}

double ClippedLaw::likelihood(double loss) const {
  if (loss <= 0) return at_zero_;
  if (loss >= 1) return at_one_;
  return averaged([](const ClippedLaw& law, double z) { return law.density(z); }, loss);
}

// Each tail by its own function: one minus the other would lose the digits of small probabilities.
double ClippedLaw::below(double x) const {
  return averaged(
      [](const ClippedLaw& law, double z) {
        return std::isinf(law.noise_.df)
                   ? std::erfc(-z * boost::math::double_constants::one_div_root_two) / 2
                   : boost::math::cdf(boost::math::students_t(law.noise_.df), z);
      },
      x);
}

double ClippedLaw::above(double x) const {
  return averaged(
      [](const ClippedLaw& law, double z) {
        return std::isinf(law.noise_.df)
                   ? std::erfc(z * boost::math::double_constants::one_div_root_two) / 2
                   : boost::math::cdf(
                         boost::math::complement(boost::math::students_t(law.noise_.df), z));
      },
      x);
}

double ClippedLaw::density(double z) const {
  if (std::isinf(noise_.df)) return factor_ * std::exp(-z * z / 2);
  return factor_ * std::pow(1 + z * z / noise_.df, -(noise_.df + 1) / 2);
}

double ClippedLaw::averaged(double (*f)(const ClippedLaw&, double), double x) const {
  const double z = (x - centre_) / noise_.scale;
  if (noise_.jump_probability == 0) return f(*this, z);
  const double step = noise_.jump / noise_.scale;
  return (1 - noise_.jump_probability) * f(*this, z) +
         noise_.jump_probability / 2 * (f(*this, z - step) + f(*this, z + step));
}

}  // namespace pcgs::suite
