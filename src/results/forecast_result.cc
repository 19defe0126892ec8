#include "results/forecast_result.h"

#include "results/fields.h"
#include "results/kinds.h"

namespace pcgs::results {

void fields(Fields& f, ForecastResult::Expert& expert) {
  f("name", expert.name);
  f("rounds", expert.rounds);
  f("mean_loss", expert.mean_loss);
  f("combined_mean_loss", expert.combined_mean_loss);
  f("next_forecast", expert.next_forecast);
  f("next_weight", expert.next_weight);
}

void fields(Fields& f, ForecastResult& forecast) {
  f("rounds", forecast.rounds);
  f("gaps", forecast.gaps);
  f("column", forecast.column);
  f("method", forecast.method);
  f("loss", forecast.loss);
  f("scale", forecast.scale);
  f("mean_loss", forecast.mean_loss);
  f("experts", forecast.experts);
  f("next", forecast.next);
  f("forecasts", forecast.forecasts);
}

}  // namespace pcgs::results
