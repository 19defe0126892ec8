#include "problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs::cli {

Matrix bounded_losses(const Problem& problem, const Bound& bound) {
  Matrix losses(0, problem.values.columns);
  losses.values.reserve(problem.values.values.size());
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto row = problem.values.row(t);
    const auto asleep = [](double x) { return std::isnan(x); };
    if (std::all_of(row.begin(), row.end(), asleep)) continue;
    for (const double x : row) {
      const double raw = problem.has_forecasts() ? problem.task(x, problem.outcomes[t]) : x;
      losses.values.push_back(asleep(x) ? std::numeric_limits<double>::infinity() : bound(raw));
    }
    ++losses.rows;
  }
  return losses;
}

}  // namespace pcgs::cli
