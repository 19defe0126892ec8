// One learn() round of every method, and of the plain fixed-share loop compiled with the same
// flags.
//
// A time counts only if the answer is right: before it is timed, fixed-share is compared with the
// plain loop, guard without the network with its reference, and every method is checked to be on
// the simplex.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "pcgs/registry.h"
#include "reference/methods.h"
#include "research/suite.h"

namespace {

constexpr double kEta = 4;
constexpr double kRho = 0.01;
constexpr std::size_t kRounds = 32;  // cycled through: fresh losses would be in the cache too

const pcgs::Matrix& losses(std::size_t experts) {
  static std::vector<pcgs::Matrix> made(1 << 13);
  if (made[experts].rows == 0) {
    made[experts] = pcgs::suite::generate("switch", kRounds, experts, 1).losses;
  }
  return made[experts];
}

// What anyone would write first: no checks, no safety from underflow.
void plain_fixed_share(std::vector<double>& w, std::span<const double> l) {
  double z = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    w[k] *= std::exp(-kEta * l[k]);
    z += w[k];
  }
  const double restart = kRho / static_cast<double>(w.size());
  for (double& x : w) x = (1 - kRho) * x / z + restart;
}

void check(const std::string& name, std::size_t experts) {
  auto aggregator = pcgs::make_aggregator(name, experts);
  std::vector<double> plain(experts, 1.0 / static_cast<double>(experts));
  for (std::size_t t = 0; t < kRounds; ++t) {
    aggregator.learn(losses(experts).row(t));
    plain_fixed_share(plain, losses(experts).row(t));
  }
  double total = 0;
  for (std::size_t k = 0; k < experts; ++k) {
    total += aggregator.weights()[k];
    pcgs::bench::require(
        name != "fixed-share" || std::abs(aggregator.weights()[k] - plain[k]) < 1e-12,
        "fixed-share is the plain loop");
  }
  pcgs::bench::require(std::abs(total - 1) < 1e-12, name + " is on the simplex");
}

constexpr const char* kFiltersOnly = "guard{learned=0}";

void check_guard(std::size_t experts) {
  auto aggregator = pcgs::make_aggregator(kFiltersOnly, experts);
  pcgs::reference::Guard slow(experts);
  for (std::size_t t = 0; t < kRounds; ++t) {
    const auto l = losses(experts).row(t);
    aggregator.learn(l);
    pcgs::reference::play_losses(slow, {l.begin(), l.end()}, std::vector<std::uint8_t>(experts, 1));
  }
  const std::vector<double> expected = slow.weights();
  for (std::size_t k = 0; k < experts; ++k) {
    pcgs::bench::require(std::abs(aggregator.weights()[k] - expected[k]) < 1e-9,
                         "guard is its reference");
  }
}

void learn(benchmark::State& state, const std::string& name, std::size_t experts) {
  auto aggregator = pcgs::make_aggregator(name, experts);
  std::size_t t = 0;
  for (auto _ : state) {
    aggregator.learn(losses(experts).row(t));
    t = (t + 1) % kRounds;
    benchmark::DoNotOptimize(aggregator.weights().data());
  }
}

void plain(benchmark::State& state, std::size_t experts) {
  std::vector<double> w(experts, 1.0 / static_cast<double>(experts));
  std::size_t t = 0;
  for (auto _ : state) {
    plain_fixed_share(w, losses(experts).row(t));
    t = (t + 1) % kRounds;
    benchmark::DoNotOptimize(w.data());
    benchmark::ClobberMemory();
  }
}

}  // namespace

namespace pcgs::bench {

void register_learn() {
  for (const std::size_t experts : {std::size_t{32}, std::size_t{1024}}) {
    const std::string suffix = "/K=" + std::to_string(experts);
    for (const MethodInfo& method : registered_methods()) {
      if (method.traits.needs_forecasts) continue;
      const std::string name(method.name);
      check(name, experts);
      ::benchmark::RegisterBenchmark((name + suffix).c_str(), learn, name, experts)->MinTime(0.05);
    }
    check_guard(experts);
    ::benchmark::RegisterBenchmark((kFiltersOnly + suffix).c_str(), learn, kFiltersOnly, experts)
        ->MinTime(0.05);
    ::benchmark::RegisterBenchmark(("plain fixed-share loop" + suffix).c_str(), plain, experts)
        ->MinTime(0.05);
  }
}

}  // namespace pcgs::bench
