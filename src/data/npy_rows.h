// The losses of an .npy file (npy.h) where they lie: the file is mapped, not read, so it may be
// larger than memory.
//
// A NaN is an expert that sleeps and becomes +infinity; everything else must be finite. That is
// looked at when a row is read, so read() throws the Error that names file, row and column.
// Requires that nobody shortens the file meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/mapped_file.h"
#include "data/npy.h"
#include "pcgs/oracle.h"

namespace pcgs::io {

class NpyRows final : public LossRows {
 public:
  // The columns are called e1, e2, ..., eK; those in `ignore` are left out and never looked at.
  explicit NpyRows(const std::string& path, const std::vector<std::string>& ignore = {});

  std::size_t rows() const override { return header_.rows; }
  std::size_t columns() const override { return columns_.size(); }
  void read(std::size_t first, std::size_t count, double* out, std::size_t stride) const override;

  const std::vector<std::string>& names() const { return names_; }  // [columns]

 private:
  void let_sleep(std::size_t t, double* row) const;

  std::string path_;
  MappedFile file_;
  NpyHeader header_;
  std::vector<std::size_t> columns_;  // [columns] where each is in the file
  std::vector<std::string> names_;    // [columns]
};

}  // namespace pcgs::io
