// Any bytes as CSV: read, or refused with an Error. What is read keeps the reader's promises, and
// survives being written out again. The same as tables of numbers in several formats, with times
// that are found and with the last column taken for times.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "data/csv.h"
#include "data/invariant.h"
#include "data/number_table.h"
#include "data/text.h"
#include "data/times.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

using Rows = std::vector<std::vector<std::string>>;  // the header first

Rows read(std::string_view text) {
  CsvReader reader(text, "fuzz");
  Rows rows;
  rows.emplace_back(reader.header().begin(), reader.header().end());
  invariant(!rows[0].empty(), "there is a column");
  std::unordered_set<std::string> names;
  invariant(!rows[0].back().empty(), "there is a column with a name");
  for (const std::string& name : rows[0]) {
    invariant(!name.empty() || &name == rows[0].data(), "only the first may have no name");
    invariant(is_utf8(name), "names are UTF-8");
    invariant(names.insert(name).second, "names differ");
  }
  for (std::size_t line = 1; reader.next(); line = reader.line()) {
    invariant(reader.fields().size() == reader.header().size(), "a field for each column");
    invariant(reader.row() == rows.size(), "rows count from 1");
    invariant(reader.line() > line, "rows start on later and later lines");
    rows.emplace_back(reader.fields().begin(), reader.fields().end());
  }
  return rows;
}

std::string written(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? "\"" : ",\"";
      for (const char c : row[i]) text += c == '"' ? "\"\"" : std::string(1, c);
      text += '"';
    }
    text += '\n';
  }
  return text;
}

void check_text(const TextColumn& column, std::size_t rows) {
  invariant(column.size() == rows, "a text for each row");
  for (std::size_t row = 0; row < rows; ++row) invariant(is_utf8(column[row]), "texts are UTF-8");
}

void check_times(const TextColumn& column) {
  TimeColumn times;
  try {
    times = read_times(column, "fuzz.csv");
  } catch (const Error&) {
    return;
  }
  invariant(times.at.size() == column.size(), "a time for each row");
  for (const double at : times.at) {
    invariant(std::isfinite(at), "times are finite");
    // The last minutes of the year 9999 may be in the next one, which has five digits, in UTC.
    if (!times.calendar || date_text(at).find(':') == std::string::npos) continue;
    invariant(std::abs(parse_date(date_text(at)).at - at) <= 1e-9, "a time is read as written");
  }
}

void check_table(std::string_view text, TableRequest request) {
  request.may_be_missing = [](std::string_view) { return true; };
  std::size_t notes = 0;
  request.note = [&](const std::string& note) {
    invariant(!note.empty(), "a note says something");
    ++notes;
  };
  const NumberTable table = parse_table(text, "fuzz.csv", request);
  const std::size_t rows = table.values.rows;
  invariant(rows > 0 && table.values.columns == table.names.size(), "a whole table");
  invariant(table.values.values.size() == rows * table.values.columns, "its size");
  for (const double value : table.values.values) invariant(!std::isinf(value), "no infinity");
  invariant(table.texts.size() == request.text.size(), "the texts that were asked for");
  for (const TextColumn& column : table.texts) {
    check_text(column, rows);
    check_times(column);
  }
  if (!table.times) return;
  invariant(request.find_times && notes > 0, "times are found if asked for, and that is said");
  check_text(*table.times, rows);
  check_times(*table.times);
}

void check_tables(std::string_view text, const std::string& last_column) {
  const TableRequest requests[] = {
      {},
      {.find_times = true},
      {.text = {last_column}, .find_times = true},
      {.find_times = true, .format = {',', '.'}},
      {.format = {'.', ','}},
      {.format = {',', ' '}},
  };
  for (const TableRequest& request : requests) {
    try {
      check_table(text, request);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace pcgs::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string last_column;
  try {
    const auto rows = pcgs::io::read(text);
    last_column = rows[0].back();
    pcgs::invariant(pcgs::io::read(pcgs::io::written(rows)) == rows, "reads back the same");
  } catch (const pcgs::Error&) {
  }
  pcgs::io::check_tables(text, last_column);
  return 0;
}
