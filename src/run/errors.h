// How wrong forecasts were, in the units of what is forecast: methods, experts and what anybody could
// have published without learning.
#pragma once

#include <span>
#include <vector>

#include "pcgs/forecast_errors.h"
#include "run/comparison.h"

namespace pcgs::compare {

using pcgs::Beside;
using pcgs::Errors;
using pcgs::ErrorSums;
using pcgs::ForecastError;
using pcgs::IntervalRecord;
using pcgs::measure_name;

// Of a comparison on forecasts. The combination is the last method. References are "equal weights",
// the mean of those awake, and "best convex mix" (best_mix.h), where it can be had.
Errors errors_of(const Problem& problem, const Comparison& comparison);

// Equal weights on those awake; NaN without one.
double mean_of_awake(std::span<const double> forecasts);

// Of several series over all their rounds; no ratio has an interval. At least one.
Errors add_errors(std::span<const Errors* const> series, const TaskLoss& task);

// Sorts the experts among `all` and finds the best one.
void rank_experts(Errors& errors, const TaskLoss& task);

// How often the outcomes lay inside intervals of one level.
struct IntervalScore {
  double level = 0;
  std::size_t rounds = 0;  // with an interval and an outcome
  double coverage = 0;     // share of them; NaN without one
  double mean_width = 0;
};
std::vector<IntervalScore> interval_scores(const Problem& problem, const IntervalRecord& record);

}  // namespace pcgs::compare
