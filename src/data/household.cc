#include "data/household.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "data/csv.h"
#include "data/numbers.h"
#include "data/text.h"
#include "pcgs/error.h"

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
    throw Error(
        fmt::format("{}: \"{}\" {}", csv_.position(field), excerpt(csv_.fields()[field]), why));
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
