// The oracle in states (round x budget x expert) per second on one core, beside the plain loop that
// anyone would write and beside the machine's limit for this work: a loop over the same memory that
// only loads, adds, takes a minimum and stores.
//
// Before anything is timed, values and path are checked against the plain loop.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "core/kernels.h"
#include "pcgs/oracle.h"
#include "research/suite.h"

namespace {

using pcgs::Matrix;

struct Size {
  std::size_t rounds, experts, switches;
};

const Matrix& losses(const Size& size) {
  static std::vector<std::pair<Size, Matrix>> made;
  for (const auto& [known, matrix] : made) {
    if (known.rounds == size.rounds && known.experts == size.experts) return matrix;
  }
  made.reserve(64);  // references stay valid
  made.emplace_back(size, pcgs::suite::generate("switch", size.rounds, size.experts, 1).losses);
  return made.back().second;
}

// The recursion as it is written down, with best and second-best of the row below.
double plain_oracle(const Matrix& l, std::size_t switches) {
  const std::size_t experts = l.columns;
  std::vector<double> dp((switches + 1) * experts);
  for (std::size_t s = 0; s <= switches; ++s) {
    std::copy_n(l.values.begin(), experts, dp.begin() + static_cast<std::ptrdiff_t>(s * experts));
  }
  for (std::size_t t = 1; t < l.rows; ++t) {
    const double* loss = l.row(t).data();
    for (std::size_t s = switches; s >= 1; --s) {
      double* row = dp.data() + s * experts;
      const double* below = row - experts;
      double best = std::numeric_limits<double>::infinity();
      double second = best;
      std::size_t arg = 0;
      for (std::size_t k = 0; k < experts; ++k) {
        if (below[k] < best) {
          second = best;
          best = below[k];
          arg = k;
        } else {
          second = std::min(second, below[k]);
        }
      }
      for (std::size_t k = 0; k < experts; ++k) {
        row[k] = std::min(row[k], k == arg ? second : best) + loss[k];
      }
    }
    for (std::size_t k = 0; k < experts; ++k) dp[k] += loss[k];
  }
  return *std::min_element(dp.end() - static_cast<std::ptrdiff_t>(experts), dp.end());
}

void check(const Size& size) {
  const Matrix& l = losses(size);
  const double expected = plain_oracle(l, size.switches);
  const auto path = pcgs::switching_path(l, size.switches);
  double along = 0;
  for (std::size_t t = 0; t < l.rows; ++t) along += l.row(t)[path.experts[t]];
  pcgs::bench::require(pcgs::switching_oracle(l, size.switches).back() == expected,
                       "the oracle's value is the plain loop's");
  pcgs::bench::require(along == expected, "the path attains the value");
}

void count_states(benchmark::State& state, const Size& size) {
  state.counters["states/s"] =
      benchmark::Counter(static_cast<double>(size.rounds * size.experts * (size.switches + 1)),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void value(benchmark::State& state, Size size) {
  const Matrix& l = losses(size);
  for (auto _ : state) benchmark::DoNotOptimize(pcgs::switching_oracle(l, size.switches));
  count_states(state, size);
}

void path(benchmark::State& state, Size size) {
  const Matrix& l = losses(size);
  for (auto _ : state) benchmark::DoNotOptimize(pcgs::switching_path(l, size.switches));
  count_states(state, size);
}

void plain(benchmark::State& state, Size size) {
  const Matrix& l = losses(size);
  for (auto _ : state) benchmark::DoNotOptimize(plain_oracle(l, size.switches));
  count_states(state, size);
}

// The same traffic without the search for the best: what the memory and the adders allow.
#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void touch(double* __restrict row, const double* __restrict loss, double below, std::size_t n) {
  row = static_cast<double*>(__builtin_assume_aligned(row, pcgs::kCacheLine));
  for (std::size_t k = 0; k < n; ++k) row[k] = (row[k] < below ? row[k] : below) + loss[k];
}

void limit(benchmark::State& state, Size size) {
  const Matrix& l = losses(size);
  const std::size_t stride = pcgs::padded(size.experts);
  pcgs::AlignedVector dp((size.switches + 1) * stride);
  constexpr std::size_t kRounds = 16;  // a row stays in the first-level cache for so long
  for (auto _ : state) {
    for (std::size_t start = 0; start < l.rows; start += kRounds) {
      const std::size_t end = std::min(start + kRounds, l.rows);
      for (std::size_t s = 0; s <= size.switches; ++s) {
        for (std::size_t t = start; t < end; ++t) {
          touch(dp.data() + s * stride, l.row(t).data(), static_cast<double>(t), size.experts);
        }
      }
    }
    benchmark::DoNotOptimize(dp.data());
    benchmark::ClobberMemory();
  }
  count_states(state, size);
}

}  // namespace

namespace pcgs::bench {

void register_oracle() {
  const auto name = [](const char* what, const Size& size) {
    return "oracle " + std::string(what) + "/T=" + std::to_string(size.rounds) +
           "/K=" + std::to_string(size.experts) + "/S=" + std::to_string(size.switches);
  };
  const auto add = [&](const char* what, void (*run)(benchmark::State&, Size), const Size& size) {
    ::benchmark::RegisterBenchmark(name(what, size).c_str(), run, size)->MinTime(0.05);
  };
  for (const Size& size : {Size{600, 1024, 12}, Size{6000, 1024, 20}, Size{6000, 32, 20}}) {
    check(size);
    add("value", value, size);
    add("value and path", path, size);
    add("plain loop", plain, size);
    add("limit", limit, size);
  }
  // Each of T, K and S doubled: the time must double too.
  for (const Size& size :
       {Size{3000, 128, 16}, Size{6000, 128, 16}, Size{12000, 128, 16}, Size{3000, 256, 16},
        Size{3000, 512, 16}, Size{3000, 128, 33}, Size{3000, 128, 67}}) {
    check(size);
    add("growth", value, size);
  }
}

}  // namespace pcgs::bench
