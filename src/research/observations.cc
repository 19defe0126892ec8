// From a file to the series of the household benchmark.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "data/household.h"
#include "data/input_bytes.h"
#include "data/npy.h"
#include "data/number_table.h"
#include "pcgs/error.h"
#include "research/electricity.h"

namespace pcgs::studies {

namespace {

constexpr std::size_t kMinutesPerDay = 1440;

Observations read_household(const io::MappedFile& file, const SeriesSource& source,
                            const io::Monitor& monitor) {
  io::HouseholdRequest request;
  if (!source.column.empty()) request.column = source.column;
  if (source.minutes > 0) request.minutes = source.minutes;
  request.progress = monitor("reading", file.text().size());
  io::HouseholdSeries series = io::parse_household(file.text(), source.path, request);
  Observations out;
  out.values = std::move(series.values);
  out.column = request.column;
  out.description = fmt::format("{} rows, {} without a value, {} means over {} minutes",
                                series.rows, series.missing, out.values.size(), request.minutes);
  const std::size_t day = kMinutesPerDay / request.minutes;
  if (day >= 2) out.seasons = {day, 7 * day};
  return out;
}

Observations read_column(const SeriesSource& source) {
  if (source.minutes > 0) {
    throw Error(fmt::format(
        "{}: is not the household file, so it has no minutes; give --season instead of --minutes",
        source.path));
  }
  if (source.column.empty()) {
    throw Error(
        fmt::format("{}: is not the household file; name the series with --column", source.path));
  }
  io::TableRequest request;
  request.keep = {source.column};
  request.may_be_missing = [](std::string_view) { return true; };
  Observations out;
  out.values = io::read_table(source.path, request).values.values;
  const std::size_t rows = out.values.size();
  std::erase_if(out.values, [](double y) { return std::isnan(y); });
  out.column = source.column;
  out.description = fmt::format("{} rows, {} without a value", rows, rows - out.values.size());
  return out;
}

}  // namespace

Observations read_observations(const SeriesSource& source, const io::Monitor& monitor) {
  std::error_code ignored;
  if (!std::filesystem::exists(source.path, ignored)) {
    throw Error(fmt::format(
        "{}: is not there; the benchmark's file is household_power_consumption.txt of UCI dataset "
        "235, \"individual household electric power consumption\", and any CSV with --column does",
        source.path));
  }
  Observations out;
  if (io::has_npy_name(source.path)) {
    out = read_column(source);
  } else {
    const io::MappedFile file(source.path);
    out =
        io::is_household(file.text()) ? read_household(file, source, monitor) : read_column(source);
  }
  if (!source.seasons.empty()) out.seasons = source.seasons;
  return out;
}

}  // namespace pcgs::studies
