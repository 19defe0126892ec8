#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "data/csv.h"
#include "research/forecast_series.h"

namespace pcgs::studies {

std::string forecast_csv(const compare::Problem& problem, const compare::Comparison& comparison) {
  const compare::MethodResult& method = comparison.methods.back();
  std::string out;
  if (problem.times) {
    const std::string& name = problem.times->text.name;
    out += (name.empty() ? "time" : csv_field(name)) + ',';
  }
  out += "row,value,forecast";
  for (const auto& name : problem.experts) out += ',' + csv_field("weight:" + name);
  if (method.intervals) {
    for (const double level : method.intervals->levels) {
      out += fmt::format(",low_{0:g},high_{0:g}", 100 * level);
    }
  }
  out += '\n';
  const auto number = [&](double x) {
    out += ',';
    if (!std::isnan(x)) fmt::format_to(std::back_inserter(out), "{}", x);
  };
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (problem.times) out += csv_field(problem.times->text[t]) + ',';
    out += fmt::format("{}", problem.file_row(t));
    number(problem.outcomes[t]);
    number(method.forecasts[t]);
    for (const double weight : method.weights.row(t)) number(weight);
    for (std::size_t i = 0; method.intervals && i < method.intervals->levels.size(); ++i) {
      number(method.intervals->low.row(t)[i]);
      number(method.intervals->high.row(t)[i]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace pcgs::studies
