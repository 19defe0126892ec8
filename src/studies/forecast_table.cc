#include <fmt/format.h>

#include "io/text_table.h"
#include "studies/forecast_series.h"

namespace pcgs::studies {

namespace {

std::string shown(const std::optional<double>& x) { return x ? fmt::format("{:.6g}", *x) : "none"; }

}  // namespace

std::string forecast_table(const std::string& origin, const SeriesForecast& forecast) {
  const results::ForecastResult& result = forecast.result;
  io::TextTable table;
  table.caption = fmt::format("{}: {}, {} rows", origin, result.column, result.rounds);
  if (result.gaps > 0) table.caption += fmt::format(", {} of them gaps", result.gaps);
  const auto loss = fmt::format("mean {} loss", result.loss);
  table.head = {"expert", "rounds", loss, "combined, same rounds", "next", "weight"};
  for (const auto& expert : result.experts) {
    table.rows.push_back({expert.name, fmt::format("{}", expert.rounds), shown(expert.mean_loss),
                          shown(expert.combined_mean_loss), shown(expert.next_forecast),
                          fmt::format("{:.4f}", expert.next_weight)});
  }
  std::string out = text(table) + fmt::format("\ncombined by {}: {} {} in {} rounds; next value {}",
                                              result.method, loss, shown(result.mean_loss),
                                              forecast.scored, shown(result.next));
  for (const auto& one : result.next_intervals) {
    out += fmt::format(", {:g} % within {:.6g} to {:.6g}", 100 * one.level, one.low, one.high);
  }
  return out + '\n';
}

}  // namespace pcgs::studies
