// A controller network as data: its sizes, its weights by name, and what it was made for.
//
// As a file it is a safetensors container with these texts in its metadata.
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
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs::infer {

enum class AttentionKind {
  kNone,     // no attention: the tokens do not see each other
  kFull,     // every token attends to every token: O(K^2)
  kInduced,  // a few learned queries summarise the tokens, the tokens attend to those: O(K)
};

constexpr std::string_view kAttentionNames[] = {"none", "full", "induced"};
constexpr std::string_view name_of(AttentionKind kind) {
  return kAttentionNames[static_cast<std::size_t>(kind)];
}

struct Config {
  std::size_t features = 0;  // numbers of an expert's own
  std::size_t shared = 0;    // numbers that all experts share
  std::size_t side = 0;      // numbers of side information, which all experts share too
  std::size_t width = 0;     // d
  std::size_t layers = 0;    // may be 0
  std::size_t heads = 0;     // divides width
  std::size_t hidden = 0;    // of the token-wise network of a layer
  AttentionKind attention = AttentionKind::kInduced;
  std::size_t inducing = 0;     // learned queries; at least 1 where attention is induced
  std::size_t memory = 0;       // channels that each layer of a token remembers; may be 0
  std::size_t pool_hidden = 0;  // of the network behind the pooled tokens
  std::map<std::string, double> controls;  // constants of the maps from outputs to controls

  std::size_t common() const { return shared + side; }        // what is the same for all experts
  std::size_t inputs() const { return features + common(); }  // of the embedding, in this order

  bool operator==(const Config&) const = default;
};

struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;  // row-major

  bool operator==(const Tensor&) const = default;
};

struct Model {
  Config config;
  std::map<std::string, Tensor> tensors;        // exactly those of tensor_shapes(config)
  std::string token_schema;                     // names the feature code it was trained on
  std::map<std::string, std::string> metadata;  // free text, such as "provenance"

  bool operator==(const Model&) const = default;
};

// Sizes beyond these, and weights beyond this, are refused: with them, whatever the tokens, no sum
// in a forward pass leaves the range of a float.
inline constexpr std::size_t kMostWidth = 1024;   // of inputs(), width, heads, inducing
inline constexpr std::size_t kMostHidden = 4096;  // of hidden, pool_hidden
inline constexpr std::size_t kMostLayers = 64;
inline constexpr float kLargestWeight = 1e4f;

// The sizes by name, each with its range; where attention is induced, inducing is at least 1.
inline constexpr struct {
  const char* name;
  std::size_t Config::*value;
  std::size_t least, most;
} kConfigSizes[] = {{"features", &Config::features, 1, kMostWidth},
                    {"shared", &Config::shared, 0, kMostWidth},
                    {"side", &Config::side, 0, kMostWidth},
                    {"width", &Config::width, 1, kMostWidth},
                    {"layers", &Config::layers, 0, kMostLayers},
                    {"heads", &Config::heads, 1, kMostWidth},
                    {"hidden", &Config::hidden, 1, kMostHidden},
                    {"inducing", &Config::inducing, 0, kMostWidth},
                    {"memory", &Config::memory, 0, kMostWidth},
                    {"pool_hidden", &Config::pool_hidden, 1, kMostHidden}};

// The sentence that says which size does not fit and what would, or nothing.
std::string problem_with(const Config& config);

// Name and shape of every tensor of such a network; weights are [out x in].
std::map<std::string, std::vector<std::size_t>> tensor_shapes(const Config& config);

// The sentence that says what does not fit together and what would, or nothing.
std::string problem_with(const Model& model);

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

// The maps from a network's raw outputs to feasible controls: their constants, which training and
// use have in common and a model's file carries.
//
//     rho = rho_max sigmoid(r)                    or constant_rho
//     q   = (1 - uniform) softmax(s) + uniform / K
//     eta = (least_rate + softplus(e)) / scale    at most kLargestEta; or constant_eta

namespace pcgs {

struct ControlMaps {
  double rho_max = 0.5;
  double uniform = 0.01;     // eps: the share of q that is uniform
  double least_rate = 0.05;  // eta_min, in units of 1 / scale
  double constant_eta = 0;   // > 0: no rate is chosen, eta is this
  double constant_rho = 0;   // > 0: no restart rate is chosen, rho is this

  bool operator==(const ControlMaps&) const = default;
};

// Losses in [0,1] of which the typical difference is 1e-6 hardly differ; a rate beyond this would
// only follow their rounding.
inline constexpr double kLargestEta = 1e6;

// As a model's configuration holds them. Throws Error, whose file is `origin`, where one is missing or
// out of its range.
ControlMaps control_maps_of(const infer::Model& model, const std::string& origin);
std::map<std::string, double> constants_of(const ControlMaps& maps);

}  // namespace pcgs
