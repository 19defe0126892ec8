#include "data/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "data/csv.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {

namespace {

constexpr std::int64_t kDay = 86400;
constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr std::size_t kDigitsRead = 15;    // of a fraction: up to here its division is exact
constexpr std::size_t kDigitsWritten = 9;  // finer than a double is in any year but 1970

// What a text says that was taken apart.
struct Parts {
  int year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0;
  double fraction = 0;
  std::int64_t offset = 0;  // from UTC, in seconds
};

// In patterns: how many digits a letter stands for; and f for any number of them after a decimal sign.
constexpr struct {
  char letter;
  std::size_t least, most;
  int Parts::*part;
} kLetters[] = {
    {'Y', 4, 4, &Parts::year}, {'m', 1, 2, &Parts::month},  {'b', 2, 2, &Parts::month},
    {'d', 1, 2, &Parts::day},  {'D', 2, 2, &Parts::day},    {'H', 1, 2, &Parts::hour},
    {'h', 2, 2, &Parts::hour}, {'M', 2, 2, &Parts::minute}, {'S', 2, 2, &Parts::second}};

// Dates by the pattern that they begin with, the first that fits.
constexpr std::string_view kMonth = "Y-b";
constexpr std::pair<std::string_view, DateForm> kDates[] = {{"Y-m-d", DateForm::kIso},
                                                            {"Y/m/d", DateForm::kIso},
                                                            {kMonth, DateForm::kIso},
                                                            {"d.m.Y", DateForm::kDotted},
                                                            {"d/m/Y", DateForm::kSlashed}};
constexpr std::string_view kOffsets[] = {"h:M", "hM", "h"};

// Takes what the pattern says from the front; nothing, and false, if the text does not begin so.
bool take(std::string_view& text, std::string_view pattern, Parts& parts) {
  std::string_view rest = text;
  Parts found = parts;
  for (const char c : pattern) {
    const auto* const letter =
        std::ranges::find(kLetters, c, [](const auto& l) { return l.letter; });
    const bool fraction = c == 'f';
    if (!fraction && letter == std::end(kLetters)) {
      if (!rest.starts_with(c)) return false;
      rest.remove_prefix(1);
      continue;
    }
    const std::size_t there = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const std::size_t count = fraction ? there : std::min(there, letter->most);
    if (count < (fraction ? 1 : letter->least)) return false;
    std::int64_t value = 0;
    for (const char digit : rest.substr(0, std::min(count, kDigitsRead))) {
      value = 10 * value + (digit - '0');
    }
    rest.remove_prefix(count);
    if (fraction) {
      found.fraction = static_cast<double>(value) / kPowersOfTen[std::min(count, kDigitsRead)];
    } else {
      found.*letter->part = static_cast<int>(value);
    }
  }
  text = rest;
  parts = found;
  return true;
}

// `word` in upper case; the text in any.
bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char a, char b) { return (a & ~0x20) == b; });
}

// What follows a date, to the end of the text: nothing, or a clock with an offset (year first) or half
// of the day (slashes).
bool take_clock(std::string_view text, DateForm form, Parts& parts) {
  const auto skip_spaces = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  };
  if (text.empty()) return true;
  const bool iso = form == DateForm::kIso;
  if (iso && is_word(text.substr(0, 1), "T")) {
    text.remove_prefix(1);
  } else if (text.front() == ' ') {
    skip_spaces();
  } else {
    return false;
  }
  if (!take(text, "H:M", parts)) return false;
  if (take(text, ":S", parts) && !take(text, ".f", parts)) take(text, ",f", parts);
  skip_spaces();
  if (text.empty()) return true;
  if (form == DateForm::kSlashed && (is_word(text, "AM") || is_word(text, "PM"))) {
    constexpr int kNoHour = 99;
    const int noon = is_word(text, "PM") ? 12 : 0;
    parts.hour = parts.hour < 1 || parts.hour > 12 ? kNoHour : parts.hour % 12 + noon;
    return true;
  }
  if (!iso) return false;
  if (is_word(text, "UTC") || is_word(text, "Z")) return true;
  const char sign = text.front();
  text.remove_prefix(1);
  Parts offset;
  const bool taken = std::ranges::any_of(
      kOffsets, [&](std::string_view pattern) { return take(text, pattern, offset); });
  if ((sign != '+' && sign != '-') || !taken || !text.empty()) return false;
  parts.offset = (sign == '-' ? -1 : 1) * (3600 * offset.hour + 60 * offset.minute);
  return offset.hour <= 23 && offset.minute <= 59;
}

