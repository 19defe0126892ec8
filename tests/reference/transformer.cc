#include "reference/transformer.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace pcgs::reference {
namespace {

using infer::AttentionKind;
using infer::Model;
using infer::Tensor;
using Vector = std::vector<double>;
using Rows = std::vector<Vector>;  // [tokens][features]

class Transformer {
 public:
  Transformer(const Model& model, TransformerMemory& memory) : model_(model), memory_(memory) {}

  TransformerOutputs run(std::span<const float> tokens, std::span<const float> shared) const {
    const std::size_t features = model_.config.features;
    Rows x;
    for (std::size_t at = 0; at < tokens.size(); at += features) {
      const auto token = tokens.subspan(at, features);
      Vector input(token.begin(), token.end());
      input.insert(input.end(), shared.begin(), shared.end());
      x.push_back(linear("embed", input));
    }
    for (std::size_t i = 0; i < model_.config.layers; ++i) {
      const std::string layer = "layers." + std::to_string(i) + ".";
      if (model_.config.memory > 0) {
        add(x, remember(layer + "memory.", i, norm(layer + "norm0", x)));
      }
      if (model_.config.attention != AttentionKind::kNone) {
        add(x, attention(layer + "attention.", norm(layer + "norm1", x)));
      }
      add(x, token_network(layer + "mlp.", norm(layer + "norm2", x)));
    }
    return heads(norm("norm", x));
  }

 private:
  const Tensor& tensor(const std::string& name) const { return model_.tensors.at(name); }

  Vector linear(const std::string& name, const Vector& x) const {
    const Tensor& weight = tensor(name + ".weight");
    const Tensor& bias = tensor(name + ".bias");
    Vector y(bias.values.begin(), bias.values.end());
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        y[o] += static_cast<double>(weight.values[o * x.size() + i]) * x[i];
      }
    }
    return y;
  }

  Rows linear(const std::string& name, const Rows& x) const {
    Rows y;
    for (const Vector& token : x) y.push_back(linear(name, token));
    return y;
  }

  Rows norm(const std::string& name, const Rows& x) const {
    const Tensor& weight = tensor(name + ".weight");
    const Tensor& bias = tensor(name + ".bias");
    Rows y = x;
    for (Vector& token : y) {
      const auto n = static_cast<double>(token.size());
      double mean = 0, variance = 0;
      for (const double value : token) mean += value / n;
      for (const double value : token) variance += (value - mean) * (value - mean) / n;
      for (std::size_t i = 0; i < token.size(); ++i) {
        token[i] =
            (token[i] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(weight.values[i]) +
            static_cast<double>(bias.values[i]);
      }
    }
    return y;
  }

  static double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  Rows remember(const std::string& name, std::size_t layer, const Rows& x) const {
    const Rows keep = linear(name + "keep", x), value = linear(name + "value", x),
               gate = linear(name + "gate", x);
    memory_.resize(model_.config.layers);
    Rows& held = memory_[layer];
    held.resize(x.size(), Vector(model_.config.memory));
    Rows shown = held;
    for (std::size_t k = 0; k < x.size(); ++k) {
      for (std::size_t c = 0; c < model_.config.memory; ++c) {
        const double a = sigmoid(keep[k][c]);
        held[k][c] = a * held[k][c] + (1 - a) * value[k][c];
        shown[k][c] = held[k][c] * gate[k][c] * sigmoid(gate[k][c]);
      }
    }
    return linear(name + "o", shown);
  }

  Rows token_network(const std::string& name, const Rows& x) const {
    Rows hidden = linear(name + "up", x);
    for (Vector& token : hidden) std::transform(token.begin(), token.end(), token.begin(), gelu);
    return linear(name + "down", hidden);
  }

  Rows attend(const Rows& queries, const Rows& keys, const Rows& values) const {
    const std::size_t width = model_.config.width / model_.config.heads;
    Rows out(queries.size(), Vector(model_.config.width));
    for (std::size_t i = 0; i < queries.size(); ++i) {
      for (std::size_t first = 0; first < model_.config.width; first += width) {  // heads
        Vector p(keys.size());
        for (std::size_t j = 0; j < keys.size(); ++j) {
          for (std::size_t c = first; c < first + width; ++c) p[j] += queries[i][c] * keys[j][c];
          p[j] /= std::sqrt(static_cast<double>(width));
        }
        const double largest = *std::max_element(p.begin(), p.end());
        double sum = 0;
        for (double& value : p) sum += value = std::exp(value - largest);
        for (std::size_t j = 0; j < keys.size(); ++j) {
          for (std::size_t c = first; c < first + width; ++c)
            out[i][c] += p[j] / sum * values[j][c];
        }
      }
    }
    return out;
  }

  Rows attention(const std::string& name, const Rows& x) const {
    Rows keys = linear(name + "k", x);
    Rows values = linear(name + "v", x);
    if (model_.config.attention == AttentionKind::kInduced) {
      const auto& learned = tensor(name + "inducing").values;
      const auto width = static_cast<std::ptrdiff_t>(model_.config.width);
      Rows inducing;
      for (auto row = learned.begin(); row != learned.end(); row += width) {
        inducing.emplace_back(row, row + width);
      }
      const Rows summary = attend(inducing, keys, values);
      keys = linear(name + "k2", summary);
      values = linear(name + "v2", summary);
    }
    return linear(name + "o", attend(linear(name + "q", x), keys, values));
  }

  static void add(Rows& x, const Rows& change) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      for (std::size_t i = 0; i < x[k].size(); ++i) x[k][i] += change[k][i];
    }
  }

  TransformerOutputs heads(const Rows& x) const {
    TransformerOutputs outputs;
    Vector mean(model_.config.width), largest = x[0];
    for (const Vector& token : x) {
      outputs.logits.push_back(linear("head", token)[0]);
      for (std::size_t i = 0; i < token.size(); ++i) {
        mean[i] += token[i] / static_cast<double>(x.size());
        largest[i] = std::max(largest[i], token[i]);
      }
    }
    Vector pooled = mean;
    pooled.insert(pooled.end(), largest.begin(), largest.end());
    const Vector two = token_network("pool.", {pooled})[0];
    outputs.restart = two[0];
    outputs.rate = two[1];
    return outputs;
  }

  const Model& model_;
  TransformerMemory& memory_;
};

}  // namespace

TransformerOutputs transformer(const infer::Model& model, std::span<const float> tokens,
                               std::span<const float> shared, TransformerMemory& memory) {
  return Transformer(model, memory).run(tokens, shared);
}

TransformerOutputs transformer(const infer::Model& model, std::span<const float> tokens,
                               std::span<const float> shared) {
  TransformerMemory memory;
  return transformer(model, tokens, shared, memory);
}

}  // namespace pcgs::reference
