// The linear pool of one round, and a time step of a panel: a round of each of four series opened and
// learned. The target for the step is 100 us on one core.
//
// A time counts only if the answer is right. Before it is timed, the pool is compared with the mean of
// distribution functions whose inverse it is, and the panel is played in other units, which must give the
// same forecasts there, with a score below that of any expert.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "combine/quantile_levels.h"
#include "combine/quantile_pool.h"
#include "pcgs/quantiles.h"
#include "reference/levels.h"
#include "research/suite.h"

namespace {

constexpr std::size_t kExperts = 40;
constexpr std::size_t kSeries = 4;
constexpr std::size_t kSteps = 100;  // cycled through

// The 23 levels of the forecast hubs.
const pcgs::levels::Levels& hub_levels() {
  static const pcgs::levels::Levels made = [] {
    std::vector<double> taus = {0.01, 0.025};
    for (int i = 1; i < 20; ++i) taus.push_back(0.05 * i);
    taus.insert(taus.end(), {0.975, 0.99});
    return pcgs::levels::Levels(taus);
  }();
  return made;
}

struct Round {
  std::vector<double> quantiles;  // [experts x levels]
  double outcome;
};

// Each expert errs in its own way, most of them by more than what cannot be foreseen.
std::vector<Round> make_rounds() {
  pcgs::suite::Random random("quantiles", 1);
  std::vector<Round> made(kSteps * kSeries);
  for (Round& round : made) {
    const double middle = 50 + 10 * random.normal();
    round.outcome = middle + random.normal();
    for (std::size_t k = 0; k < kExperts; ++k) {
      const double own = middle + (0.5 + 0.05 * static_cast<double>(k)) * random.normal();
      const double spread = 0.3 + 0.02 * static_cast<double>(k);
      for (const double tau : hub_levels().values()) {
        round.quantiles.push_back(own + spread * std::log(tau / (1 - tau)));
      }
    }
  }
  return made;
}

const std::vector<Round>& rounds() {
  static const std::vector<Round> made = make_rounds();
  return made;
}

// [experts] a distribution, none of them equal.
std::vector<double> made_up_weights() {
  std::vector<double> weights(kExperts);
  for (std::size_t k = 0; k < kExperts; ++k) {
    weights[k] = 2 * (static_cast<double>(k) + 1) / (kExperts * (kExperts + 1));
  }
  return weights;
}

void check_pool() {
  constexpr double kSlack = 1e-10;
  const auto weights = made_up_weights();
  const auto& levels = hub_levels();
  pcgs::levels::Pool pool(levels, kExperts);
  std::vector<double> out(levels.size());
  for (const Round& round : rounds()) {
    pool.arrange(round.quantiles);
    pool.linear(weights, out);
    const auto reached = [&](double x) {
      return pcgs::reference::pooled(levels.values(), round.quantiles, weights, x);
    };
    for (std::size_t i = 0; i < levels.size(); ++i) {
      pcgs::bench::require(reached(out[i] + kSlack) >= levels[i] - kSlack &&
                               reached(out[i] - kSlack) <= levels[i] + kSlack,
                           "the linear pool inverts the mean of distribution functions");
    }
  }
}

pcgs::QuantilePanel make_panel() {
  const auto taus = hub_levels().values();
  pcgs::QuantilePanel panel({{taus.begin(), taus.end()}, pcgs::QuantileScale::kRaw});
  for (std::size_t k = 0; k < kExperts; ++k) panel.add_expert("expert " + std::to_string(k));
  for (std::size_t s = 0; s < kSeries; ++s) panel.add_series("series " + std::to_string(s));
  return panel;
}

void check_panel() {
  constexpr double kUnit = 1000;
  const auto& levels = hub_levels();
  auto panel = make_panel();
  auto other = make_panel();
  std::vector<double> scores(kExperts + 1);
  std::vector<double> moved;
  std::size_t series = 0;
  for (const Round& round : rounds()) {
    moved.clear();
    for (const double x : round.quantiles) moved.push_back(kUnit * x);
    const auto here = panel.open(series, round.quantiles);
    const auto there = other.open(series, moved);
    const auto forecast = panel.forecast(here);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const double back = other.forecast(there)[i] / kUnit;
      pcgs::bench::require(std::abs(forecast[i] - back) < 1e-8,
                           "the panel does not depend on units");
    }
    for (std::size_t k = 0; k < kExperts; ++k) {
      scores[k] += pcgs::levels::level_score(
          levels, std::span(round.quantiles).subspan(k * levels.size(), levels.size()),
          round.outcome);
    }
    scores.back() += pcgs::levels::level_score(levels, forecast, round.outcome);
    panel.learn(here, round.outcome);
    other.learn(there, kUnit * round.outcome);
    series = (series + 1) % kSeries;
  }
  pcgs::bench::require(scores.back() < *std::min_element(scores.begin(), scores.end() - 1),
                       "the panel has a lower score than the best expert");
}

void arrange(benchmark::State& state) {
  pcgs::levels::Pool pool(hub_levels(), kExperts);
  std::size_t t = 0;
  for (auto _ : state) {
    pool.arrange(rounds()[t].quantiles);
    t = (t + 1) % rounds().size();
    benchmark::ClobberMemory();
  }
}

void linear(benchmark::State& state) {
  const auto weights = made_up_weights();
  pcgs::levels::Pool pool(hub_levels(), kExperts);
  pool.arrange(rounds()[0].quantiles);
  std::vector<double> out(hub_levels().size());
  for (auto _ : state) {
    pool.linear(weights, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void time_step(benchmark::State& state) {
  auto panel = make_panel();
  std::array<std::int64_t, kSeries> open{};
  std::size_t t = 0;
  for (auto _ : state) {
    const Round* now = rounds().data() + t * kSeries;
    for (std::size_t s = 0; s < kSeries; ++s) open[s] = panel.open(s, now[s].quantiles);
    for (std::size_t s = 0; s < kSeries; ++s) panel.learn(open[s], now[s].outcome);
    t = (t + 1) % kSteps;
  }
  state.SetLabel("target: 100 us");
}

}  // namespace

namespace pcgs::bench {

void register_quantiles() {
  const std::string size =
      "/K=" + std::to_string(kExperts) + ",P=" + std::to_string(hub_levels().size());
  check_pool();
  ::benchmark::RegisterBenchmark(("quantile pool, arrange" + size).c_str(), arrange)->MinTime(0.2);
  ::benchmark::RegisterBenchmark(("quantile pool, linear" + size).c_str(), linear)->MinTime(0.2);
  check_panel();
  ::benchmark::RegisterBenchmark(("quantile panel, 4 series" + size).c_str(), time_step)
      ->MinTime(0.2)
      ->Unit(::benchmark::kMicrosecond);
}

}  // namespace pcgs::bench
