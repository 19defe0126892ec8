// Models as files: a safetensors container with these texts in its metadata.
//
//     format          "pcgs-controller"
//     format_version  "3"
//     config          JSON: {"features":63,"shared":67,"side":0,"width":64,"layers":2,"heads":4,
//                            "hidden":128,"attention":"induced","inducing":16,"pool_hidden":64,
//                            "controls":{"rho_max":0.5,...}}
//     token_schema    names the feature code the model was trained on
//     checksum        CRC-32 of everything else, eight hexadecimal digits: of the number of texts here
//                     without this one; of each, by name, the name and the text, a size before both;
//                     of each tensor, by name, the name after its size, the number of dimensions, the
//                     dimensions, the data. Sizes are 64-bit numbers, little-endian.
//     others          free, such as "provenance"
//
// The container holds named arrays of float32 and a map of texts:
//
//     u64       size of the header, little-endian
//     header    JSON, padded with spaces:
//               {"__metadata__": {"key": "text", ...},
//                "name": {"dtype": "F32", "shape": [rows, columns], "data_offsets": [begin, end]},
//                ...}
//     data      the arrays, row-major and little-endian, at their offsets from here
//
// Accepted: F32 of rank 1 or 2, at least one number each, in any order, together covering the data
// without gap or overlap. No size in the file is believed before it was compared with the number of
// bytes there are.
//
// A file that does not fit is refused with an Error: one sentence that names the file, what is
// wrong with it, and what to do. What is read can be run: all tensors are there, and nothing else,
// with the shapes that the configuration asks for and weights within kLargestWeight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/model.h"

namespace pcgs::infer {

// Of the JSON in front of the data, in bytes.
inline constexpr std::size_t kLargestHeader = std::size_t{1} << 20;

// `origin` stands for the file in messages.
Model read_model(std::span<const std::uint8_t> bytes, const std::string& origin);
Model read_model_file(const std::string& path);

// Refuses a model that was trained on other tokens than this program makes.
void require_token_schema(const Model& model, const std::string& expected,
                          const std::string& origin);

// The file of a model, the same bytes for equal models. Throws Error if its parts do not fit
// together.
std::vector<std::uint8_t> model_bytes(const Model& model);
// For states, which name the model that they belong to: of the file's bytes.
std::uint64_t model_fingerprint(const Model& model);
void write_model_file(const Model& model, const std::string& path);

// The file models/NAME.safetensors, which is part of the library: "regret", "oracle" or "combine".
std::span<const std::uint8_t> shipped_model(std::string_view name);

}  // namespace pcgs::infer
