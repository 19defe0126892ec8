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

#include "data/input_bytes.h"
#include "pcgs/matrix.h"
#include "pcgs/oracle.h"

namespace pcgs::io {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Whether a file of this name is taken for NPY: it ends in .npy, in any case.
bool has_npy_name(const std::string& path);

// A file that is in memory or mapped, which must outlive this.
class NpyMatrix {
 public:
  // Throws Error, naming `origin`, for whatever is not accepted.
  NpyMatrix(std::span<const std::uint8_t> file, const std::string& origin);

  std::size_t rows() const { return rows_; }        // >= 1
  std::size_t columns() const { return columns_; }  // >= 1
  std::vector<std::string> names() const;           // e1, e2, ..., eK
  // Rows first to first + count - 1, row t at out + (t - first) * stride: of each these columns. The numbers as they are, NaN and infinities included.
  void copy(std::span<const std::size_t> columns, std::size_t first, std::size_t count, double* out,
            std::size_t stride) const;

 private:
  std::span<const std::uint8_t> data_;
  std::size_t rows_ = 0, columns_ = 0;
  bool single_ = false, fortran_order_ = false;  // float32; column-major
};

Matrix read_npy(std::span<const std::uint8_t> file, const std::string& origin);

// The file of a matrix: version 1.0, '<f8', row-major, data aligned to 64 bytes.
std::vector<std::uint8_t> npy_bytes(MatrixView matrix);

// The losses of an .npy file where they lie: the file is mapped, not read, so it may be
// larger than memory.
//
// A NaN is an expert that sleeps and becomes +infinity; everything else must be finite. That is
// looked at when a row is read, so read() throws the Error that names file, row and column.
// Requires that nobody shortens the file meanwhile.
class NpyRows final : public LossRows {
 public:
  // The columns are called e1, e2, ..., eK; those in `ignore` are left out and never looked at.
  explicit NpyRows(const std::string& path, const std::vector<std::string>& ignore = {});

  std::size_t rows() const override { return matrix_.rows(); }
  std::size_t columns() const override { return columns_.size(); }
  void read(std::size_t first, std::size_t count, double* out, std::size_t stride) const override;

  const std::vector<std::string>& names() const { return names_; }  // [columns]

 private:
  void let_sleep(std::size_t t, double* row) const;

  std::string path_;
  MappedFile file_;
  NpyMatrix matrix_;
  std::vector<std::size_t> columns_;  // [columns] where each is in the file
  std::vector<std::string> names_;    // [columns]
};

}  // namespace pcgs::io
