#include "data/time_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "data/number.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

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
      fail(place(row),
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
    fail(place(row),
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
      fail(place(row), "the time is missing; give one in every row");
    }
    const DateForm form = parse_date(text).form;
    const bool is_number = number.kind == NumberKind::kFinite;
    if (form == DateForm::kNone && !is_number) {
      fail(place(row),
           fmt::format("{} is not a time; give dates as 2026-03-01 or 2026-03-01 05:00, "
                       "or numbers",
                       quoted(text)));
    }
    if (form != form_) {
      fail(place(row),
           fmt::format("{} is not written like {} in row 1; write all times in one form, "
                       "as 2026-03-01 or 2026-03-01 05:00",
                       quoted(text), quoted(field(0))));
    }
    fail(place(row),
         fmt::format("{} is no time of the calendar; give one that exists", quoted(text)));
  }

  std::string place(std::size_t row) const {
    const std::string& name = column_.text.name;
    return fmt::format("{}: row {}, {}", origin_, row + 1,
                       name.empty() ? "the column without a name" : "column " + excerpt(name));
  }

  [[noreturn]] static void fail(const std::string& where, std::string_view why) {
    throw Error(fmt::format("{}: {}", where, why));
  }

  const std::string& origin_;
  TimeColumn column_;
  DateForm form_ = DateForm::kNone;  // of the first row; all others must have it
};

}  // namespace

TimeColumn read_times(TextColumn text, const std::string& origin) {
  return Reader(std::move(text), origin).read();
}

}  // namespace pcgs::io
