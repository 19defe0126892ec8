#include "data/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "data/numbers.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {

namespace {

constexpr std::int64_t kDay = 86400;
constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr std::size_t kDigitsRead = 15;    // of a fraction: up to here its division is exact
constexpr std::size_t kDigitsWritten = 9;  // finer than a double is in any year but 1970

struct Digits {
  int value = 0;
  std::size_t count = 0;
};

// Walks over a text from the left.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Whether it went over at least one.
  bool take_spaces() {
    bool any = false;
    while (take(' ')) any = true;
    return any;
  }

  // `word` in upper case; the text in any.
  bool take_word(std::string_view word) {
    if (rest_.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if ((rest_[i] & ~0x20) != word[i]) return false;
    }
    rest_.remove_prefix(word.size());
    return true;
  }

  // A run of digits, `most` at most.
  Digits take_digits(std::size_t most) {
    Digits digits;
    for (; digits.count < most && !rest_.empty(); ++digits.count) {
      const char c = rest_.front();
      if (c < '0' || c > '9') break;
      digits.value = 10 * digits.value + (c - '0');
      rest_.remove_prefix(1);
    }
    return digits;
  }

  // The digits after a decimal sign, as what they are worth; nothing if there is none.
  std::optional<double> take_fraction() {
    std::int64_t digits = 0;
    std::size_t count = 0;
    for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; ++count) {
      if (count < kDigitsRead) digits = 10 * digits + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (count == 0) return std::nullopt;
    return static_cast<double>(digits) / kPowersOfTen[std::min(count, kDigitsRead)];
  }

 private:
  std::string_view rest_;
};

// Seconds since midnight, UTC. They may be negative or more than a day once an offset is taken off.
struct Clock {
  std::int64_t seconds = 0;
  double fraction = 0;
  bool exists = true;
};

// 05:00, 05:00:30, 05:00:30.25; nothing if it is not one by its shape.
std::optional<Clock> take_clock(Scanner& text, bool may_have_half_days) {
  const auto [hour, hour_digits] = text.take_digits(2);
  if (hour_digits == 0 || !text.take(':')) return std::nullopt;
  const auto [minute, minute_digits] = text.take_digits(2);
  if (minute_digits != 2) return std::nullopt;
  Clock clock;
  Digits second;
  if (text.take(':')) {
    second = text.take_digits(2);
    if (second.count != 2) return std::nullopt;
    if (text.take('.') || text.take(',')) {
      const std::optional<double> fraction = text.take_fraction();
      if (!fraction) return std::nullopt;
      clock.fraction = *fraction;
    }
  }
  // A leap second, :60, is the next minute: clocks of computers count so.
  clock.exists = minute <= 59 && second.value <= 60;
  int hours = hour;
  if (may_have_half_days) {
    Scanner ahead = text;
    ahead.take_spaces();
    const bool morning = ahead.take_word("AM");
    if (morning || ahead.take_word("PM")) {
      text = ahead;
      if (hour < 1 || hour > 12) clock.exists = false;
      hours = hour % 12 + (morning ? 0 : 12);
    }
  }
  const bool end_of_day = hours == 24 && minute == 0 && second.value == 0 && clock.fraction == 0;
  if (hours > 23 && !end_of_day) clock.exists = false;
  clock.seconds = 3600 * hours + 60 * minute + second.value;
  return clock;
}

// Z, UTC, +01:00, +0100, +01: seconds to take off. Zero if there is none; nothing if it is broken.
std::optional<std::int64_t> take_offset(Scanner& text) {
  Scanner ahead = text;
  ahead.take_spaces();
  if (ahead.at_end()) return 0;
  text = ahead;
  if (text.take_word("UTC") || text.take_word("Z")) return 0;
  const bool west = text.take('-');
  if (!west && !text.take('+')) return std::nullopt;
  const Digits hours = text.take_digits(2);
  if (hours.count != 2 || hours.value > 23) return std::nullopt;
  const bool colon = text.take(':');
  const Digits minutes = text.take_digits(2);
  const bool only_hours = minutes.count == 0 && !colon;
  if ((minutes.count != 2 && !only_hours) || minutes.value > 59) return std::nullopt;
  const std::int64_t seconds = 3600 * hours.value + 60 * minutes.value;
  return west ? -seconds : seconds;
}

double seconds_at(int year, int month, int day, const Clock& clock) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || !clock.exists) return Date::kNever;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(kDay * days + clock.seconds) + clock.fraction;
}

// The clock after a date, to the end of the text; midnight if nothing follows.
std::optional<Clock> clock_after(Scanner& text, DateForm form) {
  if (text.at_end()) return Clock{};
  const bool iso = form == DateForm::kIso;
  if (!text.take_spaces() && !(iso && text.take_word("T"))) return std::nullopt;
  std::optional<Clock> clock = take_clock(text, form == DateForm::kSlashed);
  if (!clock) return std::nullopt;
  if (iso) {
    const std::optional<std::int64_t> offset = take_offset(text);
    if (!offset) return std::nullopt;
    clock->seconds -= *offset;
  }
  return text.at_end() ? clock : std::nullopt;
}

