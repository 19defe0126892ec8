// A series is a sum of parts, each of which it may lack:
//
//     daily profile (stronger or weaker on some days, slowly changing) + correlated noise
//     + level shifts + a wandering level + bursts (something is switched on for a while)
//
// and in a third of the series its exponential, as for quantities that cannot be negative. "In
// [a,b]" below means log-uniform.
#include "prior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "research/suite.h"

namespace pcgs::train {

namespace {

using suite::Random;

constexpr double kTau = 2 * std::numbers::pi;
constexpr std::size_t kDays = 7;

using Values = std::vector<double>;

void add_profile(Values& y, std::size_t day, Random& random) {
  constexpr int kHarmonics = 5;
  const double size = random.log_uniform(0.2, 3);
  std::array<double, kHarmonics> amplitude, phase;
  for (std::size_t h = 0; h < kHarmonics; ++h) {
    amplitude[h] = size * random.normal() / static_cast<double>(h + 1);
    phase[h] = random.unit();
  }
  // Days of the week differ in half of the series; the two last ones more than the others.
  std::array<double, kDays> strength, level;
  const bool weekly = random.chance(0.5);
  const double difference = weekly ? random.log_uniform(0.05, 0.5) : 0;
  for (std::size_t i = 0; i < kDays; ++i) {
    const double more = i + 2 >= kDays ? 2 : 0.5;
    strength[i] = 1 + difference * more * random.normal();
    level[i] = difference * more * size * random.normal();
  }
  // A slow change of strength, as with the seasons of a year.
  const double swing = 0.5 * random.unit();
  const double slow = random.log_uniform(20, 400) * static_cast<double>(day);
  const double start = random.unit();
  for (std::size_t t = 0; t < y.size(); ++t) {
    const std::size_t of_week = (t / day) % kDays;
    const double at = static_cast<double>(t % day) / static_cast<double>(day);
    double profile = 0;
    for (std::size_t h = 0; h < kHarmonics; ++h) {
      profile += amplitude[h] * std::sin(kTau * (static_cast<double>(h + 1) * at + phase[h]));
    }
    const double season = 1 + swing * std::sin(kTau * (static_cast<double>(t) / slow + start));
    y[t] += season * (strength[of_week] * profile + level[of_week]);
  }
}

// AR(1), or smoother: an AR(1) driven by another. Loud at some hours, loud for a while, heavy
// tails.
void add_noise(Values& y, std::size_t day, Random& random) {
  const double phi = 1 - random.log_uniform(0.005, 1);
  const double again = random.chance(0.5) ? 1 - random.log_uniform(0.05, 1) : 0;
  const bool heavy = random.chance(0.4);
  const double by_hour = random.chance(0.5) ? random.unit() : 0;
  const double phase = random.unit();
  const double wander = random.chance(0.4) ? random.log_uniform(0.1, 0.8) : 0;
  const double size = std::sqrt((1 - phi * phi) * (1 - again * again));
  double x = 0, driver = 0, loud = random.normal();
  for (std::size_t t = 0; t < y.size(); ++t) {
    const double hour = static_cast<double>(t % day) / static_cast<double>(day);
    const double now = std::exp(by_hour * std::sin(kTau * (hour + phase)) + wander * loud);
    const double z = heavy ? random.student_t(3) / std::numbers::sqrt3 : random.normal();
    driver = again * driver + size * now * z;
    x = phi * x + driver;
    loud = 0.99 * loud + 0.14 * random.normal();
    y[t] += x;
  }
}

void add_shifts(Values& y, Random& random) {
  const double hazard = random.log_uniform(1.0 / 5000, 1.0 / 200);
  const double size = random.log_uniform(0.3, 3);
  double level = 0;
  for (double& value : y) {
    if (random.chance(hazard)) level = size * random.normal();
    value += level;
  }
}

void add_wandering_level(Values& y, Random& random) {
  const double step = random.log_uniform(0.003, 0.3);
  double level = 0;
  for (double& value : y) {
    level += step * random.normal();
    value += level;
  }
}

void add_bursts(Values& y, Random& random) {
  const double begins = random.log_uniform(1.0 / 200, 1.0 / 5), ends = random.log_uniform(0.1, 1);
  const double size = random.log_uniform(0.5, 5);
  double height = 0;
  for (double& value : y) {
    if (height > 0 ? random.chance(ends) : random.chance(begins)) {
      height = height > 0 ? 0 : size * random.log_uniform(0.5, 2);
    }
    value += height;
  }
}

}  // namespace

std::vector<double> make_series(std::size_t rounds, std::size_t day, std::uint64_t seed) {
  Random random("series", seed);
  Values y(rounds, 0.0);
  if (random.chance(0.8)) add_profile(y, day, random);
  add_noise(y, day, random);
  if (random.chance(0.25)) add_shifts(y, random);
  if (random.chance(0.25)) add_wandering_level(y, random);
  if (random.chance(0.25)) add_bursts(y, random);
  if (random.chance(1.0 / 3)) {
    const double strength = random.log_uniform(0.1, 0.6);
    for (double& value : y) value = std::exp(strength * std::min(value, 20.0));
  }
  return y;
}

// Expert k's deviation at t is a sum of parts, each of which a sequence may lack:
//
//     delta = skill + regime effect + periodic part + slow drift + AR(1) noise
//
// and the loss is either a forecast error (e - delta)^2 with a common outcome error e, or additive,
// delta + noise (+ e); both are then put into [0,1] by a scale of their own and clipped. "In [a,b]"
// below means log-uniform.

namespace {

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

Matrix make_prior_losses(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
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
  Matrix made(rounds, experts);
  Values& losses = made.values;
  for (std::size_t t = 0; t < rounds; ++t) {
    const double* d = delta.data() + t * experts;
    for (std::size_t k = 0; k < experts; ++k) {
      losses[t * experts + k] = forecast_error
                                    ? (e[t] - d[k]) * (e[t] - d[k])
                                    : d[k] + noise * random.normal() + (shocks ? e[t] : 0);
    }
  }
  const double low = forecast_error ? 0 : quantile(losses, 0.02);
  const double scale = std::max(quantile(losses, 0.95) - low, 1e-9) * random.log_uniform(0.5, 4);
  for (double& l : losses) l = std::clamp((l - low) / scale, 0.0, 1.0);
  return made;
}

Matrix make_varied_family(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random("varied family", seed);
  const auto all = suite::families();
  const suite::FamilyInfo& family = all[random.below(all.size())];
  const bool vary = random.chance(0.5);
  std::vector<double> values;
  for (const Option& option : family.parameters) {
    const double moved = vary ? option.standard * random.log_uniform(0.6, 1.6) : option.standard;
    values.push_back(std::clamp(moved, option.low, option.high));
  }
  return family.make(rounds, experts, seed, values).losses;
}

}  // namespace pcgs::train
