// The Transformer that steers the share recursion: forward only, one token per expert.
//
//     x_k = embed([token_k, shared])                                [K x d]
//     for each layer:  x += o(memory(norm0(x)))                     where it has a memory
//                      x += attention(norm1(x))                     where it has attention
//                      x += down(gelu(up(norm2(x))))
//     x = norm(x)
//     logits[k] = head(x_k)                                         [K]
//     (restart, rate) = down(gelu(up([mean_k x_k, max_k x_k])))     [2]
//
// Full attention is softmax(q k^T / sqrt(d / heads)) v over the tokens, then a projection. Induced
// attention lets `inducing` learned queries attend to the tokens, and the tokens to their answers.
// The memory of an expert goes on from round to round, each channel with a gate of its own:
//
//     m = a m + (1 - a) value(x)     a = sigmoid(keep(x)),     shown as m * silu(gate(x))
//
// so that the network makes its own averages, as long as it likes, where tokens hold those that were
// thought of beforehand. The outputs are raw: the maps to feasible controls are the controller's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "network/forward_kernels.h"
#include "network/model.h"

namespace pcgs::infer {

// Weights in the order in which the products read them.

// y = W x + b, out numbers from in. W[o][i] = weight[(o / group * in + i) * group + o % group]: the
// outputs come in groups that are computed together, and behind the last there are zeros.
struct Packed {
  std::size_t out = 0, in = 0;
  AlignedFloats weight;  // [groups x in x group]
  AlignedFloats bias;    // [groups x group]
};

// What a network carries from one round to the next: `memory` channels of every expert in every layer.
class Memory {
 public:
  // Zeros, as before the first round. Has no numbers where the network remembers nothing.
  Memory(const Config& config, std::size_t experts);

  std::size_t experts() const { return experts_; }
  std::size_t size() const { return layers_ * channels_ * experts_; }

  // All numbers, [layers x channels x K], for somebody to keep.
  void copy_to(std::span<float> values) const;
  void copy_from(std::span<const float> values);

  float* layer(std::size_t i) { return panels_.data() + i * layer_size(); }  // panels of channels

 private:
  std::size_t layer_size() const { return panels_of(experts_) * channels_ * kPanel; }
  // Where the i-th of all numbers stands.
  std::size_t at(std::size_t i) const {
    const std::size_t expert = i % experts_, channel = i / experts_ % channels_;
    return i / experts_ / channels_ * layer_size() +
           (expert / kPanel * channels_ + channel) * kPanel + expert % kPanel;
  }

  std::size_t layers_, channels_, experts_;
  AlignedFloats panels_;
};

// No memory holds a larger number, whatever the weights and tokens: it is a mean of what a layer
// makes of normalised numbers.
inline constexpr float kLargestMemory = 1e14f;

struct Norm {
  AlignedFloats weight, bias;  // [d]
};

struct Layer {
  Norm norm0;              // absent, as the next two, where there is no memory
  Packed remember;         // [3 memory x d]: keep, value, gate
  Packed recall;           // [d x memory]
  Norm norm1;              // absent, as all up to `o`, where there is no attention
  Packed q, k, v;          // [d x d]; q holds the scale of the scores
  AlignedFloats inducing;  // panels of d rows, scaled like q; induced only
  Packed k2, v2;           // [d x d]; induced only
  Packed o;                // [d x d]
  Norm norm2;
  Packed up;    // [hidden x d]
  Packed down;  // [d x hidden]
};

// Weights ready to use. It never changes, so threads may share it.
class Network {
 public:
  // Throws Error if the model's parts do not fit together.
  explicit Network(const Model& model);

  const Config& config() const { return config_; }

 private:
  friend class Forward;

  Config config_;
  Packed embed_common_;  // [d x common()], with the embedding's bias
  Packed embed_own_;     // [d x features]; its bias is what embed_common_ makes of a round
  std::vector<Layer> layers_;
  Norm norm_;
  Packed head_;       // [1 x d]
  Packed pool_up_;    // [pool_hidden x 2 d]
  Packed pool_down_;  // [2 x pool_hidden]
};

struct Pooled {
  float restart = 0;
  float rate = 0;
};

// The memory of a forward pass, O(max_experts); one per thread. The network must outlive it.
class Forward {
 public:
  Forward(const Network& network, std::size_t max_experts);

  // tokens [K x features], a row per expert, shared [common()]: what is the same for all of them,
  // and logits [K], 1 <= K <= max_experts. Allocates nothing. The results depend on nothing but
  // tokens, shared and memory: not on earlier runs, not on max_experts. Where those are finite they
  // are; numbers beyond 1e12 in size are taken as that. A network that remembers is given the memory
  // of these K experts, and takes it one round on.
  Pooled run(std::span<const float> tokens, std::span<const float> shared, std::span<float> logits,
             Memory* memory = nullptr);

 private:
  void embed(std::span<const float> tokens, std::span<const float> shared);
  void add_memory(const Layer& layer, float* memory);
  struct Keys {
    const float *keys, *values;
    std::size_t count;
  };
  void attend_to(const Keys& keys, const float* query, std::size_t queries, float* out);
  void add_attention(const Layer& layer);
  void add_token_network(const Layer& layer);
  Pooled finish(std::span<float> logits);

  const Network& network_;
  std::size_t max_experts_;
  std::size_t experts_ = 0;  // K of this run

  // Of all tokens.
  AlignedFloats x_, q_, k_;  // panels of d rows
  AlignedFloats v_;          // [K x value_step_], a row per token
  std::size_t value_step_;   // d, up to whole panels

  // Of what all tokens share.
  AlignedFloats shared_;  // [common()]
  AlignedFloats base_;    // [d, up to whole panels] what the embedding of a token starts from

  // Of the panels worked on together.
  AlignedFloats raw_;     // panels of `features` rows
  AlignedFloats normed_;  // panels of d rows
  AlignedFloats mixed_;   // panels of d rows
  AlignedFloats hidden_;  // panels of `hidden` rows
  AlignedFloats gates_;   // panels of 3 `memory` rows
  AlignedFloats shown_;   // panels of `memory` rows

  // Of the inducing points.
  AlignedFloats summary_, summary_k_;  // panels of d rows
  AlignedFloats summary_v_;            // [inducing x value_step_]

  AlignedFloats logits_;                      // panels of 1 row
  AlignedFloats pooled_, pool_hidden_, two_;  // [2 d], [pool_hidden], [2], up to whole panels
  AlignedFloats scratch_;
};

}  // namespace pcgs::infer
