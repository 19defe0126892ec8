// Vector arithmetic over experts, compiled for each instruction set and chosen at run time; the arrays that it
// reads in whole registers; and what combinations and medians over experts are made with.
//
// The plain loops that these must agree with are in tests/reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace pcgs {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kPadding = kCacheLine / sizeof(double);

constexpr std::size_t padded(std::size_t n) { return (n + kPadding - 1) / kPadding * kPadding; }

// Aligned to a cache line; with padded() sizes, the rest being zeros, whole registers can be read everywhere.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: allocators must convert
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kCacheLine}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kCacheLine}); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

using AlignedVector = std::vector<double, AlignedAllocator<double>>;

// The instruction set that the kernels compute with on this machine: "AVX2". Sums have other last bits on another.
std::string instruction_set();

}  // namespace pcgs

namespace pcgs::kernels {

// Below this a weight moves from the mantissa into the debt (see Share). Its square is still a
// normal double, so a product of two plain weights never loses bits to underflow.
inline constexpr double kSmallestPlain = 1e-140;

// The state of a Share: each array aligned to 64 bytes and padded with zeros to a multiple of 8.
struct ShareArrays {
  double* mantissa;
  double* debt;
  double* weights;
};

struct ShareSums {
  double minus_log_z;  // -ln sum_k w(k) exp(-eta l(k))
  double mean_loss;    // <w, l>
  double total;        // sum of the new weights
  double least;        // the smallest new weight
};

// One step of the recursion on `experts` entries. `losses` and `q` need no alignment or padding;
// q null means uniform. A restart that leaves a weight below kSmallestPlain is left out.
ShareSums share_step(const ShareArrays& arrays, const double* losses, std::size_t experts,
                     double eta, double rho, const double* q);

// The same for weights that are all at least kSmallestPlain, which is nearly always, at less than
// half the cost. Returns false and leaves `weights` alone when the step would make one smaller, or
// when it needs the care of share_step for another reason. `scratch` is overwritten.
bool share_step_plain(double* weights, double* scratch, const double* losses, std::size_t experts,
                      double eta, double rho, const double* q, ShareSums& sums);

double dot(std::span<const double> a, std::span<const double> b);

// Whether every number lies in [low, high]; a NaN does not. Requires low <= high.
bool all_within(std::span<const double> x, double low, double high);

struct Range {
  double low, high;
};
// Of numbers, at least one.
Range range_of(std::span<const double> x);

struct SoftminSums {
  double minimum;  // min_k x(k)
  double log_sum;  // ln sum_k exp(-scale (x(k) - minimum))
};

// out(k) = exp(-scale (x(k) - minimum)) / sum, on the simplex. Requires scale >= 0, x not empty and
// finite. `out` may be x itself.
SoftminSums softmin(std::span<const double> x, double scale, std::span<double> out);

}  // namespace pcgs::kernels

namespace pcgs {

// None negative or NaN, and their sum is this.
inline bool adds_up(std::span<const double> values, double total, double tolerance) {
  double sum = 0;
  for (const double x : values) {
    if (!(x >= 0)) return false;
    sum += x;
  }
  return std::abs(sum - total) <= tolerance;
}

inline bool on_simplex(std::span<const double> values, double tolerance = 1e-9) {
  return adds_up(values, 1, tolerance);
}

// The range of some forecasts, which no combination of them leaves.
//
// Weights sum to 1 up to rounding only, and so a sum of products may be a probability above 1, whose
// log loss is no number, or infinite where forecasts are near the largest double. Every combination
// is therefore held in the range of what it combines.
class ForecastRange {
 public:
  ForecastRange() = default;
  explicit ForecastRange(std::span<const double> forecasts);  // at least one

  void add(double forecast) {
    low_ = std::min(low_, forecast);
    high_ = std::max(high_, forecast);
  }
  // The nearest number in it. Requires a forecast.
  double hold(double combination) const { return std::clamp(combination, low_, high_); }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

// <weights, forecasts>, in the range of the forecasts of those awake: at least one. A sleeper's
// weight is 0, and its forecast any finite number.
double combined_forecast(std::span<const double> weights, std::span<const double> forecasts,
                         std::span<const std::uint8_t> awake);

// The number that would stand in a certain place if others were sorted. Medians over the experts are
// part of every round, where std::nth_element would be half of the time: it guesses branches.
//
// The n-th smallest, from 0; the numbers are left in another order. Requires n < size, no NaN.
double order_statistic(std::span<double> numbers, std::size_t n);

// The larger of the two middle ones where their count is even, and the smaller. Require at least one.
inline double upper_median(std::span<double> numbers) {
  return order_statistic(numbers, numbers.size() / 2);
}
inline double lower_median(std::span<double> numbers) {
  return order_statistic(numbers, (numbers.size() - 1) / 2);
}

}  // namespace pcgs
