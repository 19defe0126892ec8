#include "network/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "data/invariant.h"
#include "network/forward_kernels.h"
#include "pcgs/error.h"

namespace pcgs::infer {

Memory::Memory(const Config& config, std::size_t experts)
    : layers_(config.layers), channels_(config.memory), experts_(experts) {
  panels_.resize(layers_ * layer_size());
}

void Memory::copy_to(std::span<float> values) const {
  invariant(values.size() == size(), "room for what is remembered");
  for (std::size_t i = 0; i < size(); ++i) values[i] = panels_[at(i)];
}

void Memory::copy_from(std::span<const float> values) {
  invariant(values.size() == size(), "as many numbers as are remembered");
  for (std::size_t i = 0; i < size(); ++i) panels_[at(i)] = values[i];
}

namespace {

// Panels that go through several steps together while they are in the first-level cache.
constexpr std::size_t kPanelsTogether = 2;

struct Group {
  std::size_t first, count;   // panels
  std::size_t token, tokens;  // the first of them, and how many there are
};

// Calls `work` for all panels of K tokens, a few at a time.
template <class Work>
void for_each_group(std::size_t experts, const Work& work) {
  const std::size_t all = panels_of(experts);
  for (std::size_t first = 0; first < all; first += kPanelsTogether) {
    const std::size_t count = std::min(kPanelsTogether, all - first), token = first * kPanel;
    work(Group{first, count, token, std::min(count * kPanel, experts - token)});
  }
}

// Panels of x through a layer: out = W x + bias, the layer's own unless another is given.
void apply(const Packed& linear, const float* x, std::size_t panels, float* out,
           const float* bias = nullptr, bool accumulate = false) {
  multiply({.rows = linear.out,
            .depth = linear.in,
            .panels = panels,
            .a = linear.weight.data(),
            .a_step = kTile,
            .a_tile = linear.in * kTile,
            .b = x,
            .b_panel = linear.in * kPanel,
            .c = out,
            .c_panel = linear.out * kPanel,
            .row_bias = bias != nullptr ? bias : linear.bias.data(),
            .accumulate = accumulate});
}

// out += W x + bias
void add(const Packed& linear, const float* x, std::size_t panels, float* out) {
  apply(linear, x, panels, out, nullptr, true);
}

// `count` tokens of panels of x through a layer, into out [count x step], a row per token.
void apply_to_rows(const Packed& linear, const float* x, std::size_t count, float* out,
                   std::size_t step) {
  for (std::size_t first = 0; first < count; first += kPanel) {
    multiply({.rows = std::min(kPanel, count - first),
              .depth = linear.in,
              .panels = panels_of(linear.out),
              .a = x + first * linear.in,
              .a_step = kPanel,
              .a_tile = kTile,
              .b = linear.weight.data(),
              .b_panel = linear.in * kPanel,
              .c = out + first * step,
              .c_row = step,
              .c_panel = kPanel,
              .lane_bias = linear.bias.data()});
  }
}

// One vector [in] through a layer, into out [out, up to whole panels].
void apply_to_one(const Packed& linear, const float* x, float* out) {
  multiply({.rows = 1,
            .depth = linear.in,
            .panels = panels_of(linear.out),
            .a = x,
            .a_step = 1,
            .b = linear.weight.data(),
            .b_panel = linear.in * kPanel,
            .c = out,
            .c_panel = kPanel,
            .lane_bias = linear.bias.data()});
}

class Loader {
 public:
  explicit Loader(const Model& model) : model_(model) {}

