// The matrix product of the forward pass.
#pragma once

#include <cstddef>

#include "network/panels.h"

namespace pcgs::infer {

// C[row][lane] = start + sum over k < depth of A[k][row] B[k][lane]
//
// A is read one number at a time, its rows in tiles of kTile that lie side by side; B and C in
// whole panels of kPanel lanes. Either side may be the weights: with weights in A a row is an
// output feature and lanes are tokens, with weights in B a row is a token and lanes are output
// features. C overlaps neither A nor B.
struct Product {
  std::size_t rows = 0, depth = 0, panels = 0;
  const float* a = nullptr;  // A[k][row] = a[row / 8 * a_tile + k * a_step + row % 8]
  std::size_t a_step = 0, a_tile = 0;
  const float* b = nullptr;  // B[k][lane] = b[lane / 16 * b_panel + k * b_step + lane % 16]
  std::size_t b_step = kPanel, b_panel = 0;
  float* c = nullptr;  // C[row][lane] likewise, with c_row and c_panel
  std::size_t c_row = kPanel, c_panel = 0;
  // What the sum starts from: these, where given, and C itself if `accumulate`.
  const float* row_bias = nullptr;   // [rows]
  const float* lane_bias = nullptr;  // [panels x 16]
  bool accumulate = false;
};

void multiply(const Product& product);

}  // namespace pcgs::infer
