// Models as files: a safetensors container (safetensors.h) with these texts in its metadata.
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
// A file that does not fit is refused with an Error: one sentence that names the file, what is
// wrong with it, and what to do. What is read can be run: all tensors are there, and nothing else,
// with the shapes that the configuration asks for and weights within kLargestWeight. Files of version 2,
// whose checksum is of the data alone, are read as well.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "network/model.h"

namespace pcgs::infer {

// `origin` stands for the file in messages.
Model read_model(std::span<const std::uint8_t> bytes, const std::string& origin);
Model read_model_file(const std::string& path);

// Refuses a model that was trained on other tokens than this program makes.
void require_token_schema(const Model& model, const std::string& expected,
                          const std::string& origin);

// The file of a model, the same bytes for equal models. Throws Error if its parts do not fit
// together.
std::vector<std::uint8_t> model_bytes(const Model& model);
// For states, which name the model that they belong to. It is of the file as version 2 would have it,
// so that states outlive a new version.
std::uint64_t model_fingerprint(const Model& model);
void write_model_file(const Model& model, const std::string& path);

}  // namespace pcgs::infer
