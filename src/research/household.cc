// From a file to the series of the household benchmark.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>

#include "data/input_bytes.h"
#include "data/npy.h"
#include "data/number_table.h"
#include "data/text.h"
#include "data/times.h"
#include "pcgs/error.h"
#include "research/electricity.h"

namespace pcgs::studies {

namespace {

constexpr std::string_view kStart = "Date;Time;";
constexpr std::size_t kMinutesPerDay = 1440;

io::TableRequest column_that_may_lack_values(const std::string& name) {
  return {.keep = {name}, .may_be_missing = [](std::string_view) { return true; }};
}

}  // namespace

bool is_household(std::string_view text) { return text.starts_with(kStart); }

Observations parse_household(std::string_view text, const SeriesSource& source) {
  const std::size_t minutes = source.minutes > 0 ? source.minutes : 10;
  if (kMinutesPerDay % minutes != 0) {
    throw Error(fmt::format("a resolution of {} minutes does not divide a day; give 1, 10, 60, ...",
                            minutes));
  }
  if (!is_household(text)) {
    throw Error(fmt::format(
        "{}: its first line does not start with {}; give the household file as published",
        source.path, kStart));
  }
  Observations out;
  out.column = source.column.empty() ? "Global_active_power" : source.column;
  auto request = column_that_may_lack_values(out.column);
  request.text = {"Date", "Time"};
  const io::NumberTable table = io::parse_table(text, source.path, request);
  out.rows = table.values.rows;

  std::int64_t last_minute = -1, stretch = -1;
  double sum = 0;
  std::size_t count = 0;
  const auto end_stretch = [&] {
    if (count > 0) out.values.push_back(sum / static_cast<double>(count));
    sum = 0;
    count = 0;
  };
  for (std::size_t row = 0; row < out.rows; ++row) {
    const auto clock = fmt::format("{} {}", table.texts[0][row], table.texts[1][row]);
    const auto refuse = [&](const char* why) {
      throw Error(fmt::format("{}: row {}, columns Date and Time: \"{}\" {}", source.path, row + 1,
                              excerpt(clock), why));
    };
    const io::Date date = io::parse_date(clock);
    if (date.form != io::DateForm::kSlashed || !(date.at >= 0)) {
      refuse("is not a date and a time; give d/m/yyyy and hh:mm:ss");
    }
    const std::int64_t minute = static_cast<std::int64_t>(date.at) / 60;
    if (minute <= last_minute) {
      refuse("is not later than the row before; give one row per minute, in order");
    }
    last_minute = minute;
    const double value = table.values.values[row];
    if (std::isnan(value)) {
      ++out.missing;
      continue;
    }
    const std::int64_t now = minute / static_cast<std::int64_t>(minutes);
    if (now != stretch) end_stretch();
    stretch = now;
    sum += value;
    ++count;
  }
  end_stretch();
  if (out.values.empty()) {
    throw Error(fmt::format("{}: column {} holds no value; give the file as published", source.path,
                            out.column));
  }
  out.description = fmt::format("{} rows, {} without a value, {} means over {} minutes", out.rows,
                                out.missing, out.values.size(), minutes);
  const std::size_t day = kMinutesPerDay / minutes;
  if (day >= 2) out.seasons = {day, 7 * day};
  return out;
}

namespace {

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
  Observations out;
  out.column = source.column;
  out.values =
      io::read_table(source.path, column_that_may_lack_values(source.column)).values.values;
  out.rows = out.values.size();
  out.missing = std::erase_if(out.values, [](double y) { return std::isnan(y); });
  out.description = fmt::format("{} rows, {} without a value", out.rows, out.missing);
  return out;
}

}  // namespace

Observations read_observations(const SeriesSource& source) {
  std::error_code ignored;
  if (!std::filesystem::exists(source.path, ignored)) {
    throw Error(fmt::format(
        "{}: is not there; the benchmark's file is household_power_consumption.txt of UCI dataset "
        "235, \"individual household electric power consumption\", and any CSV with --column does",
        source.path));
  }
  std::optional<io::MappedFile> file;
  if (!io::has_npy_name(source.path)) file.emplace(source.path);
  Observations out = file && is_household(file->text()) ? parse_household(file->text(), source)
                                                        : read_column(source);
  if (!source.seasons.empty()) out.seasons = source.seasons;
  return out;
}

}  // namespace pcgs::studies
