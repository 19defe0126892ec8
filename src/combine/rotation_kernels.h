// The two loops of a regression that is kept as a triangle, compiled for each instruction set.
#pragma once

#include <cstddef>

namespace pcgs::blend::kernels {

// D and U of U'DU. U has n rows of `stride` numbers, aligned, with ones on the diagonal, zeros before
// it and beyond column n, which is the right side.
struct Triangle {
  double* diagonal;    // [n] D
  double* rows;        // [n x stride] U
  std::size_t size;    // n
  std::size_t stride;  // a multiple of 8, above n
};

// Multiplies D by `keep` and rotates a row [stride] of this weight into it; columns before `first` of
// the row are 0, and rows before it are left alone. The row is used up. Returns the
// largest size of a number that is written to U, unless one is NaN.
double rotate_in(const Triangle& triangle, std::size_t first, double* row, double weight,
                 double keep);

// Back substitution: U times the solution is the right side. `solution` [stride] is zero from n on
// afterwards.
void back_substitute(const Triangle& triangle, double* solution);

}  // namespace pcgs::blend::kernels
