#include "varied_series.h"

#include <algorithm>
#include <cmath>

#include "prior.h"

namespace pcgs::train {

namespace {

using suite::Random;

// Days begin earlier or later and are larger or smaller than the law has it, as where people get up.
void unsettle(std::vector<double>& series, std::size_t day, Random& random) {
  const double late = random.log_uniform(0.005, 0.15) * static_cast<double>(day);
  const double larger = random.log_uniform(0.02, 0.5);
  const std::vector<double> law = series;
  const auto last = static_cast<double>(law.size() - 1);
  for (std::size_t from = 0; from < series.size(); from += day) {
    const double shift = late * random.normal(), factor = std::exp(larger * random.normal());
    for (std::size_t t = from; t < std::min(from + day, series.size()); ++t) {
      const double at = std::clamp(static_cast<double>(t) + shift, 0.0, last);
      series[t] = factor * law[static_cast<std::size_t>(at)];
    }
  }
}

// Less the mean, by the standard deviation.
void standardise(std::vector<double>& series) {
  const auto n = static_cast<double>(series.size());
  double mean = 0, square = 0;
  for (const double y : series) mean += y / n;
  for (const double y : series) square += (y - mean) * (y - mean) / n;
  for (double& y : series) y = (y - mean) / std::sqrt(square + 1e-300);
}

}  // namespace

std::vector<double> varied_series(std::size_t length, std::size_t day, std::uint64_t seed,
                                  Random& random) {
  std::vector<double> series = make_series(length, day, seed);
  if (random.chance(0.3)) {
    std::vector<double> other = make_series(length, day, random.below(std::size_t{1} << 62));
    standardise(series);
    standardise(other);
    const double hazard = random.log_uniform(0.5, 6) / static_cast<double>(length);
    const double level = random.normal();
    bool changed = false;
    for (std::size_t t = 0; t < length; ++t) {
      if (random.chance(hazard)) changed = !changed;
      if (changed) series[t] = other[t] + level;
    }
  }
  if (random.chance(0.5)) unsettle(series, day, random);
  return series;
}

}  // namespace pcgs::train
