#include "data/number_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "data/csv.h"
#include "data/input_bytes.h"
#include "data/npy.h"
#include "data/text.h"
#include "data/times.h"
#include "pcgs/error.h"

namespace pcgs::io {

namespace {

constexpr std::size_t kNamesListed = 10;

std::string list_of(std::span<const std::string> names) {
  std::string list;
  std::size_t listed = 0;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    if (listed == kNamesListed) return list + ", ...";
    list += (listed++ == 0 ? "" : ", ") + excerpt(name);
  }
  return list;
}

// "decimal = ,": what to give to get from one format to the other.
std::string options(NumberFormat from, NumberFormat to) {
  std::string text;
  if (to.decimal != from.decimal) text = option("decimal", {&to.decimal, 1});
  if (to.thousands == from.thousands) return text;
  text += text.empty() ? "" : " and ";
  if (to.thousands == '\0') return text + "no " + option("thousands");
  return text + option("thousands", as_argument({&to.thousands, 1}));
}

// "\"x\" is not a number; give numbers, or leave the column out with ...", or what format_advice() says
// instead of "numbers".
[[noreturn]] void refuse_number(ErrorPlace place, NumberKind kind, std::string_view field,
                                const WantedColumn& column, const std::string& name,
                                NumberFormat format) {
  std::string why = fmt::format("\"{}\"", excerpt(field)), give;
  if (kind == NumberKind::kMissing) {
    why = "the value is missing" + (field.empty() ? "" : " (" + why + ")");
  } else if (kind == NumberKind::kInfinite) {
    why += " is infinite, and only finite numbers are accepted";
  } else if (kind == NumberKind::kOutOfRange) {
    why += " is out of the range of double precision";
  } else {
    why += " is not a number";
    give = format_advice(field, format);
  }
  if (give.empty()) give = "numbers";
  if (column.may_be_ignored) {
    give += ", or leave the column out with " + option("ignore", as_argument(name));
  }
  throw Error(kind == NumberKind::kMissing ? ErrorKind::kMissing : ErrorKind::kValue,
              std::move(place), fmt::format("{}; give {}", why, give));
}

NumberTable from_npy(std::string_view bytes, const std::string& path, const TableRequest& request) {
  if (!request.text.empty()) {
    throw Error(
        ErrorKind::kFile, {.file = path},
        fmt::format(
            "is NPY and holds numbers only, so column {} cannot be read as text; give CSV for that",
            excerpt(request.text.front())));
  }
  const NpyMatrix npy({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, path);
  const std::vector<std::string> all_names = npy.names();
  const std::vector<WantedColumn> columns = select_columns(all_names, request, path).numbers;
  NumberTable table;
  std::vector<std::size_t> indices;
  for (const WantedColumn& column : columns) {
    indices.push_back(column.index);
    table.names.push_back(all_names[column.index]);
  }
  table.values = Matrix(npy.rows(), columns.size());
  npy.copy(indices, 0, npy.rows(), table.values.values.data(), columns.size());
  for (std::size_t t = 0; t < npy.rows(); ++t) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double value = table.values.row(t)[k];
      if (std::isfinite(value) || (std::isnan(value) && columns[k].may_be_missing)) continue;
      refuse_number({.file = path, .row = t + 1, .column = table.names[k]},
                    std::isnan(value) ? NumberKind::kMissing : NumberKind::kInfinite,
                    fmt::format("{}", value), columns[k], table.names[k], {});
    }
  }
  return table;
}

bool is_npy(std::string_view bytes) { return bytes.starts_with(kNpyMagic); }

class CsvTableReader {
 public:
  CsvTableReader(std::string_view text, const std::string& path, const TableRequest& request)
      : csv_(text, path), header_bytes_(csv_.bytes_read()), path_(path), request_(request) {}

