#include <benchmark/benchmark.h>

#include "benchmarks.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  pcgs::bench::register_blend();
  pcgs::bench::register_infer();
  pcgs::bench::register_learn();
  pcgs::bench::register_oracle();
  pcgs::bench::register_quantiles();
  benchmark::RunSpecifiedBenchmarks();
}
