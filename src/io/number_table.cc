#include "io/number_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/text.h"
#include "core/whole_file.h"
#include "io/csv.h"
#include "io/npy.h"
#include "io/number.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

// `name` as a shell takes it. In full where that is one plain word, so that it can be copied.
std::string as_argument(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.+:/@%").find(c) != std::string_view::npos;
  };
  return std::all_of(name.begin(), name.end(), plain) ? name : fmt::format("'{}'", excerpt(name));
}

std::string advice(const WantedColumn& column, const std::string& name) {
  return column.may_be_ignored
             ? fmt::format("give numbers, or leave the column out with --ignore {}",
                           as_argument(name))
             : "give numbers";
}

// Half a sentence on a field that cannot be used.
std::string objection(NumberKind kind, std::string_view field) {
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
  // The usual reason in files separated by semicolons.
  std::string pointed(field);
  std::replace(pointed.begin(), pointed.end(), ',', '.');
  const bool decimal_comma = pointed != field && parse_number(pointed).kind == NumberKind::kFinite;
  return shown + " is not a number" +
         (decimal_comma ? " (decimals take a point, not a comma)" : "");
}

std::vector<std::string> names_of(std::span<const WantedColumn> columns,
                                  std::span<const std::string> all_names) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const WantedColumn& column : columns) names.push_back(all_names[column.index]);
  return names;
}

NumberTable from_csv(std::string_view text, const std::string& path, const TableRequest& request) {
  CsvReader reader(text, path);
  const auto names = reader.header();
  if (std::all_of(names.begin(), names.end(), [](const std::string& name) {
        return parse_number(name).kind == NumberKind::kFinite;
      })) {
    throw Error(fmt::format(
        "{}: its first line holds numbers; give a first line that names the columns", path));
  }
  const std::vector<WantedColumn> columns = select_columns(reader.header(), request, path);
  NumberTable table{.names = names_of(columns, reader.header()), .values = {}};
  std::vector<double>& values = table.values.values;
  while (reader.next()) {
    for (const WantedColumn& column : columns) {
      const std::string_view field = reader.fields()[column.index];
      const Number number = parse_number(field);
      const bool usable = number.kind == NumberKind::kFinite ||
                          (number.kind == NumberKind::kMissing && column.may_be_missing);
      if (!usable) {
        throw Error(fmt::format("{}: {}; {}", reader.position(column.index),
                                objection(number.kind, field),
                                advice(column, reader.header()[column.index])));
      }
      values.push_back(number.value);
    }
  }
  if (reader.row() == 0) {
    throw Error(fmt::format("{}: there is a header but no row of data; give at least one", path));
  }
  table.values.rows = reader.row();
  table.values.columns = table.names.size();
  return table;
}

NumberTable from_npy(std::string_view bytes, const std::string& path, const TableRequest& request) {
  const Matrix whole =
      read_npy({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, path);
  std::vector<std::string> all_names;
  for (std::size_t i = 1; i <= whole.columns; ++i) all_names.push_back(fmt::format("e{}", i));
  const std::vector<WantedColumn> columns = select_columns(all_names, request, path);

  NumberTable table{.names = names_of(columns, all_names), .values = {}};
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
                                objection(kind, fmt::format("{}", value)), advice(column, name)));
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

}  // namespace

NumberTable parse_table(std::string_view bytes, const std::string& path,
                        const TableRequest& request) {
  const bool is_npy = bytes.substr(0, kNpyMagic.size()) == kNpyMagic;
  if (!has_npy_name(path)) {
    if (is_npy) {
      throw Error(
          fmt::format("{}: holds NPY data, but its name says otherwise; give it a name that "
                      "ends in .npy",
                      path));
    }
    return from_csv(bytes, path, request);
  }
  if (!is_npy && looks_like_text(bytes)) {
    throw Error(
        fmt::format("{}: holds text, but its name ends in .npy; if it is CSV, give it a name "
                    "that ends in .csv",
                    path));
  }
  return from_npy(bytes, path, request);
}

NumberTable read_table(const std::string& path, const TableRequest& request) {
  const std::vector<std::uint8_t> bytes = read_whole_file(path);
  return parse_table({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, request);
}

}  // namespace pcgs::io