// NaN if there is no such time. A leap second, :60, is the next minute: clocks of computers count so.
double seconds_at(const Parts& parts) {
  const std::chrono::year_month_day date{std::chrono::year(parts.year),
                                         std::chrono::month(static_cast<unsigned>(parts.month)),
                                         std::chrono::day(static_cast<unsigned>(parts.day))};
  const bool end_of_day =
      parts.hour == 24 && parts.minute == 0 && parts.second == 0 && parts.fraction == 0;
  if (!date.ok() || parts.minute > 59 || parts.second > 60 || (parts.hour > 23 && !end_of_day)) {
    return Date::kNever;
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t clock = 3600 * parts.hour + 60 * parts.minute + parts.second;
  return static_cast<double>(kDay * days + clock - parts.offset) + parts.fraction;
}

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", excerpt(text)); }

class Reader {
 public:
  Reader(TextColumn text, const std::string& origin) : origin_(origin) {
    column_.text = std::move(text);
  }

  TimeColumn read() {
    if (rows() == 0) return std::move(column_);
    column_.at.reserve(rows());
    form_ = parse_date(field(0)).form;
    column_.calendar = form_ != DateForm::kNone;
    column_.calendar ? read_dates() : read_numbers();
    return std::move(column_);
  }

 private:
  std::size_t rows() const { return column_.text.size(); }
  std::string_view field(std::size_t row) const { return column_.text[row]; }

  void read_numbers() {
    std::vector<double> dates;  // as long as all of them are
    for (std::size_t row = 0; row < rows(); ++row) {
      const Number number = parse_number(field(row));
      if (number.kind != NumberKind::kFinite) refuse(row);
      column_.at.push_back(number.value);
      const auto date = dates.size() == row ? parse_compact_date(field(row)) : std::nullopt;
      if (date) dates.push_back(*date);
    }
    column_.calendar = dates.size() == rows();
    if (column_.calendar) column_.at = std::move(dates);
  }

  void read_dates() {
    const bool slashed = form_ == DateForm::kSlashed;
    std::vector<double>& day_first = column_.at;
    std::vector<double> month_first;
    std::optional<std::size_t> no_day_first, no_month_first;  // the first row that rules it out
    for (std::size_t row = 0; row < rows(); ++row) {
      const Date date = parse_date(field(row));
      const bool day = !std::isnan(date.at), month = !std::isnan(date.month_first);
      if (date.form != form_ || (!day && !month)) refuse(row);
      day_first.push_back(date.at);
      if (slashed) month_first.push_back(date.month_first);
      if (!day && !no_day_first) no_day_first = row;
      if (!month && !no_month_first) no_month_first = row;
    }
    if (no_day_first && no_month_first) {
      const auto [other, row] = std::minmax(*no_day_first, *no_month_first);
      fail(row,
           fmt::format("{} has the {} first, but {} in row {} the {}; write dates as 2026-03-01",
                       quoted(field(row)), row == *no_month_first ? "day" : "month",
                       quoted(field(other)), other + 1, row == *no_month_first ? "month" : "day"));
    }
    if (no_month_first || day_first == month_first) return;
    if (!no_day_first) {
      const bool day_forwards = std::is_sorted(day_first.begin(), day_first.end());
      const bool month_forwards = std::is_sorted(month_first.begin(), month_first.end());
      if (day_forwards == month_forwards) refuse_both_readings();
      if (day_forwards) return;
    }
    day_first = std::move(month_first);
  }

  [[noreturn]] void refuse_both_readings() const {
    std::size_t row = 0;  // the first that shows the difference
    Date date = parse_date(field(row));
    while (date.at == date.month_first) date = parse_date(field(++row));
    fail(row,
         fmt::format("{} may be {} or {}, and the column does not say whether the day or the month "
                     "comes first; write dates as 2026-03-01",
                     quoted(field(row)), date_text(date.at).substr(0, 10),
                     date_text(date.month_first).substr(0, 10)));
  }

  // Says why a field cannot be read like those before it.
  [[noreturn]] void refuse(std::size_t row) const {
    const std::string_view text = field(row);
    const Number number = parse_number(text);
    if (number.kind == NumberKind::kMissing) {
      fail(row, "the time is missing; give one in every row", ErrorKind::kMissing);
    }
    const DateForm form = parse_date(text).form;
    const bool is_number = number.kind == NumberKind::kFinite;
    if (form == DateForm::kNone && !is_number) {
      fail(row, fmt::format("{} is not a time; give dates as 2026-03-01 or 2026-03-01 05:00, "
                            "or numbers",
                            quoted(text)));
    }
    if (form != form_) {
      fail(row, fmt::format("{} is not written like {} in row 1; write all times in one form, "
                            "as 2026-03-01 or 2026-03-01 05:00",
                            quoted(text), quoted(field(0))));
    }
    fail(row, fmt::format("{} is no time of the calendar; give one that exists", quoted(text)));
  }

  [[noreturn]] void fail(std::size_t row, std::string_view why,
                         ErrorKind kind = ErrorKind::kValue) const {
    const std::string& name = column_.text.name;
    throw Error(
        kind, {.file = origin_, .row = row + 1, .column = name.empty() ? "1" : excerpt(name)}, why);
  }

  const std::string& origin_;
  TimeColumn column_;
  DateForm form_ = DateForm::kNone;  // of the first row; all others must have it
};

}  // namespace

