#include "report/run_page.h"

#include <algorithm>
#include <cmath>

#include "report/report.h"

namespace pcgs::report {

namespace {

ForecastCurves::Forecaster forecaster(const std::string& name, const std::vector<double>& forecasts,
                                      const std::vector<double>& outcomes, std::size_t buckets) {
  ThinCurve forecast(forecasts.size(), buckets), error(forecast);
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    const auto x = static_cast<double>(t + 1);
    forecast.add(x, forecasts[t]);
    error.add(x, forecasts[t] - outcomes[t]);
  }
  return {name, forecast.points(), error.points()};
}

ForecastCurves forecast_curves(const compare::Problem& problem,
                               const compare::Comparison& comparison) {
  ForecastCurves curves;
  curves.title = problem.origin;
  curves.outcome_name = "outcome";
  curves.last = static_cast<double>(problem.rounds());
  const std::size_t buckets = curve_buckets(std::min(comparison.methods.size(), kShownForecasts));
  ThinCurve outcome(problem.rounds(), buckets);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    outcome.add(static_cast<double>(t + 1), problem.outcomes[t]);
  }
  curves.outcome = outcome.points();
  for (const auto& method : comparison.methods) {
    if (curves.combined.size() == kShownForecasts) break;
    curves.combined.push_back(forecaster(method.name, method.forecasts, problem.outcomes, buckets));
  }
  if (std::isfinite(comparison.best_expert_loss)) {
    std::vector<double> best;
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      best.push_back(problem.values.row(t)[comparison.best_expert]);
    }
    curves.expert.push_back(
        forecaster(problem.experts[comparison.best_expert], best, problem.outcomes, buckets));
  }
  return curves;
}

}  // namespace

TraceSink* DepthObserver::begin(const compare::MethodResult& method, const Aggregator& player,
                                const Hindsight& hindsight) {
  hindsight_ = &hindsight;
  if (!run_) run_ = report::describe(problem_.origin, problem_.experts, hindsight);
  const bool fresh = player.last_opened() == 0;
  recorder_.emplace(method.name, hindsight, fresh ? &player.method() : nullptr);
  return &*recorder_;
}

void DepthObserver::end() { add_method(*run_, *hindsight_, *recorder_); }

std::string run_page(const compare::Problem& problem, const compare::Comparison& comparison,
                     RunDepth depth) {
  require_available();
  Material material;
  material.results.push_back(
      {problem.origin, results::run_result(problem, comparison), std::move(depth)});
  if (problem.has_forecasts()) material.forecasts.push_back(forecast_curves(problem, comparison));
  return page(material);
}

std::string run_page(const compare::Problem& problem, const compare::Comparison& comparison) {
  require_available();
  DepthObserver depth(problem);
  observe_methods(problem, comparison, {&depth}, stretches_for(comparison.methods.size()));
  return run_page(problem, comparison, depth.take());
}

std::string series_page(const results::SeriesResult& result, const std::string& origin) {
  require_available();
  Material material;
  material.results.push_back({origin, result, {}});
  return page(material);
}

}  // namespace pcgs::report
