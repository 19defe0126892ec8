#include "reference/clipped_loss.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

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

}  // namespace pcgs::reference
