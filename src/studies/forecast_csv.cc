#include "studies/forecast_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "io/csv_field.h"

namespace pcgs::studies {

ForecastCsv::ForecastCsv(const std::vector<std::string>& experts, Write write)
    : write_(std::move(write)), piece_("row,value,forecast") {
  for (const auto& name : experts) piece_ += ',' + csv_field("weight:" + name);
  piece_ += '\n';
}

void ForecastCsv::add(const ForecastRow& row) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  const auto at = std::back_inserter(piece_);
  const auto number = [&](double x) {
    piece_ += ',';
    if (!std::isnan(x)) fmt::format_to(at, "{}", x);
  };
  fmt::format_to(at, "{}", row.row);
  number(row.value);
  number(row.forecast);
  for (const double w : row.weights) number(w);
  piece_ += '\n';
  if (piece_.size() > kPiece) finish();
}

void ForecastCsv::finish() {
  write_(piece_);
  piece_.clear();
}

}  // namespace pcgs::studies
