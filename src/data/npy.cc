#include "data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "data/json.h"
#include "data/number_table.h"
#include "data/text.h"
#include "pcgs/error.h"
namespace pcgs::io {

namespace {

// The end of every message about a type that is not accepted.
constexpr std::string_view kNpyAcceptedTypes =
    "accepted are little-endian float32 and float64 ('<f4', '<f8'); in NumPy: a.astype('<f8')";
constexpr std::size_t kAlignment = 64;  // of the data, as NumPy writes it

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie");

[[noreturn]] void fail(const std::string& origin, std::string_view why) {
  throw Error(ErrorKind::kFormat, {.file = origin}, why);
}

// Python's dictionary as JSON, which it is but for quotes, tuples, capitals and commas at an end.
std::string as_json(std::string_view python) {
  std::string json;
  for (std::size_t at = 0; at < python.size(); ++at) {
    const char c = python[at];
    if (c == ',') {
      const std::size_t next = python.find_first_not_of(" \t\n", at + 1);
      if (next != python.npos && (python[next] == '}' || python[next] == ')')) continue;
    }
    const auto rest = python.substr(at);
    if (rest.starts_with("True") || rest.starts_with("False")) {
      json += c == 'T' ? 't' : 'f';
    } else {
      json += c == '\'' ? '"' : c == '(' ? '[' : c == ')' ? ']' : c;
    }
  }
  return json;
}

// What the dictionary of a header says: exactly three keys, each once, in any order and spacing.
struct NpyDictionary {
  std::string type;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

NpyDictionary parse_dictionary(std::string_view text, const std::string& origin) {
  if (text.find('[') != text.npos) {
    fail(origin, fmt::format("holds records with named fields; {}", kNpyAcceptedTypes));
  }
  try {
    const auto found = parse_json(as_json(text), origin, "");
    if (found.size() == 3 && found.at("descr").is_string()) {
      NpyDictionary out{found.at("descr"), found.at("fortran_order").get<bool>(), {}};
      const auto whole = [](const auto& size) { return size.is_number_unsigned(); };
      const auto& shape = found.at("shape");
      if (shape.is_array() && std::all_of(shape.begin(), shape.end(), whole)) {
        out.shape = shape.get<std::vector<std::size_t>>();
        return out;
      }
    }
  } catch (const Error&) {
  } catch (const nlohmann::json::exception&) {
  }
  fail(origin, fmt::format("has an NPY header that says something else than the type, order and "
                           "shape of an array (\"{}\"); write the file with numpy.save",
                           excerpt(text)));
}

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

NpyMatrix::NpyMatrix(std::span<const std::uint8_t> file, const std::string& origin) {
  constexpr std::size_t kVersionEnd = kNpyMagic.size() + 2;
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kNpyMagic)) {
    fail(origin,
         "does not begin with the NPY magic; give what numpy.save writes, or CSV a name that ends "
         "in "
         ".csv");
  }
  if (file.size() < kVersionEnd) fail(origin, "ends inside its NPY header; the file is truncated");
  const unsigned major = file[kNpyMagic.size()], minor = file[kNpyMagic.size() + 1];
  if (major < 1 || major > 3 || minor != 0) {
    fail(origin, fmt::format("has NPY version {}.{}; accepted are 1.0, 2.0 and 3.0", major, minor));
  }
  const std::size_t start = kVersionEnd + (major == 1 ? 2 : 4);
  if (file.size() < start) fail(origin, "ends inside its NPY header; the file is truncated");
  std::size_t size = 0;  // little-endian
  for (std::size_t at = start; at-- > kVersionEnd;) size = size << 8 | file[at];
  if (file.size() - start < size) {
    fail(origin, fmt::format("ends inside its NPY header: {} bytes are there, and the header alone "
                             "takes {}; the file is truncated",
                             file.size(), start + size));
  }

