#include "data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <system_error>

#include "data/number_table.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {

namespace {

// The end of every message about a type that is not accepted.
constexpr std::string_view kNpyAcceptedTypes =
    "accepted are little-endian float32 and float64 ('<f4', '<f8'); in NumPy: a.astype('<f8')";

// The dictionary in the header of an .npy file, as Python would read it.
//
//     {'descr': '<f8', 'fortran_order': False, 'shape': (rows, columns), }
//
// Exactly these three keys, each once, in any order and spacing; nothing after the brace but space.
struct NpyDictionary {
  std::string type;  // any text: what it means is for others to say
  bool fortran_order = false;
  std::vector<std::size_t> shape;  // of any rank
};

class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& origin)
      : text_(text), origin_(origin) {}

  NpyDictionary parse() {
    NpyDictionary found;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted("a key in quotes");
      expect(':');
      if (key == "descr") {
        once(has_type, key);
        found.type = type();
      } else if (key == "fortran_order") {
        once(has_order, key);
        found.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        found.shape = shape();
      } else {
        malformed(fmt::format("has a key '{}' that NPY does not know", excerpt(key)));
      }
      if (take(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (!left().empty()) malformed("goes on after its closing brace");
    if (!has_type) malformed("lacks the key 'descr'");
    if (!has_order) malformed("lacks the key 'fortran_order'");
    if (!has_shape) malformed("lacks the key 'shape'");
    return found;
  }

 private:
  std::string_view left() const { return text_.substr(at_); }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }

  bool take(char c) {
    skip_space();
    if (left().empty() || left().front() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) expected(fmt::format("'{}'", c));
  }

  std::string_view quoted(std::string_view what) {
    skip_space();
    const char quote = left().empty() ? '\0' : left().front();
    if (quote != '\'' && quote != '"') expected(what);
    const std::size_t start = at_ + 1;
    const std::size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) expected(what);
    at_ = end + 1;
    return text_.substr(start, end - start);
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {std::string_view("False"), std::string_view("True")}) {
      if (left().substr(0, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    expected("True or False");
  }

  std::string type() {
    if (take('[')) {
      fail(fmt::format("holds records with named fields; {}", kNpyAcceptedTypes));
    }
    return std::string(quoted("a type in quotes"));
  }

  // Python wants the comma in (3,): (3) is a number, not a tuple.
  std::vector<std::size_t> shape() {
    std::vector<std::size_t> sizes;
    expect('(');
    while (!take(')')) {
      sizes.push_back(dimension());
      if (take(',')) continue;
      if (sizes.size() < 2) expected("','");
      expect(')');
      break;
    }
    return sizes;
  }

  std::size_t dimension() {
    skip_space();
    std::size_t value = 0;
    const char* const start = left().data();
    const auto [stopped, error] = std::from_chars(start, start + left().size(), value);
    if (error == std::errc::result_out_of_range) malformed("has a shape too large to address");
    if (error != std::errc()) expected("a whole number");
    at_ += static_cast<std::size_t>(stopped - start);
    return value;
  }

  void once(bool& seen, std::string_view key) {
    if (seen) malformed(fmt::format("has the key '{}' twice", key));
    seen = true;
  }

  [[noreturn]] void expected(std::string_view what) {
    malformed(fmt::format("should have {} at byte {} but has \"{}\"", what, at_, excerpt(left())));
  }

  [[noreturn]] void malformed(std::string_view why) {
    fail(fmt::format("the NPY header {}; write the file with numpy.save", why));
  }

  [[noreturn]] void fail(std::string_view why) {
    throw Error(ErrorKind::kFormat, {.file = origin_}, why);
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
};

constexpr std::size_t kAlignment = 64;  // of the data, as NumPy writes it

[[noreturn]] void fail(const std::string& origin, std::string_view why) {
  throw Error(ErrorKind::kFormat, {.file = origin}, why);
}

template <typename Unsigned>
Unsigned little_endian(const std::uint8_t* bytes) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value = static_cast<Unsigned>(value | static_cast<Unsigned>(bytes[i]) << (8 * i));
  }
  return value;
}

std::size_t size_of_type(std::string_view type, const std::string& origin) {
  if (type == "<f4") return 4;
  if (type == "<f8") return 8;
  const bool big_endian = !type.empty() && type.front() == '>';
  fail(origin, fmt::format("holds {}{}; {}", excerpt(type), big_endian ? " (big-endian)" : "",
                           kNpyAcceptedTypes));
}

std::optional<std::size_t> product(std::size_t a, std::size_t b) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b) return std::nullopt;
  return a * b;
}

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie");

// Columns of a column-major file that are taken together, so that whole cache lines are written.
constexpr std::size_t kTile = 8;

template <typename Float>
double number_at(const std::uint8_t* data, std::size_t index) {
  Float value;  // the data of a file need not be aligned
  std::memcpy(&value, data + index * sizeof(Float), sizeof(Float));
  return static_cast<double>(value);
}

