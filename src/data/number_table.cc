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
#include "data/numbers.h"
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

// "\"x\" is not a number": half a sentence on a field of this kind.
std::string number_objection(NumberKind kind, std::string_view field) {
  const std::string shown = fmt::format("\"{}\"", excerpt(field));
  switch (kind) {
    case NumberKind::kMissing:
      return field.empty() ? "the value is missing"
                           : fmt::format("the value is missing ({})", shown);
    case NumberKind::kInfinite:
      return shown + " is infinite, and only finite numbers are accepted";
    case NumberKind::kOutOfRange:
      return shown + " is out of the range of double precision";
    case NumberKind::kFinite:
    case NumberKind::kText:
      break;
  }
  return shown + " is not a number";
}

// "give numbers, or leave the column out with ...", or what format_advice() says instead of "numbers".
std::string number_advice(const WantedColumn& column, const std::string& name,
                          const std::string& formats = {}) {
  const std::string give = "give " + (formats.empty() ? "numbers" : formats);
  if (!column.may_be_ignored) return give;
  return fmt::format("{}, or leave the column out with {}", give,
                     option("ignore", as_argument(name)));
}

// A first column without a name, as pandas' to_csv() writes its index: 0, 1, 2, ...
class IndexColumn {
 public:
  // Whether the field of the next row goes on counting: the first is any whole number, each other
  // one more than that before it.
  bool counts_on(std::string_view field) {
    const std::string_view text = trimmed(field, " \t");
    std::int64_t number = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || stopped != text.data() + text.size()) return false;
    const bool goes_on =
        !last_ || (*last_ != std::numeric_limits<std::int64_t>::max() && number == *last_ + 1);
    last_ = number;
    return goes_on;
  }

 private:
  std::optional<std::int64_t> last_;
};

NumberTable from_npy(std::string_view bytes, const std::string& path, const TableRequest& request) {
  if (!request.text.empty()) {
    throw Error(
        ErrorKind::kFile, {.file = path},
        fmt::format(
            "is NPY and holds numbers only, so column {} cannot be read as text; give CSV for that",
            excerpt(request.text.front())));
  }
  const Matrix whole =
      read_npy({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, path);
  std::vector<std::string> all_names;
  for (std::size_t i = 1; i <= whole.columns; ++i) all_names.push_back(fmt::format("e{}", i));
  const std::vector<WantedColumn> columns = select_columns(all_names, request, path).numbers;

  NumberTable table;
  for (const WantedColumn& column : columns) table.names.push_back(all_names[column.index]);
  table.values = Matrix(whole.rows, columns.size());
  for (std::size_t t = 0; t < whole.rows; ++t) {
    double* out = table.values.row(t).data();
    for (const WantedColumn& column : columns) {
      const double value = whole.row(t)[column.index];
      const bool usable = std::isfinite(value) || (std::isnan(value) && column.may_be_missing);
      if (!usable) {
        const std::string& name = all_names[column.index];
        const NumberKind kind = std::isnan(value) ? NumberKind::kMissing : NumberKind::kInfinite;
        throw Error(kind == NumberKind::kMissing ? ErrorKind::kMissing : ErrorKind::kValue,
                    {.file = path, .row = t + 1, .column = name},
                    fmt::format("{}; {}", number_objection(kind, fmt::format("{}", value)),
                                number_advice(column, name)));
      }
      *out++ = value;
    }
  }
  return table;
}

bool looks_like_text(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 4096);
  return !start.empty() && std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r' || c == '\n';
  });
}

// The name without an end that says that it is gzipped.
std::string without_gz(const std::string& path) {
  constexpr std::size_t kEnd = std::string_view(".gz").size();
  if (path.size() <= kEnd) return path;
  const std::string_view end = std::string_view(path).substr(path.size() - kEnd);
  return end == ".gz" || end == ".GZ" ? path.substr(0, path.size() - kEnd) : path;
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
        ErrorKind::kFormat, {.file = csv_.position(0)},
        fmt::format("\"{}\" stands in a column without a name that does not count the rows; "
                    "give it a name, or leave it out (pandas: to_csv(index=False))",
                    excerpt(csv_.fields()[0])));
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
    throw Error(kind == NumberKind::kMissing ? ErrorKind::kMissing : ErrorKind::kValue,
                csv_.place(column.index),
                fmt::format("{}; {}", number_objection(kind, field),
                            number_advice(column, name_of(column.index), formats)));
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
  if (!has_npy_name(without_gz(path))) {
    if (is_npy(bytes)) {
      throw Error(ErrorKind::kFormat, {.file = path},
                  "holds NPY data, but its name says otherwise; give it a name that "
                  "ends in .npy");
    }
    return CsvTableReader(bytes, path, request).read();
  }
  if (!is_npy(bytes) && looks_like_text(bytes)) {
    throw Error(ErrorKind::kFormat, {.file = path},
                "holds text, but its name ends in .npy; if it is CSV, give it a name "
                "that ends in .csv");
  }
  return from_npy(bytes, path, request);
}

NumberTable read_table(const std::string& path, const TableRequest& request) {
  const InputBytes input(path);
  if (input.is_file()) return parse_table(input.text(), path, request);
  return is_npy(input.text()) ? from_npy(input.text(), input.name(), request)
                              : CsvTableReader(input.text(), input.name(), request).read();
}

}  // namespace pcgs::io
