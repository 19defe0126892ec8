#include "io/npy_rows.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/table_request.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie");

// A file up to this size is brought into memory at once; a larger one page by page, on use.
constexpr std::size_t kBroughtIn = std::size_t{256} << 20;

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

NpyRows::NpyRows(const std::string& path, const std::vector<std::string>& ignore) : path_(path) {
  map();
  try {
    header_ = parse_npy_header({file_, size_}, path_);
    check_npy_size(header_, size_, path_);
    std::vector<std::string> all_names;
    for (std::size_t i = 1; i <= header_.columns; ++i) all_names.push_back(fmt::format("e{}", i));
    for (const WantedColumn& column : select_columns(all_names, {.ignore = ignore}, path_)) {
      columns_.push_back(column.index);
      names_.push_back(all_names[column.index]);
    }
  } catch (...) {
    unmap();
    throw;
  }
}

NpyRows::~NpyRows() { unmap(); }

void NpyRows::map() {
  const auto cannot = [&](std::string_view why) {
    return Error(
        fmt::format("{}: cannot be read ({}); give the path of a file that can be", path_, why));
  };
  // Nonblocking, so that a pipe is refused and not waited for.
  const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw cannot(std::strerror(errno));
  struct stat status {};
  int problem = fstat(descriptor, &status) != 0 ? errno : 0;
  if (problem == 0 && S_ISDIR(status.st_mode)) problem = EISDIR;
  const bool is_file = S_ISREG(status.st_mode);
  if (problem == 0 && is_file && status.st_size > 0) {  // an empty mapping cannot be had
    size_ = static_cast<std::size_t>(status.st_size);
    const int flags = MAP_PRIVATE | (size_ <= kBroughtIn ? MAP_POPULATE : 0);
    void* const address = mmap(nullptr, size_, PROT_READ, flags, descriptor, 0);
    if (address == MAP_FAILED) {
      problem = errno;
    } else {
      file_ = static_cast<const std::uint8_t*>(address);
    }
  }
  close(descriptor);
  if (problem != 0) throw cannot(std::strerror(problem));
  if (!is_file) throw cannot("it is not a file");
}

void NpyRows::unmap() {
  if (file_ != nullptr) munmap(const_cast<std::uint8_t*>(file_), size_);
  file_ = nullptr;
}

template <typename Float>
void NpyRows::copy(std::size_t first, std::size_t count, double* out, std::size_t stride) const {
  const std::uint8_t* const data = file_ + header_.data_offset;
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
