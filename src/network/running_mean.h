// Exponentially weighted means of vectors, as tokens are made of.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "pcgs/state.h"

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

  void save(StateWriter& out) const;
  // Of a number for each expert; a newcomer's is 0, or that of a middling expert.
  enum class Newcomer { kZero, kMiddling };
  void save_experts(StateWriter& out, Newcomer newcomer) const;
  // Of numbers in [low, high]: means then stay within them, and what is saved later can be loaded
  // again.
  void load(StateReader& in, double low, double high);
};

void save_floats(StateWriter& out, std::span<const float> values);
// Rows of a number for each expert.
void save_expert_floats(StateWriter& out, std::span<const float> values, float fresh);
// Rows of weights of filters that restart uniformly, at least at this rate.
void save_filters(StateWriter& out, std::span<const float> weights, float least_rho);
void load_floats(StateReader& in, std::span<float> values, double low, double high);

}  // namespace pcgs::tokens