  NumberTable read() {
    check_format(request_.format);
    require_names();
    selected_ = select_columns(csv_.header(), request_, path_);
    if (!csv_.next()) {
      throw Error(ErrorKind::kFormat, {.file = path_},
                  "there is a header but no row of data; give at least one");
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
    throw Error(ErrorKind::kFormat, {.file = path_},
                "its first line holds numbers; give a first line that names the columns");
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
    throw Error(
        ErrorKind::kRequest, {.file = path_, .field = "time"},
        fmt::format(
            "several columns hold times ({}); name one with {} and leave the others out with {}",
            names, option("time"), option("ignore")));
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
      throw Error(ErrorKind::kFormat, {.file = path_},
                  "no column of numbers is left; give at least one");
    }
    for (const WantedColumn& column : selected_.numbers) {
      table_.names.push_back(name_of(column.index));
    }
    for (const std::size_t column : selected_.texts) {
      table_.texts.emplace_back().name = name_of(column);
    }
  }

  void read_row() {
    if (has_index_) read_index();
    make_room();
    for (const WantedColumn& column : selected_.numbers) read_number(column);
    for (std::size_t i = 0; i < selected_.texts.size(); ++i) {
      table_.texts[i].add(text_of(selected_.texts[i]));
    }
    if (times_) table_.times->add(text_of(*times_));
  }

  // As pandas' to_csv() writes its index: 0, 1, 2, ...; the first may be any whole number.
  void read_index() {
    const std::string_view field = csv_.fields()[0], text = trimmed(field, " \t");
    std::int64_t number = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc{} && stopped == text.data() + text.size();
    const bool goes_on = csv_.row() == 1 || (number > index_ && number - 1 == index_);
    index_ = number;
    if (is_whole && goes_on) return;
    throw Error(
        ErrorKind::kFormat, csv_.place(0),
        fmt::format("\"{}\" stands in a column without a name that does not count the rows; "
                    "give it a name, or leave it out (pandas: to_csv(index=False))",
                    excerpt(field)));
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
    if (!usable) {
      refuse_number(csv_.place(column.index), number.kind, field, column, name_of(column.index),
                    request_.format);
    }
    table_.values.values.push_back(number.value);
  }

  std::string_view text_of(std::size_t column) const {
    const std::string_view text = trimmed(csv_.fields()[column], " \t");
    if (is_utf8(text)) return text;
    throw Error(ErrorKind::kFormat, csv_.place(column),
                fmt::format("\"{}\" is not UTF-8; {}", excerpt(text), latin1_advice(path_)));
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
    const std::string argument = as_argument(name);
    request_.note(
        name.empty() ? fmt::format("{}: its first column has no name and holds times ({}); give it "
                                   "one to say so with --time",
                                   path_, example)
                     : fmt::format("{}: column {} holds times ({}); give --time {} to say so, or "
                                   "--ignore {}",
                                   path_, excerpt(name), example, argument, argument));
  }

  CsvReader csv_;
  std::size_t header_bytes_;
  const std::string& path_;
  const TableRequest& request_;
  SelectedColumns selected_;
  std::optional<std::size_t> times_;  // which column was found
  bool has_index_ = false;            // the first column, which has no name, must count the rows
  std::int64_t index_ = 0;            // in the row before
  NumberTable table_;
};

}  // namespace

