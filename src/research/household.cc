#include "research/household.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "data/csv.h"
#include "data/input_bytes.h"
#include "data/npy.h"
#include "data/number_table.h"
#include "data/text.h"
#include "pcgs/error.h"
#include "research/electricity.h"

namespace pcgs::io {

namespace {

constexpr std::string_view kStart = "Date;Time;";
constexpr std::size_t kMinutesPerDay = 1440;
constexpr std::size_t kBetweenReports = 1 << 16;  // rows

// Takes `text` as whole numbers of at most `widths` digits with `mark` between them.
template <std::size_t N>
bool split_numbers(std::string_view text, char mark, const std::array<std::size_t, N>& widths,
                   std::array<int, N>& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < N; ++i) {
    if (at == end || *at < '0' || *at > '9') return false;  // from_chars would take a sign
    const auto [stop, problem] = std::from_chars(at, end, out[i]);
    if (problem != std::errc() || stop - at > static_cast<std::ptrdiff_t>(widths[i])) return false;
    at = stop;
    if (i + 1 == N) break;
    if (at == end || *at != mark) return false;
    ++at;
  }
  return at == end;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin, const HouseholdRequest& request)
      : csv_(text, origin), request_(request) {
    const auto names = csv_.header();
    for (std::size_t i = 2; i < names.size(); ++i) {
      if (names[i] == request_.column) wanted_ = i;
    }
    if (wanted_ != 0) return;
    std::string known;
    for (std::size_t i = 2; i < names.size(); ++i) known += (i > 2 ? ", " : "") + excerpt(names[i]);
    throw Error(fmt::format("{}: there is no column {}; the columns are {}", origin,
                            excerpt(request_.column), known));
  }

  HouseholdSeries read(const std::string& origin) {
    while (csv_.next()) {
      const std::int64_t minute = parse_minute();
      const Number number = parse_number(csv_.fields()[wanted_]);
      if (number.kind == NumberKind::kMissing) {
        ++series_.missing;
      } else if (number.kind == NumberKind::kFinite) {
        add(minute / static_cast<std::int64_t>(request_.minutes), number.value);
      } else {
        refuse(wanted_, "is not a number; give numbers, and ? where one is missing");
      }
      if (csv_.row() % kBetweenReports == 0) report();
    }
    report();
    end_stretch();
    series_.rows = csv_.row();
    if (series_.values.empty()) {
      throw Error(fmt::format("{}: column {} holds no value; give the file as published", origin,
                              request_.column));
    }
    return std::move(series_);
  }

 private:
  // Minutes since 1970, later than any before.
  std::int64_t parse_minute() {
    const auto fields = csv_.fields();
    if (fields[0] != date_text_) {
      std::array<int, 3> date{};
      if (!split_numbers<3>(fields[0], '/', {2, 2, 4}, date)) refuse_date();
      using namespace std::chrono;
      const year_month_day day{year(date[2]), month(static_cast<unsigned>(date[1])),
                               std::chrono::day(static_cast<unsigned>(date[0]))};
      if (!day.ok() || date[2] < 1970) refuse_date();
      day_ = sys_days(day).time_since_epoch().count();
      date_text_ = fields[0];
    }
    std::array<int, 3> time{};
    if (!split_numbers<3>(fields[1], ':', {2, 2, 2}, time) || time[0] > 23 || time[1] > 59 ||
        time[2] > 59) {
      refuse(1, "is not a time; give hh:mm:ss");
    }
    const std::int64_t minute = day_ * std::int64_t{kMinutesPerDay} + time[0] * 60 + time[1];
    if (minute <= last_minute_) {
      refuse(1, "is not later than the row before; give one row per minute, in order");
    }
    last_minute_ = minute;
    return minute;
  }

  void add(std::int64_t stretch, double value) {
    if (stretch != stretch_) end_stretch();
    stretch_ = stretch;
    sum_ += value;
    ++count_;
  }

  void end_stretch() {
    if (count_ > 0) series_.values.push_back(sum_ / static_cast<double>(count_));
    sum_ = 0;
    count_ = 0;
  }

  void report() {
    if (request_.progress) request_.progress(csv_.bytes_read() - reported_);
    reported_ = csv_.bytes_read();
  }

  [[noreturn]] void refuse(std::size_t field, std::string_view why) const {
    throw Error(ErrorKind::kValue, csv_.place(field),
                fmt::format("\"{}\" {}", excerpt(csv_.fields()[field]), why));
  }
  [[noreturn]] void refuse_date() const { refuse(0, "is not a date; give d/m/yyyy"); }

  CsvReader csv_;
  const HouseholdRequest& request_;
  std::size_t wanted_ = 0;

  std::string date_text_;  // the last date that was parsed, and its day
  std::int64_t day_ = 0, last_minute_ = -1, stretch_ = -1;
  double sum_ = 0;
  std::size_t count_ = 0, reported_ = 0;
  HouseholdSeries series_;
};

}  // namespace

bool is_household(std::string_view text) { return text.substr(0, kStart.size()) == kStart; }

HouseholdSeries parse_household(std::string_view text, const std::string& origin,
                                const HouseholdRequest& request) {
  if (request.minutes == 0 || kMinutesPerDay % request.minutes != 0) {
    throw Error(fmt::format("a resolution of {} minutes does not divide a day; give 1, 10, 60, ...",
                            request.minutes));
  }
  if (!is_household(text)) {
    throw Error(fmt::format(
        "{}: its first line does not start with {}; give the household file as published", origin,
        kStart));
  }
  return Reader(text, origin, request).read(origin);
}

}  // namespace pcgs::io

// From a file to the series of the household benchmark.

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
