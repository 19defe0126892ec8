// NumPy's .npy files: one matrix of floating-point numbers.
//
//     6 bytes   magic "\x93NUMPY"
//     u8, u8    version: 1.0, 2.0 or 3.0
//     u16       header size, little-endian (u32 from version 2.0)
//     header    a Python dictionary, padded with spaces and a newline:
//               {'descr': '<f8', 'fortran_order': False, 'shape': (rows, columns), }
//     data      rows * columns numbers
//
// Accepted: little-endian float32 and float64 ('<f4', '<f8'), rank 2, at least one row and one
// column, row-major or column-major, the keys in any order and any spacing. Everything else is
// refused with an Error that starts with `origin`: no conversion, no guessing, no byte too few or
// too many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::io {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Whether a file of this name is taken for NPY: it ends in .npy, in any case.
bool has_npy_name(const std::string& path);

struct NpyHeader {
  std::size_t rows = 0;          // >= 1
  std::size_t columns = 0;       // >= 1
  std::size_t element_size = 0;  // 4 or 8
  bool fortran_order = false;    // column-major
  std::size_t data_offset = 0;   // in bytes from the start of the file

  // Does not overflow, and neither does data_offset + data_size().
  std::size_t data_size() const { return rows * columns * element_size; }
};

// Looks at the header alone, so `file` may be the beginning of a file or a mapping of it.
NpyHeader parse_npy_header(std::span<const std::uint8_t> file, const std::string& origin);
// The data must end exactly where a file of `file_size` bytes does.
void check_npy_size(const NpyHeader& header, std::size_t file_size, const std::string& origin);

// Rows first to first + count - 1 of the data of a file, row t at out + (t - first) * stride: of
// each these columns, which stand in the order of the file. The numbers as they are, NaN and
// infinities included.
void copy_npy_rows(std::span<const std::uint8_t> file, const NpyHeader& header,
                   std::span<const std::size_t> columns, std::size_t first, std::size_t count,
                   double* out, std::size_t stride);

// All of them.
Matrix read_npy(std::span<const std::uint8_t> file, const std::string& origin);

// The file of a matrix: version 1.0, '<f8', row-major, data aligned to 64 bytes.
std::vector<std::uint8_t> npy_bytes(MatrixView matrix);

}  // namespace pcgs::io
