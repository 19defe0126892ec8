// One round of blend, from forecasts to what is learned from the outcome: without its network and
// with it; without a season, with days of 24 rounds, with days and weeks; with its certificate; and
// the network alone.
//
// A time counts only if the answer is right. Before it is timed, the same rounds are played in other
// units and from another origin, which must give the same forecasts there, and the error must be
// below that of the best expert.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "combine/blend.h"
#include "pcgs/registry.h"
#include "research/suite.h"

namespace {

constexpr std::size_t kExperts = 20;
constexpr std::size_t kRounds = 1008;  // six weeks of hours; cycled through

struct Series {
  std::vector<double> forecasts;  // [rounds x experts]
  std::vector<double> outcomes;   // [rounds]

  std::span<const double> row(std::size_t t) const {
    return {forecasts.data() + t * kExperts, kExperts};
  }
};

// A daily curve, a slow disturbance that experts see half of, and experts of different quality.
Series make_series() {
  pcgs::suite::Random random("blend", 1);
  Series made;
  double slow = 0;
  for (std::size_t t = 0; t < kRounds; ++t) {
    slow = 0.8 * slow + 0.6 * random.normal();
    const double curve = 50 + 10 * std::sin(static_cast<double>(t % 24) * 0.2618);
    made.outcomes.push_back(curve + slow + 0.5 * random.normal());
    for (std::size_t k = 0; k < kExperts; ++k) {
      const auto rank = static_cast<double>(k);
      made.forecasts.push_back(curve + 0.5 * slow + (0.2 + 0.1 * rank) * random.normal());
    }
  }
  return made;
}

const Series& series() {
  static const Series made = make_series();
  return made;
}

// Behind a spec of blend.
constexpr const char* kWithoutNetwork = " without the network";

pcgs::Aggregator make(const std::string& spec, bool certify) {
  pcgs::AggregatorOptions options;
  options.certify = certify;
  if (spec.find(kWithoutNetwork) == std::string::npos) {
    return pcgs::make_aggregator(spec, kExperts, options);
  }
  std::vector<std::size_t> seasons;
  if (spec.find("season=24") != std::string::npos) seasons.push_back(24);
  if (spec.find("longer=168") != std::string::npos) seasons.push_back(168);
  return pcgs::Aggregator(pcgs::make_blend(kExperts, seasons, nullptr, "blend"), options);
}

void check(const std::string& spec) {
  constexpr double kUnit = 1000, kOrigin = -7;
  const bool network = spec.find(kWithoutNetwork) == std::string::npos;
  const double most = network ? 1e-3 : 1e-8;  // a network calculates in float
  auto aggregator = make(spec, false);
  auto other = make(spec, false);
  std::vector<double> squares(kExperts + 1);
  std::vector<double> moved(kExperts);
  for (std::size_t t = 0; t < kRounds; ++t) {
    const auto x = series().row(t);
    const double y = series().outcomes[t];
    std::transform(x.begin(), x.end(), moved.begin(),
                   [](double f) { return kUnit * (f - kOrigin); });
    const double f = aggregator.predict(x);
    const double g = other.predict(moved) / kUnit + kOrigin;
    pcgs::bench::require(std::abs(f - g) < most, spec + " does not depend on units");
    for (std::size_t k = 0; k < kExperts; ++k) squares[k] += (x[k] - y) * (x[k] - y);
    squares.back() += (f - y) * (f - y);
    aggregator.learn(y);
    other.learn(kUnit * (y - kOrigin));
  }
  pcgs::bench::require(squares.back() < *std::min_element(squares.begin(), squares.end() - 1),
                       spec + " has a lower error than the best expert");
}

void blend_round(benchmark::State& state, const std::string& spec, bool certify) {
  auto aggregator = make(spec, certify);
  std::size_t t = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(aggregator.predict(series().row(t)));
    aggregator.learn(series().outcomes[t]);
    t = (t + 1) % kRounds;
  }
}

}  // namespace

namespace pcgs::bench {

void register_blend() {
  const std::string suffix = "/K=" + std::to_string(kExperts);
  const auto add = [&](const std::string& name, const std::string& spec, bool certify) {
    ::benchmark::RegisterBenchmark((name + suffix).c_str(), blend_round, spec, certify)
        ->MinTime(0.2);
  };
  for (const char* spec : {"blend without the network", "blend{season=24} without the network",
                           "blend{season=24,longer=168} without the network", "blend",
                           "blend{season=24,longer=168}", "pcgs-tf:combine"}) {
    check(spec);
    add(spec, spec, false);
  }
  add("blend without the network, certified", "blend without the network", true);
}

}  // namespace pcgs::bench
