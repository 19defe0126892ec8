// How wrong forecasts were, in the units of what is forecast: methods, experts and what anybody could
// have published without learning. Points are judged here, distributions in quantiles.h with what is
// here.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pcgs/outcome.h"

namespace pcgs::compare {

// Of a comparison on forecasts. The combination is the last method.
Errors errors_of(const Problem& problem, const Comparison& comparison);
// Of several series over all their rounds; no ratio has an interval. At least one.
Errors add_errors(std::span<const Errors* const> series);

// What the combination and another lost by times: the rounds of one time are not independent of each
// other, so that each time counts once.
struct PairedLosses {
  std::vector<double> ours{}, theirs{};
  std::size_t rounds = 0;
  double last = 0;  // time

  // In the order of time.
  void add(double time, double our, double their);
};

// Sorts the experts, finds the best one, and puts the combination beside it and beside equal weights;
// `paid` says what was lost.
void judge(Errors& errors, const std::function<PairedLosses(const ForecastError& other)>& paid);

// Equal weights on those awake; NaN without one.
double mean_of_awake(std::span<const double> forecasts);

// How often the outcomes lay inside intervals of one level.
struct IntervalScore {
  double level = 0;
  std::size_t rounds = 0;  // with an interval and an outcome
  double coverage = 0;     // share of them; NaN without one
  double mean_width = 0;
};
std::vector<IntervalScore> interval_scores(const Problem& problem, const IntervalRecord& record);

// The best constant convex mixture of experts, found in hindsight: what no weights that never change
// can do better than. [K] the weights, non-negative and summing to 1, whose combined forecast has the
// least mean loss on the rounds in which the outcome is known and everybody is awake. Squared loss:
// exact, to rounding; absolute and pinball loss: reweighted least squares; log loss: expectation
// maximisation. None without such a round, and where the work would take minutes.
std::optional<std::vector<double>> best_mix(const Problem& problem);

// min 1/2 w'Aw - b'w over the simplex; A [K x K] symmetric and positive semidefinite, row-major.
std::vector<double> simplex_minimum(std::span<const double> a, std::span<const double> b);

}  // namespace pcgs::compare
