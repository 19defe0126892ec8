#include "io/household.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "io/number.h"
#include "io/utf8.h"
#include "pcgs/error.h"

namespace pcgs::io {

namespace {

constexpr std::string_view kStart = "Date;Time;";
constexpr std::size_t kMostColumns = 64;
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
      : left_(text), origin_(origin), request_(request) {
    next_line();
    if (!is_household(line_)) {
      throw Error(fmt::format(
          "{}: its first line does not start with {}; give the household file as published",
          origin_, kStart));
    }
    columns_ = split_fields();
    for (std::size_t i = 0; i < columns_; ++i) {
      names_.emplace_back(fields_[i]);
      if (i >= 2 && fields_[i] == request_.column) wanted_ = i;
    }
    if (wanted_ != 0) return;
    std::string known;
    for (std::size_t i = 2; i < columns_; ++i) known += (i > 2 ? ", " : "") + excerpt(names_[i]);
    throw Error(fmt::format("{}: there is no column {}; the columns are {}", origin_,
                            excerpt(request_.column), known));
  }

  HouseholdSeries read() {
    while (next_line()) {
      ++series_.rows;
      if (split_fields() != columns_) refuse_fields();
      const std::int64_t minute = parse_minute();
      const Number number = parse_number(fields_[wanted_]);
      if (number.kind == NumberKind::kMissing) {
        ++series_.missing;
      } else if (number.kind == NumberKind::kFinite) {
        add(minute / static_cast<std::int64_t>(request_.minutes), number.value);
      } else {
        refuse(wanted_, "is not a number; give numbers, and ? where one is missing");
      }
      if (series_.rows % kBetweenReports == 0) report();
    }
    report();
    end_stretch();
    if (series_.values.empty()) {
      throw Error(fmt::format("{}: column {} holds no value; give the file as published", origin_,
                              request_.column));
    }
    return std::move(series_);
  }

 private:
  // The next line without its end, unless nothing but blank lines is left.
  bool next_line() {
    if (left_.empty()) return false;
    const std::size_t end = left_.find('\n');
    ended_ = end != std::string_view::npos;
    line_ = left_.substr(0, end);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    const std::size_t used = ended_ ? end + 1 : left_.size();
    left_.remove_prefix(used);
    unreported_ += used;
    return !line_.empty() || left_.find_first_not_of("\r\n") != std::string_view::npos;
  }

  std::size_t split_fields() {
    std::size_t count = 0;
    std::size_t start = 0;
    for (;;) {
      const std::size_t end = std::min(line_.find(';', start), line_.size());
      if (count < kMostColumns) fields_[count] = line_.substr(start, end - start);
      ++count;
      if (end == line_.size()) return std::min(count, kMostColumns);
      start = end + 1;
    }
  }

  // Minutes since 1970, later than any before.
  std::int64_t parse_minute() {
    if (fields_[0] != date_text_) {
      std::array<int, 3> date{};
      if (!split_numbers<3>(fields_[0], '/', {2, 2, 4}, date)) refuse_date();
      using namespace std::chrono;
      const year_month_day day{year(date[2]), month(static_cast<unsigned>(date[1])),
                               std::chrono::day(static_cast<unsigned>(date[0]))};
      if (!day.ok() || date[2] < 1970) refuse_date();
      day_ = sys_days(day).time_since_epoch().count();
      date_text_ = fields_[0];
    }
    std::array<int, 3> time{};
    if (!split_numbers<3>(fields_[1], ':', {2, 2, 2}, time) || time[0] > 23 || time[1] > 59 ||
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
    if (request_.progress) request_.progress(unreported_);
    unreported_ = 0;
  }

  std::string place() const {
    return fmt::format("{}: row {} (line {})", origin_, series_.rows, series_.rows + 1);
  }
  [[noreturn]] void refuse(std::size_t field, std::string_view why) const {
    throw Error(fmt::format("{}, column {}: \"{}\" {}", place(), excerpt(names_[field]),
                            excerpt(fields_[field]), why));
  }
  [[noreturn]] void refuse_date() const { refuse(0, "is not a date; give d/m/yyyy"); }
  [[noreturn]] void refuse_fields() {
    const std::size_t count = split_fields();
    throw Error(fmt::format("{} has {} field{}, but the header names {} columns; {}", place(),
                            count, count == 1 ? "" : "s", columns_,
                            ended_ ? "give every row one field per column"
                                   : "the file seems to be cut off, so get it again"));
  }

  std::string_view left_, line_;
  bool ended_ = true;  // the line has its line end
  const std::string& origin_;
  const HouseholdRequest& request_;
  std::array<std::string_view, kMostColumns> fields_;
  std::size_t columns_ = 0, wanted_ = 0;
  std::vector<std::string> names_;

  std::string_view date_text_;  // the last date that was parsed, and its day
  std::int64_t day_ = 0, last_minute_ = -1, stretch_ = -1;
  double sum_ = 0;
  std::size_t count_ = 0, unreported_ = 0;
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
  return Reader(text, origin, request).read();
}

}  // namespace pcgs::io
