// Exponentially weighted means of vectors, as tokens are made of.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace pcgs::tokens {

inline float decay_of(float span) { return 1 - 1 / (span + 1); }

// One mean of vectors, and how much to trust it.
struct RunningMean {
  float decay = 0;          // a round
  double mass = 0;          // 1 - decay^t, the sum of all weights so far
  double squared_mass = 0;  // the same of squared weights
  std::vector<float> sums;

  RunningMean(float span, std::size_t size) : decay(decay_of(span)), sums(size, 0.0f) {}

  // One more round: to be called before sums are advanced.
  void count() {
    const double d = decay;
    mass = d * mass + (1 - d);
    squared_mass = d * d * squared_mass + (1 - d) * (1 - d);
  }
  void advance(std::size_t i, float value) { sums[i] += (1 - decay) * (value - sums[i]); }
  // The factor that makes the sums a mean, times the root of how many rounds that mean is worth:
  // noise of size 1 then stays of size 1 at every span.
  float trust() const { return static_cast<float>(1 / std::sqrt(squared_mass)); }
  float to_mean() const { return static_cast<float>(1 / mass); }
  // How many rounds it is worth.
  double rounds() const { return mass * mass / squared_mass; }
};

}  // namespace pcgs::tokens