  Norm norm(const std::string& name) const {
    const auto& weight = tensor(name + ".weight").values;
    const auto& bias = tensor(name + ".bias").values;
    return {{weight.begin(), weight.end()}, {bias.begin(), bias.end()}};
  }
  // Outputs in groups of so many: in rows for panels of tokens, in lanes for single ones. `names` are
  // one below the other; of their inputs those from `begin` to before `end`.
  Packed linear(const std::vector<std::string>& names, std::size_t group = kTile, float scale = 1,
                std::size_t begin = 0, std::size_t end = SIZE_MAX) const {
    Packed result;
    result.in = std::min(end, tensor(names[0] + ".weight").shape[1]) - begin;
    for (const auto& name : names) result.out += tensor(name + ".bias").values.size();
    const std::size_t groups = (result.out + group - 1) / group;
    result.weight.resize(groups * result.in * group);
    result.bias.resize(groups * group);
    std::size_t o = 0;
    for (const auto& name : names) {
      const Tensor& weight = tensor(name + ".weight");
      const auto& bias = tensor(name + ".bias").values;
      for (std::size_t row = 0; row < bias.size(); ++row, ++o) {
        for (std::size_t i = 0; i < result.in; ++i) {
          result.weight[(o / group * result.in + i) * group + o % group] =
              scale * weight.values[row * weight.shape[1] + begin + i];
        }
        result.bias[o] = scale * bias[row];
      }
    }
    return result;
  }
  Layer layer(std::size_t i) const {
    const Config& config = model_.config;
    const std::string name = fmt::format("layers.{}.", i);
    Layer layer;
    if (config.memory > 0) {
      const std::string memory = name + "memory.";
      layer.norm0 = norm(name + "norm0");
      layer.remember = linear({memory + "keep", memory + "value", memory + "gate"});
      layer.recall = linear({memory + "o"});
    }
    if (config.attention != AttentionKind::kNone) {
      const std::string attention = name + "attention.";
      const float scale = 1 / std::sqrt(static_cast<float>(config.width / config.heads));
      layer.norm1 = norm(name + "norm1");
      layer.q = linear({attention + "q"}, kTile, scale);
      layer.k = linear({attention + "k"});
      layer.v = linear({attention + "v"}, kPanel);
      layer.o = linear({attention + "o"});
      if (config.attention == AttentionKind::kInduced) {
        const Tensor& queries = tensor(attention + "inducing");
        layer.inducing.resize(panels_of(config.inducing) * config.width * kPanel);
        lay_side_by_side(queries.values.data(), config.inducing, config.width,
                         layer.inducing.data());
        for (float& value : layer.inducing) value *= scale;
        layer.k2 = linear({attention + "k2"});
        layer.v2 = linear({attention + "v2"}, kPanel);
      }
    }
    layer.norm2 = norm(name + "norm2");
    layer.up = linear({name + "mlp.up"});
    layer.down = linear({name + "mlp.down"});
    return layer;
  }

 private:
  const Tensor& tensor(const std::string& name) const { return model_.tensors.at(name); }

