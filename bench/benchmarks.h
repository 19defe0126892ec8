// The groups of benchmarks. A time counts only if the answer is right: require().
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace pcgs::bench {

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "wrong answer, not timed: %s\n", what.c_str());
  std::exit(1);
}

void register_blend();
void register_infer();
void register_learn();
void register_oracle();
void register_quantiles();

}  // namespace pcgs::bench
