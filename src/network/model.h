// A controller network as data: its sizes, its weights by name, and what it was made for.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs::infer {

enum class AttentionKind {
  kNone,     // no attention: the tokens do not see each other
  kFull,     // every token attends to every token: O(K^2)
  kInduced,  // a few learned queries summarise the tokens, the tokens attend to those: O(K)
};

std::string_view name_of(AttentionKind kind);  // "none", "full", "induced"

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

// The sentence that says which size does not fit and what would, or nothing.
std::string problem_with(const Config& config);

// Name and shape of every tensor of such a network; weights are [out x in].
std::map<std::string, std::vector<std::size_t>> tensor_shapes(const Config& config);

// The sentence that says what does not fit together and what would, or nothing.
std::string problem_with(const Model& model);

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
