#include "compare/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pcgs/error.h"

namespace pcgs::compare {

std::size_t usual_warmup(std::size_t rounds) {
  return std::clamp<std::size_t>(rounds / 3, 1, kUsualWarmup);
}

void check_values(const Problem& problem, const std::string& outcome_name) {
  const auto refuse = [&](std::size_t t, std::string_view column, std::string_view why) {
    throw Error(fmt::format("{}: row {}, column {}: {}", problem.origin, t + 1, column, why));
  };
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto row = problem.values.row(t);
    if (problem.has_forecasts()) {
      const double y = problem.outcomes[t];
      if (const auto objection = problem.task.objection_to_outcome(y); !objection.empty()) {
        refuse(t, outcome_name, fmt::format("the outcome {} {}", y, objection));
      }
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double x = row[k];
      if (std::isnan(x)) continue;  // asleep
      double loss = x;
      if (problem.has_forecasts()) {
        if (const auto objection = problem.task.objection_to_forecast(x); !objection.empty()) {
          refuse(t, problem.experts[k], fmt::format("the forecast {} {}", x, objection));
        }
        loss = problem.task(x, problem.outcomes[t]);
      }
      if (loss < 0) {
        refuse(t, problem.experts[k],
               fmt::format("the loss {} is negative; give losses in [0, 1], or not below 0 with "
                           "--scale C or --scale auto",
                           loss));
      }
      if (problem.bound.is_unit() && !(loss <= 1)) {
        refuse(t, problem.experts[k],
               fmt::format("the loss {} is outside [0, 1]; give losses in [0, 1], or divide and "
                           "clip them with --scale C or --scale auto",
                           loss));
      }
    }
  }
}

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

void check_scale(const Bound& bound, const std::string& origin) {
  if (bound.is_known()) return;
  throw Error(fmt::format(
      "{}: fewer than {} rounds have anybody awake, so the losses have no scale yet; give a "
      "smaller --warmup or --scale C",
      origin, bound.warmup()));
}

}  // namespace pcgs::compare
