#include "run/paired.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "data/invariant.h"
#include "run/summary.h"
#include "run/wilcoxon.h"

namespace pcgs::stats {

namespace {

double two_sided_p(double t, double degrees_of_freedom) {
  const boost::math::students_t student(degrees_of_freedom);
  return 2 * boost::math::cdf(boost::math::complement(student, std::abs(t)));
}

double win_rate(std::span<const double> improvements) {
  double wins = 0;
  for (const double d : improvements) wins += d > 0 ? 1 : d == 0 ? 0.5 : 0;
  return wins / static_cast<double>(improvements.size());
}

}  // namespace

Paired compare(std::span<const double> a, std::span<const double> b, const Bootstrap& bootstrap) {
  invariant(a.size() == b.size(), "one regret of each method per sequence");
  std::vector<double> improvements(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) improvements[i] = b[i] - a[i];

  const Summary d = summarize(improvements);
  const Wilcoxon ranks = wilcoxon(improvements);
  const Interval interval = bootstrap.interval(improvements);

  Paired paired;
  paired.win_rate = win_rate(improvements);
  paired.mean_improvement = d.mean;
  paired.wilcoxon_w = ranks.w;
  paired.wilcoxon_p = ranks.p;
  paired.ci_low = interval.low;
  paired.ci_high = interval.high;
  if (d.std > 0) {
    const double n = static_cast<double>(a.size());
    paired.cohens_d = d.mean / d.std;
    paired.t = *paired.cohens_d * std::sqrt(n);
    paired.t_p = two_sided_p(*paired.t, n - 1);
  } else if (d.mean == 0) {
    paired.cohens_d = paired.t = 0.0;
  } else if (a.size() > 1) {
    paired.t_p = 0;
  }
  return paired;
}

}  // namespace pcgs::stats
