// Vector arithmetic over experts, compiled for each instruction set and chosen at run time; and the arrays that it
// reads in whole registers.
//
// The plain loops that these must agree with are in tests/reference.
#pragma once

#include <cstddef>
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
