// Arrays the vector kernels can read in whole registers: aligned to a cache line, padded with zeros
// to a whole number of lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace pcgs {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kPadding = kCacheLine / sizeof(double);

constexpr std::size_t padded(std::size_t n) { return (n + kPadding - 1) / kPadding * kPadding; }

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

}  // namespace pcgs