Date parse_date(std::string_view field) {
  const std::string_view text = trimmed(field, " \t");
  for (const auto& [pattern, form] : kDates) {
    std::string_view rest = text;
    Parts parts;
    if (!take(rest, pattern, parts)) continue;
    if (pattern == kMonth ? !rest.empty() : !take_clock(rest, form, parts)) return {};
    Date date{.form = form, .at = seconds_at(parts)};
    std::swap(parts.month, parts.day);
    if (form == DateForm::kSlashed) date.month_first = seconds_at(parts);
    return date;
  }
  return {};
}

std::optional<double> parse_compact_date(std::string_view field) {
  std::string_view text = trimmed(field, " \t");
  Parts parts;
  if (!take(text, "YbD", parts) || !text.empty()) return std::nullopt;
  const double at = seconds_at(parts);
  return std::isnan(at) ? std::nullopt : std::optional(at);
}

bool is_date(std::string_view field) {
  const Date date = parse_date(field);
  return !std::isnan(date.at) || !std::isnan(date.month_first);
}

std::string date_text(double at) {
  using std::chrono::sys_days;
  constexpr auto kFirst = sys_days(std::chrono::year(0) / 1 / 1).time_since_epoch().count();
  constexpr auto kEnd = sys_days(std::chrono::year(10000) / 1 / 1).time_since_epoch().count();
  const double whole = std::floor(at);
  if (!(whole >= static_cast<double>(kDay * kFirst) && whole < static_cast<double>(kDay * kEnd))) {
    return fmt::format("{}", at);
  }
  const std::chrono::sys_seconds seconds{std::chrono::seconds(static_cast<std::int64_t>(whole))};
  const auto days = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(seconds - days);
  std::string text =
      fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  clock.hours().count(), clock.minutes().count());
  const double fraction = at - whole;  // exact
  if (clock.seconds().count() == 0 && fraction == 0) return text;
  text += fmt::format(":{:02}", clock.seconds().count());
  if (fraction == 0) return text;
  // The fewest digits that are read as the same time.
  for (std::size_t digits = 1;; ++digits) {
    const double power = kPowersOfTen[digits];
    const double rounded = std::min(std::round(fraction * power), power - 1);
    if (digits == kDigitsWritten || whole + rounded / power == at) {
      return text + fmt::format(".{:0{}}", static_cast<std::int64_t>(rounded), digits);
    }
  }
}

TimeColumn read_times(TextColumn text, const std::string& origin) {
  return Reader(std::move(text), origin).read();
}

}  // namespace pcgs::io