template <typename Float>
void copy_rows(const std::uint8_t* data, const NpyHeader& header,
               std::span<const std::size_t> columns, std::size_t first, std::size_t count,
               double* out, std::size_t stride) {
  const std::size_t wanted = columns.size();
  if (header.fortran_order) {
    for (std::size_t tile = 0; tile < wanted; tile += kTile) {
      const std::size_t end = std::min(tile + kTile, wanted);
      for (std::size_t t = 0; t < count; ++t) {
        for (std::size_t k = tile; k < end; ++k) {
          out[t * stride + k] = number_at<Float>(data, columns[k] * header.rows + first + t);
        }
      }
    }
    return;
  }
  for (std::size_t t = 0; t < count; ++t) {
    const std::uint8_t* const from = data + (first + t) * header.columns * sizeof(Float);
    double* const row = out + t * stride;
    if (wanted == header.columns) {
      for (std::size_t k = 0; k < wanted; ++k) row[k] = number_at<Float>(from, k);
    } else {
      for (std::size_t k = 0; k < wanted; ++k) row[k] = number_at<Float>(from, columns[k]);
    }
  }
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

NpyHeader parse_npy_header(std::span<const std::uint8_t> file, const std::string& origin) {
  constexpr std::size_t kVersionEnd = kNpyMagic.size() + 2;
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.substr(0, kNpyMagic.size()) != kNpyMagic) {
    fail(origin, "does not begin with the NPY magic; accepted is what numpy.save writes");
  }
  if (file.size() < kVersionEnd) fail(origin, "ends inside its NPY header; the file is truncated");
  const unsigned major = file[kNpyMagic.size()];
  const unsigned minor = file[kNpyMagic.size() + 1];
  if (major < 1 || major > 3 || minor != 0) {
    fail(origin, fmt::format("has NPY version {}.{}; accepted are 1.0, 2.0 and 3.0", major, minor));
  }
  const std::size_t start = kVersionEnd + (major == 1 ? 2 : 4);
  if (file.size() < start) fail(origin, "ends inside its NPY header; the file is truncated");
  const std::size_t size = major == 1 ? little_endian<std::uint16_t>(&file[kVersionEnd])
                                      : little_endian<std::uint32_t>(&file[kVersionEnd]);
  if (file.size() - start < size) {
    fail(origin, fmt::format("ends inside its NPY header: {} bytes are there, and the header alone "
                             "takes {}; the file is truncated",
                             file.size(), start + size));
  }

  const NpyDictionary dictionary = DictionaryParser(text.substr(start, size), origin).parse();

  NpyHeader header;
  header.element_size = size_of_type(dictionary.type, origin);
  header.fortran_order = dictionary.fortran_order;
  header.data_offset = start + size;
  if (dictionary.shape.size() != 2) {
    fail(origin, fmt::format("holds an array of rank {}; accepted is rank 2, one row per round and "
                             "one column per expert; in NumPy: a.reshape(rows, columns)",
                             dictionary.shape.size()));
  }
  header.rows = dictionary.shape[0];
  header.columns = dictionary.shape[1];
  const std::string shape = fmt::format("({}, {})", header.rows, header.columns);
  if (header.rows == 0 || header.columns == 0) {
    fail(origin, fmt::format("has the shape {}; give at least one row and one column", shape));
  }
  const auto elements = product(header.rows, header.columns);
  const auto bytes = elements ? product(*elements, header.element_size) : std::nullopt;
  if (!bytes || *bytes > std::numeric_limits<std::size_t>::max() - header.data_offset) {
    fail(origin, fmt::format("has the shape {}, which is too large to address", shape));
  }
  return header;
}

// The data must end exactly where the file does.
void check_npy_size(const NpyHeader& header, std::size_t file_size, const std::string& origin) {
  const std::size_t there = file_size < header.data_offset ? 0 : file_size - header.data_offset;
  if (there == header.data_size()) return;
  const std::string promised = fmt::format(
      "{} bytes of data are there, but the header promises {} ({} rows x {} columns x "
      "{} bytes)",
      there, header.data_size(), header.rows, header.columns, header.element_size);
  fail(origin, promised + (there < header.data_size() ? "; the file is truncated"
                                                      : "; give a file that ends with its data"));
}

// Rows first to first + count - 1 of the data of a file, row t at out + (t - first) * stride: of
// each these columns, which stand in the order of the file. The numbers as they are, NaN and
// infinities included.
void copy_npy_rows(std::span<const std::uint8_t> file, const NpyHeader& header,
                   std::span<const std::size_t> columns, std::size_t first, std::size_t count,
                   double* out, std::size_t stride) {
  const auto copy = header.element_size == sizeof(float) ? copy_rows<float> : copy_rows<double>;
  copy(file.data() + header.data_offset, header, columns, first, count, out, stride);
}

}  // namespace

bool has_npy_name(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return extension == ".npy";
}

Matrix read_npy(std::span<const std::uint8_t> file, const std::string& origin) {
  const NpyHeader header = parse_npy_header(file, origin);
  check_npy_size(header, file.size(), origin);

  Matrix matrix(header.rows, header.columns);
  std::vector<std::size_t> columns(header.columns);
  std::iota(columns.begin(), columns.end(), 0);
  copy_npy_rows(file, header, columns, 0, header.rows, matrix.values.data(), header.columns);
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
  file.push_back(1);
  file.push_back(0);
  file.push_back(static_cast<std::uint8_t>(dictionary.size() % 256));
  file.push_back(static_cast<std::uint8_t>(dictionary.size() / 256));
  file.insert(file.end(), dictionary.begin(), dictionary.end());
  for (std::size_t i = 0; i < matrix.rows * matrix.columns; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(matrix.data[i]);
    for (unsigned shift = 0; shift < 64; shift += 8) {
      file.push_back(static_cast<std::uint8_t>(bits >> shift));
    }
  }
  return file;
}

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
      throw Error(
          ErrorKind::kValue, {.file = path_, .row = t + 1, .column = names_[k]},
          fmt::format("{} is infinite; give finite losses, and NaN where an expert is missing",
                      row[k]));
    }
    if (std::isnan(row[k])) row[k] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace pcgs::io
