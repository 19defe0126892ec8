// Softmax attention of some tokens to others.
#pragma once

#include <cstddef>

#include "network/panels.h"

namespace pcgs::infer {

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

}  // namespace pcgs::infer
