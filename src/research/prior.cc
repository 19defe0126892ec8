// Expert k's deviation at t is a sum of parts, each of which a sequence may lack:
//
//     delta = skill + regime effect + periodic part + slow drift + AR(1) noise
//
// and the loss is either a forecast error (e - delta)^2 with a common outcome error e, or additive,
// delta + noise (+ e); both are then put into [0,1] by a scale of their own and clipped. "In [a,b]"
// below means log-uniform.
#include "research/prior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "research/random.h"

namespace pcgs::suite {

namespace {

constexpr double kTau = 2 * std::numbers::pi;

using Values = std::vector<double>;  // [T x K] or [T]

// A lasting difference between experts; in 40 % of sequences only one is good, often by far.
void add_skill(Values& delta, std::size_t rounds, std::size_t experts, Random& random) {
  const double size = random.log_uniform(0.02, 1);
  std::vector<double> skill(experts);
  for (double& s : skill) s = size * random.normal();
  if (random.chance(0.4)) {
    const std::size_t star = random.below(experts);
    // Next to zero deviation: in forecast errors the best there is.
    for (std::size_t k = 0; k < experts; ++k) skill[k] *= k == star ? 0.1 : 1.5;
  }
  for (std::size_t t = 0; t < rounds; ++t) {
    for (std::size_t k = 0; k < experts; ++k) delta[t * experts + k] += skill[k];
  }
}

// Regimes that end with a constant chance; in half of the sequences they come from eight that
// return.
void add_regimes(Values& delta, std::size_t rounds, std::size_t experts, Random& random) {
  const double size = random.log_uniform(0.1, 1.5);
  const double hazard = random.log_uniform(1.0 / 2000, 1.0 / 12);
  const bool returning = random.chance(0.5);
  constexpr std::size_t kRegimes = 8;
  std::vector<Values> regimes;
  const auto fresh = [&] {
    Values effect(experts);
    for (double& x : effect) x = size * random.normal();
    return effect;
  };
  if (returning) {
    for (std::size_t i = 0; i < kRegimes; ++i) regimes.push_back(fresh());
  } else {
    regimes.push_back(fresh());
  }
  std::size_t now = random.below(regimes.size());
  for (std::size_t t = 0; t < rounds; ++t) {
    if (random.chance(hazard)) {
      if (returning) {
        now = random.below(regimes.size());
      } else {
        regimes[0] = fresh();
      }
    }
    for (std::size_t k = 0; k < experts; ++k) delta[t * experts + k] += regimes[now][k];
  }
}

// A period with two harmonics, each expert with its own phases and sizes.
void add_periods(Values& delta, std::size_t rounds, std::size_t experts, Random& random) {
  constexpr std::array kPeriods = {7.0, 12.0, 24.0, 48.0, 96.0, 144.0, 168.0};
  const double period = kPeriods[random.below(kPeriods.size())];
  const double size = random.log_uniform(0.1, 1.5);
  for (std::size_t k = 0; k < experts; ++k) {
    for (const double harmonic : {1.0, 2.0}) {
      const double amplitude = size * random.normal() / harmonic;
      const double phase = random.unit();
      for (std::size_t t = 0; t < rounds; ++t) {
        delta[t * experts + k] +=
            amplitude * std::sin(kTau * (harmonic * static_cast<double>(t) / period + phase));
      }
    }
  }
}

void add_slow_drift(Values& delta, std::size_t rounds, std::size_t experts, Random& random) {
  const double size = random.log_uniform(0.05, 1);
  for (std::size_t k = 0; k < experts; ++k) {
    for (int i = 0; i < 3; ++i) {
      const double period = random.log_uniform(60, 960);
      const double amplitude = size * random.normal();
      const double phase = random.unit();
      for (std::size_t t = 0; t < rounds; ++t) {
        delta[t * experts + k] +=
            amplitude * std::sin(kTau * (static_cast<double>(t) / period + phase));
      }
    }
  }
}

void add_autoregression(Values& delta, std::size_t rounds, std::size_t experts, Random& random) {
  const double size = random.log_uniform(0.05, 1);
  const double phi = 0.98 * random.unit();
  const double step = std::sqrt(1 - phi * phi);
  for (std::size_t k = 0; k < experts; ++k) {
    double x = random.normal();
    for (std::size_t t = 0; t < rounds; ++t) {
      delta[t * experts + k] += size * x;
      x = phi * x + step * random.normal();
    }
  }
}

// How loud each round is: constant, periodic, wandering (log AR(1)), or both.
Values volatility(std::size_t rounds, Random& random) {
  Values loudness(rounds, 1.0);
  if (random.chance(0.4)) {
    const double period = random.chance(0.5) ? 24 : 144;
    const double depth = 0.8 * random.unit();
    for (std::size_t t = 0; t < rounds; ++t) {
      loudness[t] *= std::exp(depth * std::sin(kTau * static_cast<double>(t) / period));
    }
  }
  if (random.chance(0.4)) {
    const double size = random.log_uniform(0.1, 0.8);
    double x = random.normal();
    for (std::size_t t = 0; t < rounds; ++t) {
      loudness[t] *= std::exp(size * x);
      x = 0.98 * x + 0.2 * random.normal();
    }
  }
  return loudness;
}

double quantile(Values values, double level) {
  const auto at = static_cast<std::ptrdiff_t>(level * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

Sequence make_prior_sequence(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random("prior", seed);
  Values delta(rounds * experts, 0.0);
  add_skill(delta, rounds, experts, random);
  if (random.chance(0.6)) add_regimes(delta, rounds, experts, random);
  if (random.chance(0.35)) add_periods(delta, rounds, experts, random);
  if (random.chance(0.4)) add_slow_drift(delta, rounds, experts, random);
  if (random.chance(0.6)) add_autoregression(delta, rounds, experts, random);

  const Values loudness = volatility(rounds, random);
  const double common = random.log_uniform(0.2, 2);
  const bool heavy = random.chance(0.4);
  Values e(rounds);
  for (std::size_t t = 0; t < rounds; ++t) {
    e[t] = common * loudness[t] * (heavy ? random.student_t(3) : random.normal());
  }

  const bool forecast_error = random.chance(0.6);
  const bool shocks = random.chance(0.5);
  const double noise = random.log_uniform(0.05, 1);
  Sequence sequence{Matrix(rounds, experts), std::vector<std::uint32_t>(rounds)};
  Values& losses = sequence.losses.values;
  for (std::size_t t = 0; t < rounds; ++t) {
    const double* d = delta.data() + t * experts;
    std::size_t best = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      losses[t * experts + k] = forecast_error
                                    ? (e[t] - d[k]) * (e[t] - d[k])
                                    : d[k] + noise * random.normal() + (shocks ? e[t] : 0);
      const bool better = forecast_error ? std::abs(d[k]) < std::abs(d[best]) : d[k] < d[best];
      if (better) best = k;
    }
    sequence.path[t] = static_cast<std::uint32_t>(best);
  }
  const double low = forecast_error ? 0 : quantile(losses, 0.02);
  const double scale = std::max(quantile(losses, 0.95) - low, 1e-9) * random.log_uniform(0.5, 4);
  for (double& l : losses) l = std::clamp((l - low) / scale, 0.0, 1.0);
  return sequence;
}

Sequence make_varied_family(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random("varied family", seed);
  const auto all = families();
  const FamilyInfo& family = all[random.below(all.size())];
  const bool vary = random.chance(0.5);
  std::vector<double> values;
  for (const Option& option : family.parameters) {
    const double moved = vary ? option.standard * random.log_uniform(0.6, 1.6) : option.standard;
    values.push_back(std::clamp(moved, option.low, option.high));
  }
  return family.make(rounds, experts, seed, values);
}

}  // namespace pcgs::suite
