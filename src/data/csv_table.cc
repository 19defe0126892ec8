#include "data/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "data/as_argument.h"
#include "data/calendar.h"
#include "data/csv.h"
#include "data/encoding.h"
#include "data/index_column.h"
#include "data/number.h"
#include "data/number_advice.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

class CsvTableReader {
 public:
  CsvTableReader(std::string_view text, const std::string& path, const TableRequest& request)
      : csv_(text, path), header_bytes_(csv_.bytes_read()), path_(path), request_(request) {}

  NumberTable read() {
    check_format(request_.format);
    require_names();
    selected_ = select_columns(csv_.header(), request_, path_);
    if (!csv_.next()) {
      throw Error(
          fmt::format("{}: there is a header but no row of data; give at least one", path_));
    }
    if (request_.find_times) find_times();
    find_index();
    name_columns();
    do {
      read_row();
    } while (csv_.next());
    table_.values.rows = csv_.row();
    table_.values.columns = table_.names.size();
    give_notes();
    return std::move(table_);
  }

 private:
  const std::string& name_of(std::size_t column) const { return csv_.header()[column]; }

  // The first line of a file without a header would be lost, so numbers are not taken for names;
  // nor are numbers beside dates.
  void require_names() const {
    bool any_number = false;
    for (const std::string& name : csv_.header()) {
      const bool is_number = parse_number(name, request_.format).kind == NumberKind::kFinite;
      if (!is_number && !is_date(name)) return;
      any_number |= is_number;
    }
    if (!any_number) return;
    throw Error(fmt::format(
        "{}: its first line holds numbers; give a first line that names the columns", path_));
  }

  // Needs the first row. What is taken for the times is no longer read as numbers.
  void find_times() {
    std::vector<std::size_t> found;
    for (const std::size_t column : selected_.unnamed) {
      if (is_date(csv_.fields()[column])) found.push_back(column);
    }
    if (found.empty()) return;
    if (found.size() > 1 && request_.keep.empty()) refuse_several(found);
    times_ = found.front();
    drop_number(*times_);
    table_.times.emplace().name = name_of(*times_);
  }

  [[noreturn]] void refuse_several(std::span<const std::size_t> found) const {
    std::string names;
    for (std::size_t i = 0; i < found.size(); ++i) {
      names += i == 0 ? "" : i + 1 < found.size() ? ", " : " and ";
      names += name_of(found[i]).empty() ? "the first, unnamed" : excerpt(name_of(found[i]));
    }
    throw Error(fmt::format(
        "{}: several columns hold times ({}); name one with --time and leave the others out with "
        "--ignore",
        path_, names));
  }

  // After the times. pandas reads a column without a name as "Unnamed: 0" and writes that.
  void find_index() {
    const bool nobody_asked =
        request_.keep.empty() && !selected_.unnamed.empty() && selected_.unnamed.front() == 0;
    if (!nobody_asked || times_ == std::size_t{0}) return;
    if (!name_of(0).empty() && name_of(0) != "Unnamed: 0") return;
    has_index_ = true;
    drop_number(0);
  }

  void drop_number(std::size_t column) {
    std::erase_if(selected_.numbers,
                  [&](const WantedColumn& wanted) { return wanted.index == column; });
  }

  void name_columns() {
    if (selected_.numbers.empty()) {
      throw Error(fmt::format("{}: no column of numbers is left; give at least one", path_));
    }
    for (const WantedColumn& column : selected_.numbers) {
      table_.names.push_back(name_of(column.index));
    }
    for (const std::size_t column : selected_.texts) {
      table_.texts.emplace_back().name = name_of(column);
    }
  }

  void read_row() {
    if (has_index_ && !index_.counts_on(csv_.fields()[0])) refuse_index();
    make_room();
    for (const WantedColumn& column : selected_.numbers) read_number(column);
    for (std::size_t i = 0; i < selected_.texts.size(); ++i) {
      table_.texts[i].add(text_of(selected_.texts[i]));
    }
    if (times_) table_.times->add(text_of(*times_));
  }

  [[noreturn]] void refuse_index() const {
    throw Error(
        fmt::format("{}: \"{}\" stands in a column without a name that does not count the rows; "
                    "give it a name, or leave it out (pandas: to_csv(index=False))",
                    csv_.position(0), excerpt(csv_.fields()[0])));
  }

  // Rows are about as long as those before: room for all of them is asked for at once, because a
  // vector that doubles holds everything twice while it moves. Room that is not used takes none.
  void make_room() {
    std::vector<double>& values = table_.values.values;
    const std::size_t columns = selected_.numbers.size();
    const std::size_t rows = csv_.row();
    constexpr std::size_t kRowsLookedAt = 100;
    if (rows < kRowsLookedAt || values.capacity() - values.size() >= columns) return;
    constexpr double kMargin = 1.1;
    const double share_read = static_cast<double>(csv_.bytes_read() - header_bytes_) /
                              static_cast<double>(csv_.bytes() - header_bytes_);
    const double expected = kMargin * static_cast<double>(rows) / share_read;
    values.reserve((static_cast<std::size_t>(expected) + kRowsLookedAt) * columns);
  }

  void read_number(const WantedColumn& column) {
    const std::string_view field = csv_.fields()[column.index];
    const Number number = parse_number(field, request_.format);
    const bool usable = number.kind == NumberKind::kFinite ||
                        (number.kind == NumberKind::kMissing && column.may_be_missing);
    if (!usable) refuse_number(column, number.kind, field);
    table_.values.values.push_back(number.value);
  }

  [[noreturn]] void refuse_number(const WantedColumn& column, NumberKind kind,
                                  std::string_view field) const {
    const std::string formats =
        kind == NumberKind::kText ? format_advice(field, request_.format) : std::string();
    throw Error(fmt::format("{}: {}; {}", csv_.position(column.index),
                            number_objection(kind, field),
                            number_advice(column, name_of(column.index), formats)));
  }

  std::string_view text_of(std::size_t column) const {
    const std::string_view text = trimmed(csv_.fields()[column], " \t");
    if (is_utf8(text)) return text;
    throw Error(fmt::format("{}: \"{}\" is not UTF-8; {}", csv_.position(column), excerpt(text),
                            latin1_advice(path_)));
  }

  void give_notes() const {
    if (!request_.note) return;
    if (has_index_) {
      request_.note(
          fmt::format("{}: its first column has no name and counts the rows; it was left out "
                      "(pandas: to_csv(index=False))",
                      path_));
    }
    if (!times_) return;
    const std::string example = excerpt((*table_.times)[0]) + (csv_.row() > 1 ? ", ..." : "");
    const std::string& name = name_of(*times_);
    if (name.empty()) {
      request_.note(
          fmt::format("{}: its first column has no name and holds times ({}); give it one to say "
                      "so with --time",
                      path_, example));
    } else {
      request_.note(
          fmt::format("{}: column {} holds times ({}); give --time {} to say so, or "
                      "--ignore {}",
                      path_, excerpt(name), example, as_argument(name), as_argument(name)));
    }
  }

  CsvReader csv_;
  std::size_t header_bytes_;
  const std::string& path_;
  const TableRequest& request_;
  SelectedColumns selected_;
  std::optional<std::size_t> times_;  // which column was found
  bool has_index_ = false;            // the first column, which has no name, must count the rows
  IndexColumn index_;
  NumberTable table_;
};

}  // namespace

NumberTable parse_csv_table(std::string_view text, const std::string& path,
                            const TableRequest& request) {
  return CsvTableReader(text, path, request).read();
}

}  // namespace pcgs::io