  const auto [type, fortran_order, shape] = parse_dictionary(text.substr(start, size), origin);
  if (type != "<f4" && type != "<f8") {
    fail(origin, fmt::format("holds {}{}; {}", excerpt(type),
                             type.starts_with('>') ? " (big-endian)" : "", kNpyAcceptedTypes));
  }
  if (shape.size() != 2) {
    fail(origin, fmt::format("holds an array of rank {}; accepted is rank 2, one row per round and "
                             "one column per expert; in NumPy: a.reshape(rows, columns)",
                             shape.size()));
  }
  rows_ = shape[0];
  columns_ = shape[1];
  single_ = type == "<f4";
  fortran_order_ = fortran_order;
  if (rows_ == 0 || columns_ == 0) {
    fail(origin, fmt::format("has the shape ({}, {}); give at least one row and one column", rows_,
                             columns_));
  }
  const std::size_t element = single_ ? sizeof(float) : sizeof(double);
  if (rows_ > (std::numeric_limits<std::size_t>::max() - file.size()) / element / columns_) {
    fail(origin,
         fmt::format("has the shape ({}, {}), which is too large to address", rows_, columns_));
  }
  data_ = file.subspan(start + size);
  const std::size_t promised = rows_ * columns_ * element;
  if (data_.size() == promised) return;
  fail(origin, fmt::format("{} bytes of data are there, but the header promises {} ({} rows x {} "
                           "columns x {} bytes); {}",
                           data_.size(), promised, rows_, columns_, element,
                           data_.size() < promised ? "the file is truncated"
                                                   : "give a file that ends with its data"));
}

std::vector<std::string> NpyMatrix::names() const {
  std::vector<std::string> names(columns_);
  for (std::size_t k = 0; k < columns_; ++k) names[k] = fmt::format("e{}", k + 1);
  return names;
}

void NpyMatrix::copy(std::span<const std::size_t> columns, std::size_t first, std::size_t count,
                     double* out, std::size_t stride) const {
  const auto copy_as = [&]<typename Float>(Float) {
    const std::size_t wanted = columns.size();
    const bool all_in_order = wanted == columns_ && std::is_sorted(columns.begin(), columns.end());
    if (fortran_order_) {
      for (std::size_t tile = 0; tile < wanted; tile += kTile) {
        const std::size_t end = std::min(tile + kTile, wanted);
        for (std::size_t t = 0; t < count; ++t) {
          for (std::size_t k = tile; k < end; ++k) {
            out[t * stride + k] = number_at<Float>(data_.data(), columns[k] * rows_ + first + t);
          }
        }
      }
      return;
    }
    for (std::size_t t = 0; t < count; ++t) {
      const std::uint8_t* const from = data_.data() + (first + t) * columns_ * sizeof(Float);
      double* const row = out + t * stride;
      if (all_in_order) {
        for (std::size_t k = 0; k < wanted; ++k) row[k] = number_at<Float>(from, k);
      } else {
        for (std::size_t k = 0; k < wanted; ++k) row[k] = number_at<Float>(from, columns[k]);
      }
    }
  };
  single_ ? copy_as(float{}) : copy_as(double{});
}

bool has_npy_name(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return extension == ".npy";
}

Matrix read_npy(std::span<const std::uint8_t> file, const std::string& origin) {
  const NpyMatrix npy(file, origin);
  Matrix matrix(npy.rows(), npy.columns());
  std::vector<std::size_t> all(npy.columns());
  std::iota(all.begin(), all.end(), 0);
  npy.copy(all, 0, npy.rows(), matrix.values.data(), npy.columns());
  return matrix;
}

std::vector<std::uint8_t> npy_bytes(MatrixView matrix) {
  std::string dictionary =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", matrix.rows,
                  matrix.columns);
  const std::size_t before = kNpyMagic.size() + 4;
  const std::size_t unpadded = before + dictionary.size() + 1;  // 1: the newline
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ').push_back('\n');

  std::vector<std::uint8_t> file(kNpyMagic.begin(), kNpyMagic.end());
  file.reserve(before + dictionary.size() + matrix.rows * matrix.columns * sizeof(double));
  for (const std::size_t byte :
       {std::size_t{1}, std::size_t{0}, dictionary.size() % 256, dictionary.size() / 256}) {
    file.push_back(static_cast<std::uint8_t>(byte));
  }
  file.insert(file.end(), dictionary.begin(), dictionary.end());
  const auto* const data = reinterpret_cast<const std::uint8_t*>(matrix.data);
  file.insert(file.end(), data, data + matrix.rows * matrix.columns * sizeof(double));
  return file;
}

NpyRows::NpyRows(const std::string& path, const std::vector<std::string>& ignore)
    : path_(path), file_(path), matrix_(file_.bytes(), path_) {
  const auto names = matrix_.names();
  for (const WantedColumn& column : select_columns(names, {.ignore = ignore}, path_).numbers) {
    columns_.push_back(column.index);
    names_.push_back(names[column.index]);
  }
}

void NpyRows::read(std::size_t first, std::size_t count, double* out, std::size_t stride) const {
  matrix_.copy(columns_, first, count, out, stride);
  for (std::size_t t = 0; t < count; ++t) {
    double* const row = out + t * stride;
    if (!all_finite(row, columns_.size())) let_sleep(first + t, row);
  }
}

void NpyRows::let_sleep(std::size_t t, double* row) const {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (std::isinf(row[k])) {
      throw Error(
          ErrorKind::kValue, {.file = path_, .row = t + 1, .column = names_[k]},
          fmt::format("{} is infinite; give finite losses, and NaN where an expert is missing",
                      row[k]));
    }
    if (std::isnan(row[k])) row[k] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace pcgs::io
