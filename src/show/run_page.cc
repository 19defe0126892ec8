#include "show/run_page.h"

#include <algorithm>

#include "show/report.h"

namespace pcgs::report {

namespace {

ForecastCurves::Forecaster forecaster(const std::string& name, const std::vector<double>& forecasts,
                                      const std::vector<double>& outcomes, const TimeAxis& axis,
                                      std::size_t buckets) {
  ThinCurve forecast(forecasts.size(), buckets), error(forecast);
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    forecast.add(axis.at[t], forecasts[t]);
    error.add(axis.at[t], forecasts[t] - outcomes[t]);
  }
  return {name, forecast.points(), error.points()};
}

// The combination first, which is the last method.
ForecastCurves forecast_curves(const Problem& problem, const Comparison& comparison,
                               const std::string& best_model) {
  ForecastCurves curves;
  curves.title = problem.origin;
  curves.outcome_name = "outcome";
  const TimeAxis axis = time_axis(problem);
  curves.range = axis.range();
  const std::size_t buckets = curve_buckets(std::min(comparison.methods.size(), kShownForecasts));
  ThinCurve outcome(problem.rounds(), buckets);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    outcome.add(axis.at[t], problem.outcomes[t]);
  }
  curves.outcome = outcome.points();
  const auto& methods = comparison.methods;
  for (std::size_t i = 0; i < std::min(methods.size(), kShownForecasts); ++i) {
    const auto& method = i == 0 ? methods.back() : methods[i - 1];
    curves.combined.push_back(
        forecaster(method.name, method.forecasts, problem.outcomes, axis, buckets));
  }
  const auto at = std::find(problem.experts.begin(), problem.experts.end(), best_model);
  if (at != problem.experts.end()) {
    const auto k = static_cast<std::size_t>(at - problem.experts.begin());
    std::vector<double> best;
    for (std::size_t t = 0; t < problem.rounds(); ++t) best.push_back(problem.values.row(t)[k]);
    curves.expert.push_back(forecaster(best_model, best, problem.outcomes, axis, buckets));
  }
  return curves;
}

}  // namespace

TraceSink* DepthObserver::begin(const Problem& problem, const MethodResult& method,
                                const Aggregator& player, const Hindsight* hindsight) {
  hindsight_ = hindsight;
  if (!run_) run_ = report::describe(problem.origin, problem.experts, *hindsight);
  before_ = static_cast<double>(player.last_opened());
  const bool fresh = player.last_opened() == 0;
  recorder_.emplace(method.name, *hindsight, fresh ? &player.method() : nullptr);
  return &*recorder_;
}

void DepthObserver::end() { add_method(*run_, *hindsight_, *recorder_); }

RunDepth DepthObserver::take(const Problem& problem) {
  const TimeAxis axis = time_axis(problem);
  if (!axis.calendar) return std::move(*run_);
  // As an aggregator counts rounds: those that are missing have numbers, too.
  std::vector<double> numbers;
  double number = before_;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (problem.has_forecasts() && !problem.missing.empty()) {
      number += static_cast<double>(problem.missing[t]);
    }
    numbers.push_back(++number);
  }
  const auto place = [&](double round) {
    const auto at = std::lower_bound(numbers.begin(), numbers.end() - 1, round);
    return axis.at[static_cast<std::size_t>(at - numbers.begin())];
  };
  put_on(*axis.calendar, place, *run_);
  return std::move(*run_);
}

std::string run_page(const Problem& problem, const Comparison& comparison,
                     results::RunResult result, RunDepth depth) {
  require_available();
  Material material;
  auto& added = material.results.emplace_back(Material::Result{problem.origin, std::move(result)});
  const auto& run = *added.result.get_if<results::RunResult>();
  if (run.answer) {
    put_combination_first(depth);
    added.view = forecaster_view(problem, comparison, *run.answer);
  }
  if (problem.known() == 0) return page(material);  // nothing has come that curves could show
  if (run.answer) {
    material.forecasts.push_back(forecast_curves(problem, comparison, added.view->best_model));
  }
  added.depth = std::move(depth);
  return page(material);
}

std::string run_page(const Problem& problem, const Comparison& comparison,
                     results::RunResult result) {
  require_available();
  DepthObserver depth;
  compare::ComparisonOptions again;
  for (const MethodResult& method : comparison.methods) {
    again.methods.push_back(method.spec());
    again.called.push_back(method.name);
  }
  again.switches = comparison.switches;
  if (again.switches.empty()) again.switches = {compare::kUsualSwitches.back()};
  again.observers = {&depth};
  again.stretches = stretches_for(comparison.methods.size());
  compare::play_methods(problem, again);
  return run_page(problem, comparison, std::move(result), depth.take(problem));
}

std::string series_page(const results::SeriesResult& result, const std::string& origin) {
  require_available();
  Material material;
  material.results.push_back({origin, result});
  return page(material);
}

std::string quantile_page(const QuantileProblem& problem, const Matrix& published,
                          results::QuantileResult result) {
  require_available();
  Material material;
  auto& added = material.results.emplace_back(Material::Result{problem.origin, std::move(result)});
  added.fans = fan_view(problem, published);
  return page(material);
}

}  // namespace pcgs::report
