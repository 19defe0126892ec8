// Random numbers for tests: the same on every platform, because only the raw output of the
// generator is used and never a distribution of the standard library.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace pcgs::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // In [0,1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // In [low,high), every factor equally likely.
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool chance(double probability) { return uniform() < probability; }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

  // [n] in [0,1).
  std::vector<double> losses(std::size_t n) {
    std::vector<double> out(n);
    for (double& l : out) l = uniform();
    return out;
  }
  // [n] a distribution, some entries 0.
  std::vector<double> simplex(std::size_t n) {
    std::vector<double> out(n);
    double sum = 0;
    for (double& x : out) sum += x = chance(0.2) ? 0 : -std::log(1 - uniform());
    if (sum == 0) sum = out[below(n)] = 1;
    for (double& x : out) x /= sum;
    return out;
  }
  // [n] 1 for awake, with this probability each; at least one is.
  std::vector<std::uint8_t> awake(std::size_t n, double probability) {
    std::vector<std::uint8_t> out(n);
    for (std::uint8_t& a : out) a = chance(probability);
    out[below(n)] = 1;
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

// A round as tests make it up.
struct Made {
  std::vector<double> forecasts;
  double y = 0;
};

// Losses whose best expert changes every `regime` rounds, so that weights keep moving.
class ShiftingLosses {
 public:
  ShiftingLosses(std::size_t experts, std::uint64_t seed, std::size_t regime = 15)
      : experts_(experts), regime_(regime), random_(seed) {}

  std::vector<double> next() {
    if (round_++ % regime_ == 0) best_ = random_.below(experts_);
    std::vector<double> out = random_.losses(experts_);
    out[best_] *= 0.2;
    return out;
  }

 private:
  std::size_t experts_, regime_;
  std::size_t round_ = 0, best_ = 0;
  Random random_;
};

}  // namespace pcgs::test
