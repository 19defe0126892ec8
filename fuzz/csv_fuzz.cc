// Any bytes as CSV: read, or refused with an Error. What is read keeps the reader's promises, and
// survives being written out again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/invariant.h"
#include "core/text.h"
#include "io/csv.h"
#include "io/number_table.h"
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
  for (const std::string& name : rows[0]) {
    invariant(!name.empty() && is_utf8(name), "a column has a name in UTF-8");
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

void check_table(std::string_view text) {
  const TableRequest lenient{.may_be_missing = [](std::string_view) { return true; }};
  const NumberTable table = parse_table(text, "fuzz.csv", lenient);
  invariant(table.values.rows > 0 && table.values.columns == table.names.size(), "a whole table");
  invariant(table.values.values.size() == table.values.rows * table.values.columns, "its size");
  for (const double value : table.values.values) invariant(!std::isinf(value), "no infinity");
}

}  // namespace
}  // namespace pcgs::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto rows = pcgs::io::read(text);
    pcgs::invariant(pcgs::io::read(pcgs::io::written(rows)) == rows, "reads back the same");
  } catch (const pcgs::Error&) {
  }
  try {
    pcgs::io::check_table(text);
  } catch (const pcgs::Error&) {
  }
  return 0;
}
