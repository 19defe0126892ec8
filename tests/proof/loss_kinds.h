// Kinds of loss sequences that certificates must hold on, the last one chosen against the learner.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "research/suite.h"
#include "support/random.h"

namespace pcgs::test {

enum class LossKind {
  kRandom,
  kSwitching,
  kAllZero,
  kAllOne,
  kAlternating,
  kSpikes,
  kDrifting,
  kAdversarial,
};
inline constexpr LossKind kLossKinds[] = {
    LossKind::kRandom,      LossKind::kSwitching, LossKind::kAllZero,  LossKind::kAllOne,
    LossKind::kAlternating, LossKind::kSpikes,    LossKind::kDrifting, LossKind::kAdversarial};

inline std::string name_of(LossKind kind) {
  constexpr const char* kNames[] = {"random",      "switching", "all 0",    "all 1",
                                    "alternating", "spikes",    "drifting", "adversarial"};
  return kNames[static_cast<std::size_t>(kind)];
}

class Losses {
 public:
  Losses(LossKind kind, std::size_t rounds, std::size_t experts, std::uint64_t seed)
      : kind_(kind), experts_(experts), random_(seed), level_(experts, 0.5) {
    if (kind == LossKind::kSwitching) {
      switching_ = suite::generate("switch", rounds, experts, seed).losses;
    }
  }

  // [K] for round t = 0, 1, ...; `weights` are what the learner is about to play.
  std::vector<double> next(std::size_t t, std::span<const double> weights) {
    std::vector<double> out(experts_, 0.0);
    switch (kind_) {
      case LossKind::kRandom:
        return random_.losses(experts_);
      case LossKind::kSwitching:
        return {switching_.row(t).begin(), switching_.row(t).end()};
      case LossKind::kAllZero:
        return out;
      case LossKind::kAllOne:
        return std::vector<double>(experts_, 1.0);
      case LossKind::kAlternating:  // good and bad in turn, half of the experts at a time
        for (std::size_t k = 0; k < experts_; ++k) out[k] = (t + k) % 2 == 0 ? 1 : 0;
        return out;
      case LossKind::kSpikes:  // next to nothing, and now and then everything
        for (double& l : out) l = random_.chance(0.05) ? 1 : 1e-3 * random_.uniform();
        return out;
      case LossKind::kDrifting:  // a random walk for each expert
        for (std::size_t k = 0; k < experts_; ++k) {
          level_[k] = std::clamp(level_[k] + random_.uniform(-0.1, 0.1), 0.0, 1.0);
        }
        return level_;
      case LossKind::kAdversarial:  // 1 for whoever the learner trusts more than average
        for (std::size_t k = 0; k < experts_; ++k) {
          out[k] = weights[k] * static_cast<double>(experts_) >= 1 ? 1 : 0;
        }
        return out;
    }
    return out;
  }

 private:
  LossKind kind_;
  std::size_t experts_;
  Random random_;
  std::vector<double> level_;
  Matrix switching_;
};

struct LossCase {
  std::uint64_t seed;
  Random random;  // goes on where the sizes were drawn
  std::size_t experts, rounds;
  Losses losses;
};

// Checks this many cases of every kind, of random sizes.
inline void on_every_kind(std::uint64_t seeds, std::size_t most_experts, std::size_t most_rounds,
                          const std::function<void(LossCase&)>& check) {
  for (const LossKind kind : kLossKinds) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE(name_of(kind) + ", seed " + std::to_string(seed));
      Random random(seed);
      const std::size_t experts = 1 + random.below(most_experts);
      const std::size_t rounds = 1 + random.below(most_rounds);
      LossCase one = {seed, random, experts, rounds, Losses(kind, rounds, experts, seed)};
      check(one);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace pcgs::test
