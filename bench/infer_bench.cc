// One forward pass of the controller network on one core, in floating-point operations per second,
// beside plain loops over the same weights compiled with the same flags and beside the machine's
// limit: a loop that only multiplies and adds.
//
// Before a network is timed, its outputs are compared with those of the plain loops. Operations are
// counted as the architecture needs them, whatever the implementation does.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "fma_peak.h"
#include "network/network.h"
#include "network/random_model.h"
#include "network/token_stream.h"
#include "operations.h"

namespace {

using namespace pcgs::infer;
using pcgs::bench::operations;

// With as many numbers of an expert's own, and as many that all share, as tokens have; or, where
// `all_own`, as if every expert had to bring all of them.
Model model_of(AttentionKind attention, bool all_own = false) {
  using namespace pcgs::tokens;
  return pcgs::test::random_model(
      pcgs::test::typical_config(attention, {.features = all_own ? kFeatures : kExpertFeatures,
                                             .shared = all_own ? 0 : kSharedFeatures}),
      1);
}

std::vector<float> wave(std::size_t count) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.7));
  }
  return out;
}

struct Input {
  std::vector<float> tokens, shared;

  Input(const Config& config, std::size_t experts)
      : tokens(wave(experts * config.features)), shared(wave(config.common())) {}
};

// What anyone would write first: rows of tokens, one loop per sum.
class PlainLoops {
 public:
  explicit PlainLoops(const Model& model) : model_(model) {}

  // The logits, then the two pooled outputs.
  std::vector<float> run(const Input& input) const {
    const Config& config = model_.config;
    std::vector<float> rows;
    for (auto own = input.tokens.begin(); own != input.tokens.end();) {
      const auto next = own + static_cast<std::ptrdiff_t>(config.features);
      rows.insert(rows.end(), own, next);
      rows.insert(rows.end(), input.shared.begin(), input.shared.end());
      own = next;
    }
    std::vector<float> x = linear("embed", rows);
    for (std::size_t i = 0; i < config.layers; ++i) {
      const std::string layer = "layers." + std::to_string(i) + ".";
      if (config.attention != AttentionKind::kNone) {
        add(x, attention(layer + "attention.", norm(layer + "norm1", x)));
      }
      add(x, token_network(layer + "mlp.", norm(layer + "norm2", x)));
    }
    x = norm("norm", x);
    std::vector<float> outputs = linear("head", x);
    const std::size_t width = config.width;
    std::vector<float> pooled(2 * width);
    for (std::size_t c = 0; c < width; ++c) {
      pooled[width + c] = x[c];
      for (std::size_t at = c; at < x.size(); at += width) {
        pooled[c] += x[at] / static_cast<float>(x.size() / width);
        pooled[width + c] = std::max(pooled[width + c], x[at]);
      }
    }
    for (const float value : token_network("pool.", pooled)) outputs.push_back(value);
    return outputs;
  }

 private:
  const std::vector<float>& values(const std::string& name) const {
    return model_.tensors.at(name).values;
  }

  std::vector<float> linear(const std::string& name, const std::vector<float>& x) const {
    const float* weight = values(name + ".weight").data();
    const std::vector<float>& bias = values(name + ".bias");
    const std::size_t in = model_.tensors.at(name + ".weight").shape[1];
    std::vector<float> y;
    y.reserve(x.size() / in * bias.size());
    for (std::size_t row = 0; row < x.size(); row += in) {
      for (std::size_t o = 0; o < bias.size(); ++o) {
        float sum = bias[o];
        for (std::size_t i = 0; i < in; ++i) sum += weight[o * in + i] * x[row + i];
        y.push_back(sum);
      }
    }
    return y;
  }

  std::vector<float> norm(const std::string& name, std::vector<float> x) const {
    const std::vector<float>& weight = values(name + ".weight");
    const std::vector<float>& bias = values(name + ".bias");
    const std::size_t n = weight.size();
    for (std::size_t row = 0; row < x.size(); row += n) {
      float mean = 0, variance = 0;
      for (std::size_t i = row; i < row + n; ++i) mean += x[i] / static_cast<float>(n);
      for (std::size_t i = row; i < row + n; ++i) {
        variance += (x[i] - mean) * (x[i] - mean) / static_cast<float>(n);
      }
      const float scale = 1 / std::sqrt(variance + 1e-5f);
      for (std::size_t i = 0; i < n; ++i) {
        x[row + i] = (x[row + i] - mean) * scale * weight[i] + bias[i];
      }
    }
    return x;
  }

  std::vector<float> token_network(const std::string& name, const std::vector<float>& x) const {
    std::vector<float> hidden = linear(name + "up", x);
    for (float& value : hidden) value *= 0.5f * (1 + std::erf(value * 0.70710678f));
    return linear(name + "down", hidden);
  }

