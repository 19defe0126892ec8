// Plain weights over the awake, and what a derived expert without memory saves.
#pragma once

#include "combine/derived.h"

namespace pcgs::blend {

// Derived experts that learn nothing.
class Memoryless : public Derived {
 public:
  void observe(const Seen&, std::span<const double>, double, double) override {}
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
};

inline std::size_t count_awake(const Seen& seen) {
  std::size_t n = 0;
  for (const auto a : seen.awake) n += a;
  return n;
}

// All of the awake alike.
inline void add_even_weights(const Seen& seen, double share, std::span<double> weights) {
  const double each = share / static_cast<double>(count_awake(seen));
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (seen.awake[k] != 0) weights[k] += each;
  }
}

}  // namespace pcgs::blend
