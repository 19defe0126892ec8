// The two loops of a regression that is kept as a triangle, compiled for each instruction set.
#pragma once

#include <cstddef>

namespace pcgs::blend::kernels {

// A triangle of n rows; each row is `stride` numbers, aligned, zero below the diagonal and beyond
// column n, which is the right side.
struct Triangle {
  double* rows;
  std::size_t size;    // n
  std::size_t stride;  // a multiple of 8, above n
};

// Multiplies the triangle by `keep` and rotates a row [stride] into it; columns before `first` of
// the row are 0, and rows before it are left alone. The row is used up.
void rotate_in(const Triangle& triangle, std::size_t first, double* row, double keep);

// Back substitution. `solution` [stride] is zero from n on afterwards.
void back_substitute(const Triangle& triangle, double* solution);

}  // namespace pcgs::blend::kernels