  std::vector<float> attend(const std::vector<float>& q, const std::vector<float>& k,
                            const std::vector<float>& v) const {
    const std::size_t d = model_.config.width;
    const std::size_t width = d / model_.config.heads;
    const std::size_t keys = k.size() / d;
    std::vector<float> out(q.size()), p(keys);
    for (std::size_t row = 0; row < q.size(); row += width) {  // a head of a query
      const std::size_t head = row % d;
      float largest = -1e30f, sum = 0;
      for (std::size_t j = 0; j < keys; ++j) {
        float score = 0;
        for (std::size_t c = 0; c < width; ++c) score += q[row + c] * k[j * d + head + c];
        p[j] = score / std::sqrt(static_cast<float>(width));
        largest = std::max(largest, p[j]);
      }
      for (float& value : p) sum += value = std::exp(value - largest);
      for (std::size_t j = 0; j < keys; ++j) {
        for (std::size_t c = 0; c < width; ++c) out[row + c] += p[j] / sum * v[j * d + head + c];
      }
    }
    return out;
  }

  std::vector<float> attention(const std::string& name, const std::vector<float>& x) const {
    std::vector<float> k = linear(name + "k", x), v = linear(name + "v", x);
    if (model_.config.attention == AttentionKind::kInduced) {
      const std::vector<float> summary = attend(values(name + "inducing"), k, v);
      k = linear(name + "k2", summary);
      v = linear(name + "v2", summary);
    }
    return linear(name + "o", attend(linear(name + "q", x), k, v));
  }

  static void add(std::vector<float>& x, const std::vector<float>& change) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += change[i];
  }

  const Model& model_;
};

void check(const Model& model, const Network& network, std::size_t experts) {
  const Input input(model.config, experts);
  const std::vector<float> expected = PlainLoops(model).run(input);
  std::vector<float> found(experts);
  const Pooled pooled = Forward(network, experts).run(input.tokens, input.shared, found);
  found.insert(found.end(), {pooled.restart, pooled.rate});
  for (std::size_t i = 0; i < found.size(); ++i) {
    pcgs::bench::require(std::abs(found[i] - expected[i]) < 1e-4f, "the network's outputs");
  }
}

void count_operations(benchmark::State& state, double count) {
  state.counters["FLOP/s"] =
      benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
}

void forward(benchmark::State& state, const Network* network, std::size_t experts) {
  const Input input(network->config(), experts);
  std::vector<float> logits(experts);
  Forward pass(*network, experts);
  for (auto _ : state) benchmark::DoNotOptimize(pass.run(input.tokens, input.shared, logits));
  count_operations(state, operations(network->config(), experts));
}

void plain(benchmark::State& state, const Model* model, std::size_t experts) {
  const Input input(model->config, experts);
  const PlainLoops loops(*model);
  for (auto _ : state) benchmark::DoNotOptimize(loops.run(input));
  count_operations(state, operations(model->config, experts));
}

void limit(benchmark::State& state) {
  float sink = 0;
  double count = 0;
  for (auto _ : state) {
    count = pcgs::bench::multiply_add(10000, sink);
    benchmark::DoNotOptimize(sink);
  }
  count_operations(state, count);
}

}  // namespace

namespace pcgs::bench {

void register_infer() {
  static std::map<AttentionKind, Model> models;  // used until the program ends
  static std::map<AttentionKind, Network> networks;
  for (const AttentionKind kind :
       {AttentionKind::kNone, AttentionKind::kFull, AttentionKind::kInduced}) {
    const Model& model = models[kind] = model_of(kind);
    const Network& network = networks.try_emplace(kind, model).first->second;
    for (const std::size_t experts : {std::size_t{32}, std::size_t{100}, std::size_t{1024}}) {
      check(model, network, experts);
      const std::string suffix = "/" + std::string(name_of(kind)) + "/K=" + std::to_string(experts);
      ::benchmark::RegisterBenchmark(("forward" + suffix).c_str(), forward, &network, experts)
          ->MinTime(0.05);
      if (kind == AttentionKind::kInduced) {
        ::benchmark::RegisterBenchmark(("forward plain loops" + suffix).c_str(), plain, &model,
                                       experts)
            ->MinTime(0.05);
      }
    }
  }
  static const Model all_own = model_of(AttentionKind::kInduced, true);
  static const Network network(all_own);
  check(all_own, network, 32);
  ::benchmark::RegisterBenchmark("forward, nothing shared/induced/K=32", forward, &network,
                                 std::size_t{32})
      ->MinTime(0.05);
  ::benchmark::RegisterBenchmark("forward limit", limit)->MinTime(0.05);
}

}  // namespace pcgs::bench
