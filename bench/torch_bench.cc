// One forward pass of the controller network in this library's runtime and in libtorch, beside each
// other in one run on one thread, and beside the machine's limit.
//
// Both have the same weights and must give the same outputs before anything is timed. They take
// turns, so that whatever else the machine does meets both; the ratio is of neighbours in time.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks.h"
#include "blas.h"
#include "controller_net.h"
#include "fma_peak.h"
#include "network/model.h"
#include "network/network.h"
#include "operations.h"

namespace {

using Clock = std::chrono::steady_clock;
using pcgs::bench::operations;
using pcgs::infer::Config;
using pcgs::train::ControllerNet;

constexpr int kTurns = 61;
constexpr double kTurnSeconds = 4e-3;

// The architecture of a shipped model.
Config config_of(const char* name) {
  return pcgs::infer::read_model(pcgs::infer::shipped_model(name), name).config;
}

struct Spread {
  double low, median, high;  // 10 %, 50 %, 90 %
};

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.1), at(0.5), at(0.9)};
}

template <class F>
double seconds_for(int calls, const F& f) {
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) f();
  return std::chrono::duration<double>(Clock::now() - start).count() / calls;
}

// As many calls as fill a turn.
template <class F>
int calls_in_a_turn(const F& f) {
  seconds_for(3, f);
  return std::max(1, static_cast<int>(kTurnSeconds / seconds_for(5, f)));
}

void compare(const ControllerNet& net, std::size_t experts) {
  const auto wave = [](std::size_t count) {
    std::vector<float> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = std::sin(0.7f * static_cast<float>(i));
    return out;
  };
  const std::vector<float> tokens = wave(experts * net.config().features),
                           shared = wave(net.config().common());
  std::vector<float> logits(experts);
  const auto expert_tokens =
      torch::tensor(tokens).reshape({1, static_cast<std::int64_t>(experts), -1});
  const auto shared_tokens = torch::tensor(shared).unsqueeze(0);

  const pcgs::infer::Network network(net.model("bench", {}));
  pcgs::infer::Forward forward(network, experts);
  pcgs::infer::Pooled pooled;
  ControllerNet::Output out;
  pcgs::infer::Memory memory(network.config(), experts);
  const auto runtime = [&] { pooled = forward.run(tokens, shared, logits, &memory); };
  const auto libtorch = [&] { out = net.forward(expert_tokens, shared_tokens, false, 1); };
  runtime();
  libtorch();
  const float* expected = out.logits.data_ptr<float>();
  for (std::size_t i = 0; i < experts; ++i) {
    pcgs::bench::require(std::abs(logits[i] - expected[i]) < 1e-4f, "a logit");
  }
  pcgs::bench::require(std::abs(pooled.restart - out.restart.item<float>()) < 1e-4f, "the restart");
  pcgs::bench::require(std::abs(pooled.rate - out.rate.item<float>()) < 1e-4f, "the rate");

  float sink = 0;
  double peak_operations = 0;
  const auto peak = [&] { peak_operations = pcgs::bench::multiply_add(10000, sink); };
  const int runtime_calls = calls_in_a_turn(runtime), libtorch_calls = calls_in_a_turn(libtorch),
            peak_calls = calls_in_a_turn(peak);
  std::vector<double> ours, theirs, ratios, peaks;
  for (int turn = 0; turn < kTurns; ++turn) {
    ours.push_back(seconds_for(runtime_calls, runtime));
    theirs.push_back(seconds_for(libtorch_calls, libtorch));
    peaks.push_back(peak_operations / seconds_for(peak_calls, peak));
    ratios.push_back(theirs.back() / ours.back());
  }
  const double limit = spread_of(peaks).median;
  const auto say = [&](const char* name, const std::vector<double>& seconds) {
    const Spread s = spread_of(seconds);
    const double rate = operations(net.config(), experts) / s.median;
    fmt::print(
        "K = {:4}  {:<9} {:9.1f} us  ({:.1f} to {:.1f})  {:6.1f} GFLOP/s, {:2.0f} % of {:.1f}\n",
        experts, name, 1e6 * s.median, 1e6 * s.low, 1e6 * s.high, rate / 1e9, 100 * rate / limit,
        limit / 1e9);
  };
  say("runtime", ours);
  say("libtorch", theirs);
  const Spread r = spread_of(ratios);
  fmt::print("K = {:4}  libtorch / runtime: {:.1f}  ({:.1f} to {:.1f})\n", experts, r.median, r.low,
             r.high);
}

}  // namespace

int main(int, char** argv) {
  pcgs::train::let_blas_use_this_processor(argv);
  pcgs::train::set_threads(1);
  const c10::InferenceMode only_forward;
  fmt::print(
      "one forward pass, one thread, libtorch {}; median of {} turns (10 % to 90 %), "
      "operations of the architecture\n",
      TORCH_VERSION, kTurns);
  for (const auto& [what, name] : {std::pair{"pcgs-tf: full attention and a memory", "regret"},
                                   std::pair{"pcgs-tf:oracle: induced attention", "oracle"}}) {
    fmt::print("{}\n", what);
    const ControllerNet net(config_of(name), 1, torch::kCPU);
    for (const std::size_t experts : {32u, 1024u}) compare(net, experts);
  }
}
