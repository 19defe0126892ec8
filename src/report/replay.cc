#include "report/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include "io/trace_reader.h"
#include "pcgs/error.h"

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

// A trace that somebody made up must not get further than this.
void check_row(const io::TraceReader& reader) {
  const TraceRow& row = reader.row();
  const auto fits = [](std::span<const double> numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x >= 0 && x <= 1; });
  };
  const double sum = std::accumulate(row.played.begin(), row.played.end(), 0.0);
  bool right = fits(row.played) && std::abs(sum - 1) < 1e-6 && fits(row.round.losses) &&
               fits(std::span(&row.round.mixture_loss, 1));
  if (row.step != nullptr) {
    const Controls& controls = row.step->controls;
    right = right && controls.eta > 0 && controls.rho >= 0 && controls.rho <= 1 &&
            fits(controls.q) && std::abs(row.step->mix_loss) <= 2 && std::abs(row.step->gap) <= 2;
  }
  if (right) return;
  throw Error(
      fmt::format("{}: holds weights, losses or controls that cannot be; give a trace as pcgs run "
                  "--trace wrote it",
                  reader.position()));
}

}  // namespace

std::size_t stretches_for(std::size_t methods) {
  return std::clamp<std::size_t>(3300 / std::max<std::size_t>(methods, 1), 150, 2000);
}

TraceSink* DepthObserver::begin(const compare::MethodResult& method, const Aggregator& player,
                                const Hindsight& hindsight) {
  hindsight_ = &hindsight;
  if (!run_) run_ = report::describe(problem_.origin, problem_.experts, hindsight);
  const bool fresh = player.last_opened() == 0;
  recorder_.emplace(method.name, hindsight, fresh ? &player.method() : nullptr);
  return &*recorder_;
}

void DepthObserver::end() { add_method(*run_, *hindsight_, *recorder_); }

bool is_trace(std::string_view text) { return io::TraceReader::looks_like_trace(text); }

RunDepth depth_of_trace(std::string_view text, const std::string& origin, std::size_t switches,
                        std::size_t sharing) {
  io::TraceReader first_pass(text, origin);
  LossKeeper keeper(first_pass.experts().size());
  std::string method;
  bool any = false;
  // The losses are those of the first method; the others met the same.
  while (first_pass.next() && (!any || first_pass.method() == method)) {
    method = first_pass.method();
    any = true;
    check_row(first_pass);
    keeper.record(first_pass.row());
  }
  if (!any) throw Error(fmt::format("{}: holds no round; give a trace of a run", origin));

  const Hindsight hindsight(keeper.take(), switches, stretches_for(3 * sharing));
  std::string title = std::filesystem::path(origin).stem().string();
  if (title.ends_with("-trace")) title.resize(title.size() - 6);
  RunDepth run = describe(std::move(title), first_pass.experts(), hindsight);
  io::TraceReader reader(text, origin);
  std::unique_ptr<DepthRecorder> recorder;
  const auto finish = [&] {
    if (!recorder) return;
    if (recorder->round_numbers().size() != hindsight.rounds()) {
      throw Error(fmt::format(
          "{}: its methods played different numbers of rounds; give a trace as it was written",
          origin));
    }
    add_method(run, hindsight, *recorder);
  };
  while (reader.next()) {
    if (!recorder || reader.method() != recorder->name()) {
      finish();
      recorder = std::make_unique<DepthRecorder>(reader.method(), hindsight);
    }
    check_row(reader);
    const auto& numbers = recorder->round_numbers();
    if (!numbers.empty() && static_cast<double>(reader.row().round.number) <= numbers.back()) {
      throw Error(fmt::format(
          "{}: a round of {} comes after a later one; give a trace in which each method is once, "
          "and no outcome came late",
          reader.position(), reader.method()));
    }
    recorder->record(reader.row());
  }
  finish();
  return run;
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

}  // namespace pcgs::report
