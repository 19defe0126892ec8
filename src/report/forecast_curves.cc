#include "report/forecast_curves.h"

#include <algorithm>

namespace pcgs::report {

ForecastRecorder::ForecastRecorder(std::string title, std::string outcome_name, std::string method,
                                   std::vector<std::string> experts, std::size_t rows)
    : experts_(std::move(experts)),
      rows_(rows),
      outcome_(rows, curve_buckets(1)),
      combined_{outcome_, outcome_},
      each_(experts_.size(), combined_) {
  out_.title = std::move(title);
  out_.outcome_name = std::move(outcome_name);
  out_.range.last = static_cast<double>(rows);
  out_.combined.push_back({std::move(method), {}, {}});
}

void ForecastRecorder::add(double outcome, double combined, std::span<const double> experts) {
  if (seen_ == rows_) return;
  const auto x = static_cast<double>(++seen_);
  const auto add_to = [&](Curves& curves, double forecast) {
    curves.forecast.add(x, forecast);
    curves.error.add(x, forecast - outcome);
  };
  outcome_.add(x, outcome);
  add_to(combined_, combined);
  for (std::size_t k = 0; k < experts.size(); ++k) add_to(each_[k], experts[k]);
}

ForecastCurves ForecastRecorder::finish(const std::string& best) {
  out_.outcome = outcome_.points();
  out_.combined.front().forecast = combined_.forecast.points();
  out_.combined.front().error = combined_.error.points();
  const auto at = std::find(experts_.begin(), experts_.end(), best);
  if (at != experts_.end()) {
    const Curves& curves = each_[static_cast<std::size_t>(at - experts_.begin())];
    out_.expert.push_back({best, curves.forecast.points(), curves.error.points()});
  }
  return std::move(out_);
}

}  // namespace pcgs::report
