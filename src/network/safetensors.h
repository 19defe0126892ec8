// The safetensors container: named arrays of float32 and a map of texts.
//
//     u64       size of the header, little-endian
//     header    JSON, padded with spaces:
//               {"__metadata__": {"key": "text", ...},
//                "name": {"dtype": "F32", "shape": [rows, columns], "data_offsets": [begin, end]},
//                ...}
//     data      the arrays, row-major and little-endian, at their offsets from here
//
// Accepted: F32 of rank 1 or 2, at least one number each, in any order, together covering the data
// without gap or overlap. Everything else is refused with an Error that starts with `origin`. No
// size in the file is believed before it was compared with the number of bytes there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "network/model.h"

namespace pcgs::infer {

struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
  std::uint32_t data_crc32 = 0;  // of the data as it lies in the file
};

inline constexpr std::size_t kLargestHeader = std::size_t{1} << 20;

Safetensors read_safetensors(std::span<const std::uint8_t> file, const std::string& origin);

// Arrays in the order of their names, data aligned to 8 bytes. `data_crc32` is ignored: it is what
// safetensors_crc32 says of the same arrays.
std::vector<std::uint8_t> safetensors_bytes(const Safetensors& content);
std::uint32_t safetensors_crc32(const std::map<std::string, Tensor>& tensors);

}  // namespace pcgs::infer
