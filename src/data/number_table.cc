#include "data/number_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "data/csv_table.h"
#include "data/input_bytes.h"
#include "data/npy.h"
#include "data/number_advice.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

NumberTable from_npy(std::string_view bytes, const std::string& path, const TableRequest& request) {
  if (!request.text.empty()) {
    throw Error(fmt::format(
        "{}: is NPY and holds numbers only, so column {} cannot be read as text; give CSV for that",
        path, excerpt(request.text.front())));
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
        throw Error(fmt::format("{}: row {}, column {}: {}; {}", path, t + 1, name,
                                number_objection(kind, fmt::format("{}", value)),
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

}  // namespace

NumberTable parse_table(std::string_view bytes, const std::string& path,
                        const TableRequest& request) {
  if (!has_npy_name(without_gz(path))) {
    if (is_npy(bytes)) {
      throw Error(
          fmt::format("{}: holds NPY data, but its name says otherwise; give it a name that "
                      "ends in .npy",
                      path));
    }
    return parse_csv_table(bytes, path, request);
  }
  if (!is_npy(bytes) && looks_like_text(bytes)) {
    throw Error(
        fmt::format("{}: holds text, but its name ends in .npy; if it is CSV, give it a name "
                    "that ends in .csv",
                    path));
  }
  return from_npy(bytes, path, request);
}

NumberTable read_table(const std::string& path, const TableRequest& request) {
  const InputBytes input(path);
  if (input.is_file()) return parse_table(input.text(), path, request);
  return is_npy(input.text()) ? from_npy(input.text(), input.name(), request)
                              : parse_csv_table(input.text(), input.name(), request);
}

}  // namespace pcgs::io
