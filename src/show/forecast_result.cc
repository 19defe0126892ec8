#include "show/forecast_result.h"

#include "data/json_fields.h"
#include "show/kinds.h"

namespace pcgs::results {

const ForecastResult::Expert* best_expert(const ForecastResult& forecast) {
  const ForecastResult::Expert* best = nullptr;
  for (const auto& expert : forecast.experts) {
    if (!expert.mean_loss || !expert.combined_mean_loss) continue;
    if (2 * expert.rounds + forecast.gaps < forecast.rounds) continue;
    if (best == nullptr || *expert.mean_loss < *best->mean_loss) best = &expert;
  }
  return best;
}

void fields(Fields& f, ForecastResult::Expert& expert) {
  f("name", expert.name, "rounds", expert.rounds, "mean_loss", expert.mean_loss,
    "combined_mean_loss", expert.combined_mean_loss, "next_forecast", expert.next_forecast,
    "next_weight", expert.next_weight);
}

void fields(Fields& f, ForecastResult::Range& range) {
  f("level", range.level, "low", range.low, "high", range.high);
}

void fields(Fields& f, ForecastResult& forecast) {
  f("rounds", forecast.rounds, "gaps", forecast.gaps, "column", forecast.column, "method",
    forecast.method, "loss", forecast.loss, "scale", forecast.scale, "mean_loss",
    forecast.mean_loss, "experts", forecast.experts, "next", forecast.next);
  f.unless_empty("next_intervals", forecast.next_intervals);
  f("forecasts", forecast.forecasts);
  // "next" and the weights are above, in this command's own words.
  ForecastAnswer& answer = forecast.answer;
  f("measure", answer.measure, "errors", answer.errors);
  f.unless_empty("beside_best", answer.beside_best);
  f.unless_empty("beside_equal_weights", answer.beside_equal);
  f.unless_empty("times", answer.times);
}

}  // namespace pcgs::results