  const Model& model_;
};

}  // namespace

Network::Network(const Model& model) : config_(model.config) {
  const std::string problem = problem_with(model);
  if (!problem.empty()) throw Error("this model cannot be used: " + problem);
  const Loader load(model);
  embed_common_ = load.linear({"embed"}, kPanel, 1, config_.features);
  embed_own_ = load.linear({"embed"}, kTile, 1, 0, config_.features);
  for (std::size_t i = 0; i < config_.layers; ++i) layers_.push_back(load.layer(i));
  norm_ = load.norm("norm");
  head_ = load.linear({"head"});
  pool_up_ = load.linear({"pool.up"}, kPanel);
  pool_down_ = load.linear({"pool.down"}, kPanel);
}

Forward::Forward(const Network& network, std::size_t max_experts)
    : network_(network),
      max_experts_(max_experts),
      value_step_(panels_of(network.config_.width) * kPanel) {
  const Config& config = network.config_;
  const std::size_t width = config.width;
  const std::size_t panels = panels_of(max_experts);
  const std::size_t inducing = config.attention == AttentionKind::kInduced ? config.inducing : 0;

  x_.resize(panels * width * kPanel);
  q_.resize(panels * width * kPanel);
  k_.resize(panels * width * kPanel);
  v_.resize(max_experts * value_step_);
  shared_.resize(config.common());
  base_.resize(panels_of(width) * kPanel);
  raw_.resize(kPanelsTogether * config.features * kPanel);
  normed_.resize(kPanelsTogether * width * kPanel);
  mixed_.resize(kPanelsTogether * width * kPanel);
  hidden_.resize(kPanelsTogether * config.hidden * kPanel);
  gates_.resize(kPanelsTogether * 3 * config.memory * kPanel);
  shown_.resize(kPanelsTogether * config.memory * kPanel);
  summary_.resize(panels_of(inducing) * width * kPanel);
  summary_k_.resize(panels_of(inducing) * width * kPanel);
  summary_v_.resize(inducing * value_step_);
  logits_.resize(kPanelsTogether * kPanel);
  pooled_.resize(2 * width);
  pool_hidden_.resize(panels_of(config.pool_hidden) * kPanel);
  two_.resize(kPanel);
  scratch_.resize(kAttentionScratch);
}

Pooled Forward::run(std::span<const float> tokens, std::span<const float> shared,
                    std::span<float> logits, Memory* memory) {
  experts_ = logits.size();
  invariant(experts_ >= 1 && experts_ <= max_experts_, "one to max_experts tokens");
  invariant(tokens.size() == experts_ * network_.config_.features, "a row of features per expert");
  invariant(shared.size() == network_.config_.common(), "the numbers that experts share");
  const bool remembers = network_.config_.memory > 0;
  invariant(!remembers || (memory != nullptr && memory->experts() == experts_),
            "the memory of these experts");
  embed(tokens, shared);
  for (std::size_t i = 0; i < network_.layers_.size(); ++i) {
    const Layer& layer = network_.layers_[i];
    if (remembers) add_memory(layer, memory->layer(i));
    if (network_.config_.attention != AttentionKind::kNone) add_attention(layer);
    add_token_network(layer);
  }
  return finish(logits);
}

// W [token, shared] + b: the shared part is the same for all, so it is made once and added to b.
void Forward::embed(std::span<const float> tokens, std::span<const float> shared) {
  std::transform(shared.begin(), shared.end(), shared_.begin(),
                 [](float x) { return std::clamp(x, -kLargestToken, kLargestToken); });
  apply_to_one(network_.embed_common_, shared_.data(), base_.data());
  const std::size_t features = network_.config_.features;
  const std::size_t panel_step = network_.config_.width * kPanel;
  for_each_group(experts_, [&](const Group& group) {
    lay_side_by_side(tokens.data() + group.token * features, group.tokens, features, raw_.data());
    apply(network_.embed_own_, raw_.data(), group.count, x_.data() + group.first * panel_step,
          base_.data());
  });
}

void Forward::add_memory(const Layer& layer, float* memory) {
  const Config& config = network_.config_;
  for_each_group(experts_, [&](const Group& group) {
    float* const x = x_.data() + group.first * config.width * kPanel;
    normalise(x, group.count, layer.norm0.weight, layer.norm0.bias, normed_.data());
    apply(layer.remember, normed_.data(), group.count, gates_.data());
    remember(gates_.data(), group.count, config.memory,
             memory + group.first * config.memory * kPanel, shown_.data());
    add(layer.recall, shown_.data(), group.count, x);
  });
}

void Forward::attend_to(const Keys& keys, const float* query, std::size_t queries, float* out) {
  const Config& config = network_.config_;
  attend({.heads = config.heads,
          .head_width = config.width / config.heads,
          .queries = queries,
          .keys = keys.count,
          .query = query,
          .key = keys.keys,
          .value = keys.values,
          .value_step = value_step_,
          .out = out,
          .scratch = scratch_.data()});
}

void Forward::add_attention(const Layer& layer) {
  const std::size_t panel_step = network_.config_.width * kPanel;
  for_each_group(experts_, [&](const Group& group) {
    const std::size_t at = group.first * panel_step;
    normalise(x_.data() + at, group.count, layer.norm1.weight, layer.norm1.bias, normed_.data());
    apply(layer.q, normed_.data(), group.count, q_.data() + at);
    apply(layer.k, normed_.data(), group.count, k_.data() + at);
    apply_to_rows(layer.v, normed_.data(), group.tokens, v_.data() + group.token * value_step_,
                  value_step_);
  });
  Keys keys = {k_.data(), v_.data(), experts_};
  if (network_.config_.attention == AttentionKind::kInduced) {
    const std::size_t inducing = network_.config_.inducing;
    attend_to(keys, layer.inducing.data(), inducing, summary_.data());
    apply(layer.k2, summary_.data(), panels_of(inducing), summary_k_.data());
    apply_to_rows(layer.v2, summary_.data(), inducing, summary_v_.data(), value_step_);
    keys = {summary_k_.data(), summary_v_.data(), inducing};
  }
  for_each_group(experts_, [&](const Group& group) {
    const std::size_t at = group.first * panel_step;
    attend_to(keys, q_.data() + at, group.count * kPanel, mixed_.data());
    add(layer.o, mixed_.data(), group.count, x_.data() + at);
  });
}

void Forward::add_token_network(const Layer& layer) {
  const std::size_t panel_step = network_.config_.width * kPanel;
  for_each_group(experts_, [&](const Group& group) {
    float* const x = x_.data() + group.first * panel_step;
    normalise(x, group.count, layer.norm2.weight, layer.norm2.bias, normed_.data());
    apply(layer.up, normed_.data(), group.count, hidden_.data());
    gelu(hidden_.data(), group.count * network_.config_.hidden * kPanel);
    add(layer.down, hidden_.data(), group.count, x);
  });
}

Pooled Forward::finish(std::span<float> logits) {
  const std::size_t width = network_.config_.width;
  for_each_group(experts_, [&](const Group& group) {
    float* const x = x_.data() + group.first * width * kPanel;
    normalise(x, group.count, network_.norm_.weight, network_.norm_.bias, x);
    apply(network_.head_, x, group.count, logits_.data());
    std::copy_n(logits_.data(), group.tokens, logits.data() + group.token);
  });
  pool(x_.data(), experts_, width, pooled_.data(), pooled_.data() + width);
  apply_to_one(network_.pool_up_, pooled_.data(), pool_hidden_.data());
  gelu(pool_hidden_.data(), pool_hidden_.size());
  apply_to_one(network_.pool_down_, pool_hidden_.data(), two_.data());
  return {two_[0], two_[1]};
}

}  // namespace pcgs::infer