Date iso_date(Scanner text, int year, char separator) {
  constexpr DateForm kForm = DateForm::kIso;
  const auto [month, month_digits] = text.take_digits(2);
  if (separator == '-' && month_digits == 2 && text.at_end()) {
    return {.form = kForm, .at = seconds_at(year, month, 1, {})};
  }
  if (month_digits == 0 || !text.take(separator)) return {};
  const auto [day, day_digits] = text.take_digits(2);
  if (day_digits == 0) return {};
  const std::optional<Clock> clock = clock_after(text, kForm);
  if (!clock) return {};
  return {.form = kForm, .at = seconds_at(year, month, day, *clock)};
}

// 01.03.2026 and 01/03/2026.
Date date_with_year_last(Scanner text, int first, char separator) {
  const auto [second, second_digits] = text.take_digits(2);
  if (second_digits == 0 || !text.take(separator)) return {};
  const auto [year, year_digits] = text.take_digits(4);
  if (year_digits != 4) return {};
  const DateForm form = separator == '.' ? DateForm::kDotted : DateForm::kSlashed;
  const std::optional<Clock> clock = clock_after(text, form);
  if (!clock) return {};
  Date date{.form = form, .at = seconds_at(year, second, first, *clock)};
  if (form == DateForm::kSlashed) date.month_first = seconds_at(year, first, second, *clock);
  return date;
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
    if (form_ == DateForm::kNone) {
      read_numbers();
    } else {
      column_.calendar = true;
      if (form_ == DateForm::kSlashed) {
        read_slashed();
      } else {
        read_dates();
      }
    }
    return std::move(column_);
  }

 private:
  std::size_t rows() const { return column_.text.size(); }
  std::string_view field(std::size_t row) const { return column_.text[row]; }

  void read_numbers() {
    for (std::size_t row = 0; row < rows(); ++row) {
      const Number number = parse_number(field(row));
      if (number.kind != NumberKind::kFinite) refuse(row);
      column_.at.push_back(number.value);
    }
    std::vector<double> dates;
    for (std::size_t row = 0; row < rows(); ++row) {
      const std::optional<double> date = parse_compact_date(field(row));
      if (!date) return;
      dates.push_back(*date);
    }
    column_.at = std::move(dates);
    column_.calendar = true;
  }

  void read_dates() {
    for (std::size_t row = 0; row < rows(); ++row) {
      const Date date = parse_date(field(row));
      if (date.form != form_ || std::isnan(date.at)) refuse(row);
      column_.at.push_back(date.at);
    }
  }

  void read_slashed() {
    std::vector<double>& day_first = column_.at;
    std::vector<double> month_first;
    month_first.reserve(rows());
    std::optional<std::size_t> no_day_first;  // the first row that rules a reading out
    std::optional<std::size_t> no_month_first;
    for (std::size_t row = 0; row < rows(); ++row) {
      const Date date = parse_date(field(row));
      const bool day = !std::isnan(date.at);
      const bool month = !std::isnan(date.month_first);
      if (date.form != form_ || (!day && !month)) refuse(row);
      if (!day && !no_day_first) no_day_first = row;
      if (!month && !no_month_first) no_month_first = row;
      day_first.push_back(date.at);
      month_first.push_back(date.month_first);
    }
    if (no_day_first && no_month_first) {
      const std::size_t row = std::max(*no_day_first, *no_month_first);
      const std::size_t other = std::min(*no_day_first, *no_month_first);
      fail(row,
           fmt::format("{} has the {} first, but {} in row {} the {}; write dates as 2026-03-01",
                       quoted(field(row)), row == *no_month_first ? "day" : "month",
                       quoted(field(other)), other + 1, row == *no_month_first ? "month" : "day"));
    }
    if (no_month_first) return;
    if (!no_day_first) {
      if (day_first == month_first) return;
      const bool day_forwards = std::is_sorted(day_first.begin(), day_first.end());
      const bool month_forwards = std::is_sorted(month_first.begin(), month_first.end());
      if (day_forwards == month_forwards) refuse_both_readings();
      if (day_forwards) return;
    }
    day_first = std::move(month_first);
  }

  [[noreturn]] void refuse_both_readings() const {
    std::size_t row = 0;  // the first that shows the difference
    for (;; ++row) {
      const Date date = parse_date(field(row));
      if (date.at != date.month_first) break;
    }
    const Date date = parse_date(field(row));
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
  Scanner text(trimmed(field, " \t"));
  const auto [first, digits] = text.take_digits(4);
  if (digits == 4) {
    if (text.take('-')) return iso_date(text, first, '-');
    if (text.take('/')) return iso_date(text, first, '/');
  } else if (digits == 1 || digits == 2) {
    if (text.take('.')) return date_with_year_last(text, first, '.');
    if (text.take('/')) return date_with_year_last(text, first, '/');
  }
  return {};
}

std::optional<double> parse_compact_date(std::string_view field) {
  Scanner text(trimmed(field, " \t"));
  const Digits year = text.take_digits(4);
  const Digits month = text.take_digits(2);
  const Digits day = text.take_digits(2);
  if (day.count != 2 || !text.at_end()) return std::nullopt;  // so that all eight are there
  const double at = seconds_at(year.value, month.value, day.value, {});
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
