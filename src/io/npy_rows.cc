#include "io/npy_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/table_request.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie");

// Columns of a column-major file that are taken together, so that whole cache lines are written.
constexpr std::size_t kTile = 8;

template <typename Float>
double number_at(const std::uint8_t* data, std::size_t index) {
  Float value;  // the data of a file need not be aligned
  std::memcpy(&value, data + index * sizeof(Float), sizeof(Float));
  return static_cast<double>(value);
}

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
  for (const WantedColumn& column : select_columns(all_names, {.ignore = ignore}, path_)) {
    columns_.push_back(column.index);
    names_.push_back(all_names[column.index]);
  }
}

template <typename Float>
void NpyRows::copy(std::size_t first, std::size_t count, double* out, std::size_t stride) const {
  const std::uint8_t* const data = file_.bytes().data() + header_.data_offset;
  const std::size_t wanted = columns_.size();
  if (header_.fortran_order) {
    for (std::size_t tile = 0; tile < wanted; tile += kTile) {
      const std::size_t end = std::min(tile + kTile, wanted);
      for (std::size_t t = 0; t < count; ++t) {
        for (std::size_t k = tile; k < end; ++k) {
          out[t * stride + k] = number_at<Float>(data, columns_[k] * header_.rows + first + t);
        }
      }
    }
    return;
  }
  for (std::size_t t = 0; t < count; ++t) {
    const std::uint8_t* const from = data + (first + t) * header_.columns * sizeof(Float);
    double* const row = out + t * stride;
    if (wanted == header_.columns) {
      for (std::size_t k = 0; k < wanted; ++k) row[k] = number_at<Float>(from, k);
    } else {
      for (std::size_t k = 0; k < wanted; ++k) row[k] = number_at<Float>(from, columns_[k]);
    }
  }
}

void NpyRows::read(std::size_t first, std::size_t count, double* out, std::size_t stride) const {
  if (header_.element_size == sizeof(float)) {
    copy<float>(first, count, out, stride);
  } else {
    copy<double>(first, count, out, stride);
  }
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
