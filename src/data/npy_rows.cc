#include "data/npy_rows.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "data/table_request.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

// In a form that compilers turn into vector instructions: adding one to an exponent of all ones,
// and to no other, carries into the sign bit.
bool all_finite(const double* row, std::size_t count) {
  constexpr std::uint64_t kExponent = 0x7FF0000000000000, kOne = 0x0010000000000000;
  std::uint64_t carried = 0;
  for (std::size_t k = 0; k < count; ++k) {
    carried |= (std::bit_cast<std::uint64_t>(row[k]) & kExponent) + kOne;
  }
  return carried >> 63 == 0;
}

}  // namespace

NpyRows::NpyRows(const std::string& path, const std::vector<std::string>& ignore)
    : path_(path), file_(path) {
  header_ = parse_npy_header(file_.bytes(), path_);
  check_npy_size(header_, file_.bytes().size(), path_);
  std::vector<std::string> all_names;
  for (std::size_t i = 1; i <= header_.columns; ++i) all_names.push_back(fmt::format("e{}", i));
  for (const WantedColumn& column : select_columns(all_names, {.ignore = ignore}, path_).numbers) {
    columns_.push_back(column.index);
    names_.push_back(all_names[column.index]);
  }
}

void NpyRows::read(std::size_t first, std::size_t count, double* out, std::size_t stride) const {
  copy_npy_rows(file_.bytes(), header_, columns_, first, count, out, stride);
  for (std::size_t t = 0; t < count; ++t) {
    double* const row = out + t * stride;
    if (!all_finite(row, columns_.size())) let_sleep(first + t, row);
  }
}

void NpyRows::let_sleep(std::size_t t, double* row) const {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (std::isinf(row[k])) {
      throw Error(fmt::format(
          "{}: row {}, column {}: {} is infinite; give finite losses, and NaN where an expert "
          "sleeps",
          path_, t + 1, names_[k], row[k]));
    }
    if (std::isnan(row[k])) row[k] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace pcgs::io
