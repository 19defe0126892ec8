// A series is a sum of parts, each of which it may lack:
//
//     daily profile (stronger or weaker on some days, slowly changing) + correlated noise
//     + level shifts + a wandering level + bursts (something is switched on for a while)
//
// and in a third of the series its exponential, as for quantities that cannot be negative. "In
// [a,b]" below means log-uniform.
#include "research/series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "research/random.h"

namespace pcgs::suite {

namespace {

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

}  // namespace pcgs::suite
