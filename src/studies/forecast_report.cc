// What came of forecasting a series: one JSON object for programs, one table for people.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/text_table.h"
#include "studies/forecast_series.h"

namespace pcgs::studies {

namespace {

using nlohmann::ordered_json;

ordered_json number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }

double mean(double sum, std::size_t rounds) {
  return rounds > 0 ? sum / static_cast<double>(rounds) : std::nan("");
}

std::string shown(double x) { return std::isnan(x) ? "none" : fmt::format("{:.6g}", x); }

}  // namespace

ordered_json forecast_json(const Series& series, const Aggregator& aggregator,
                           const ForecastSummary& summary) {
  ordered_json out;
  out["kind"] = "forecast";
  out["rounds"] = series.values.size();
  out["gaps"] = summary.gaps;
  out["column"] = series.column;
  out["method"] = aggregator.method().name();
  out["loss"] = aggregator.task().name();
  out["scale"] = number(aggregator.scale().value(LossSource::kForecasts));
  out["mean_loss"] = number(mean(summary.combined_loss, summary.judged));
  out["experts"] = ordered_json::array();
  for (std::size_t k = 0; k < summary.experts.size(); ++k) {
    const ExpertScore& expert = summary.experts[k];
    out["experts"].push_back(
        {{"name", aggregator.names()[k]},
         {"rounds", expert.rounds},
         {"mean_loss", number(mean(expert.loss, expert.rounds))},
         {"combined_mean_loss", number(mean(expert.combined_loss, expert.rounds))},
         {"next_forecast", number(summary.next_forecasts[k])},
         {"next_weight", summary.next_weights[k]}});
  }
  out["next"] = number(summary.next);
  out["forecasts"] = ordered_json::array();
  for (const double f : summary.combined) out["forecasts"].push_back(number(f));
  return out;
}

std::string forecast_table(const Series& series, const Aggregator& aggregator,
                           const ForecastSummary& summary) {
  io::TextTable table;
  table.caption =
      fmt::format("{}: {}, {} rows", series.origin, series.column, series.values.size());
  if (summary.gaps > 0) table.caption += fmt::format(", {} of them gaps", summary.gaps);
  const auto loss = fmt::format("mean {} loss", aggregator.task().name());
  table.head = {"expert", "rounds", loss, "combined, same rounds", "next", "weight"};
  for (std::size_t k = 0; k < summary.experts.size(); ++k) {
    const ExpertScore& expert = summary.experts[k];
    table.rows.push_back(
        {aggregator.names()[k], fmt::format("{}", expert.rounds),
         shown(mean(expert.loss, expert.rounds)), shown(mean(expert.combined_loss, expert.rounds)),
         shown(summary.next_forecasts[k]), fmt::format("{:.4f}", summary.next_weights[k])});
  }
  std::string out = text(table);
  out += fmt::format(
      "\ncombined by {}: {} {} in {} rounds; next value {}\n", aggregator.method().name(), loss,
      shown(mean(summary.combined_loss, summary.judged)), summary.judged, shown(summary.next));
  return out;
}

}  // namespace pcgs::studies