SelectedColumns select_columns(std::span<const std::string> names, const TableRequest& request,
                               const std::string& path) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
  const auto find = [&](const std::string& name) {
    const auto found = index.find(name);
    if (found != index.end()) return found->second;
    throw Error(
        ErrorKind::kUnknown, {.file = path},
        fmt::format("there is no column {}; the columns are {}", excerpt(name), list_of(names)));
  };
  const auto require = [&](bool holds, const std::string& name, std::string_view otherwise) {
    if (holds) return;
    throw Error(ErrorKind::kRequest, {.file = path, .field = name},
                fmt::format("column {} {}", excerpt(name), otherwise));
  };

  std::vector<bool> ignored(names.size());
  std::vector<bool> required(names.size());
  std::vector<bool> chosen(names.size());
  for (const std::string& name : request.ignore) ignored[find(name)] = true;
  for (const std::string& name : request.require) required[find(name)] = true;

  SelectedColumns selected;
  std::vector<WantedColumn>& columns = selected.numbers;
  std::vector<bool> is_text(names.size());
  for (const std::string& name : request.text) {
    const std::size_t i = find(name);
    require(!ignored[i], name, "is both asked for and ignored; do one of the two");
    require(!is_text[i], name, "is asked for twice as text; name it once");
    require(!required[i], name, "is asked for both as numbers and as text; do one of the two");
    is_text[i] = true;
    selected.texts.push_back(i);
  }

  const auto choose = [&](std::size_t i) {
    chosen[i] = true;
    columns.push_back({.index = i,
                       .may_be_missing = request.may_be_missing && request.may_be_missing(names[i]),
                       .may_be_ignored = request.keep.empty() && !required[i]});
  };
  for (const std::string& name : request.keep) {
    const std::size_t i = find(name);
    require(!ignored[i], name, "is both asked for and ignored; do one of the two");
    require(!is_text[i], name, "is asked for both as numbers and as text; do one of the two");
    require(!chosen[i], name, "is asked for twice; name it once");
    choose(i);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (ignored[i] || is_text[i] || chosen[i]) continue;
    if (!required[i]) selected.unnamed.push_back(i);
    if (request.keep.empty()) choose(i);
  }
  for (const std::string& name : request.require) {
    const std::size_t i = find(name);
    require(!ignored[i], name, "is needed but ignored; do not ignore it");
    require(chosen[i], name, "is needed but not among those asked for; ask for it too");
  }
  if (columns.empty()) {
    throw Error(
        ErrorKind::kFormat, {.file = path},
        fmt::format("all of its columns are {} ({}); leave at least one",
                    request.text.empty() ? "ignored" : "ignored or read as text", list_of(names)));
  }
  return selected;
}

std::string format_advice(std::string_view field, NumberFormat format) {
  constexpr std::string_view kDecimals = ".,";
  constexpr std::string_view kThousands("\0,.'_ ", 6);
  // One change is likelier than two.
  for (const int changes : {1, 2}) {
    std::string advice;
    for (const char decimal : kDecimals) {
      for (const char thousands : kThousands) {
        const NumberFormat other{decimal, thousands};
        const int changed =
            (decimal != format.decimal ? 1 : 0) + (thousands != format.thousands ? 1 : 0);
        if (changed != changes || decimal == thousands) continue;
        const Number number = parse_number(field, other);
        if (number.kind != NumberKind::kFinite) continue;
        const bool needless = thousands != format.thousands && thousands != '\0' &&
                              parse_number(field, {decimal, '\0'}).kind == NumberKind::kFinite;
        if (needless) continue;
        advice += fmt::format("{}{} if it is {}", advice.empty() ? "" : " or ",
                              options(format, other), number.value);
      }
    }
    if (!advice.empty()) return advice;
  }
  return {};
}

NumberTable parse_table(std::string_view bytes, const std::string& path,
                        const TableRequest& request) {
  const bool is_zipped = path.ends_with(".gz") || path.ends_with(".GZ");
  if (has_npy_name(is_zipped ? path.substr(0, path.size() - 3) : path)) {
    return from_npy(bytes, path, request);
  }
  if (is_npy(bytes)) {
    throw Error(ErrorKind::kFormat, {.file = path},
                "holds NPY data, but its name says otherwise; give it a name that ends in .npy");
  }
  return CsvTableReader(bytes, path, request).read();
}

NumberTable read_table(const std::string& path, const TableRequest& request) {
  const InputBytes input(path);
  if (input.is_file()) return parse_table(input.text(), path, request);
  return is_npy(input.text()) ? from_npy(input.text(), input.name(), request)
                              : CsvTableReader(input.text(), input.name(), request).read();
}

}  // namespace pcgs::io
