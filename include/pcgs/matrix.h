// A table of numbers, one row per round.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pcgs {

// Row-major view: row t is data[t * columns .. (t + 1) * columns).
struct MatrixView {
  const double* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::span<const double> row(std::size_t t) const { return {data + t * columns, columns}; }
};

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;  // [rows * columns], row-major

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}

  std::span<double> row(std::size_t t) { return {values.data() + t * columns, columns}; }
  std::span<const double> row(std::size_t t) const {
    return {values.data() + t * columns, columns};
  }
  operator MatrixView() const { return {values.data(), rows, columns}; }  // NOLINT: a view is one
};

}  // namespace pcgs
