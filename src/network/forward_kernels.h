// The kernels of the forward pass: the matrix product, attention, and the steps between them, in float, compiled for each
// instruction set and chosen at run time.
//
// Tokens stand side by side. Sixteen of them make a panel, [rows x 16], one row per feature, and K
// tokens make ceil(K / 16) panels one after another:
//
//     x(feature, token) = data[(token / 16 * rows + feature) * 16 + token % 16]
//
// A register holds one feature of several tokens, so that layer norms, activations and the softmax
// over keys work down the rows and never across a register. The lanes behind the last token hold
// the numbers of an all-zero token; nothing that is averaged, maximised or attended to reads them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/kernels.h"

namespace pcgs::infer {

inline constexpr std::size_t kPanel = 16;  // tokens side by side: the largest register, in floats
inline constexpr std::size_t kTile = 8;    // output rows computed together

static_assert(kPanel * sizeof(float) == kCacheLine);

constexpr std::size_t panels_of(std::size_t tokens) { return (tokens + kPanel - 1) / kPanel; }

using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

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

// For every head and query i, over the keys j:
//
//     out_i = sum_j p_ij value_j       p_ij proportional to exp(<query_i, key_j>)
//
// The scale of the scores is the caller's: it belongs to the queries. Keys are taken kKeysAtOnce at
// a time with a running maximum and sum, so memory does not grow with their number.
struct Attention {
  std::size_t heads = 0, head_width = 0;  // heads are slices of the rows
  std::size_t queries = 0, keys = 0;      // tokens; at least one key
  const float* query = nullptr;           // panels of heads * head_width rows
  const float* key = nullptr;             // panels of heads * head_width rows
  const float* value = nullptr;           // [keys x value_step], a row per token
  std::size_t value_step = 0;
  float* out = nullptr;      // panels of heads * head_width rows; none of the above
  float* scratch = nullptr;  // [kAttentionScratch]
};

inline constexpr std::size_t kKeysAtOnce = 128;  // with two panels of queries: 16 KiB of scores
inline constexpr std::size_t kAttentionScratch = 2 * kPanel * kKeysAtOnce;

void attend(const Attention& attention);

// tokens [count x features], a row per token, become panels of `features` rows. Numbers beyond
// kLargestToken in size are taken as that; the lanes behind the last token become zero.
void lay_side_by_side(const float* tokens, std::size_t count, std::size_t features, float* out);

// No trained network tells a million from a billion; this keeps every sum after it finite.
inline constexpr float kLargestToken = 1e12f;

// Layer norm over the features of each token: (x - mean) / sqrt(variance + 1e-5) * weight + bias,
// with the variance divided by the number of features. Both are panels of weight.size() rows and
// may be the same panels.
void normalise(const float* x, std::size_t panels, std::span<const float> weight,
               std::span<const float> bias, float* out);

// x Phi(x), Phi the distribution function of the normal law, in place. Its absolute error is below
// 1e-6 + 1e-7 |x|. n is a multiple of kPanel.
void gelu(float* x, std::size_t n);

// The memory of a layer, one round on. `packed` holds panels of 3 * rows rows, what to keep, what is
// new and how much to show, each `rows` of them; memory and out are panels of `rows` rows:
//
//     memory = new + sigmoid(keep) (memory - new)       out = memory * show * sigmoid(show)
void remember(const float* packed, std::size_t panels, std::size_t rows, float* memory, float* out);

// Mean and largest of each feature over `count` tokens, mean [rows] and largest [rows].
void pool(const float* x, std::size_t count, std::size_t rows, float* mean, float* largest);

}  // namespace pcgs::infer
