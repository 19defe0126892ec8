#include "support/allocations.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace pcgs::test {

Allocations allocations;

namespace {

constexpr std::size_t kPlain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

void* followed(std::size_t size, std::size_t alignment) {
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (p == nullptr) throw std::bad_alloc();
  ++allocations.count;
  allocations.held += malloc_usable_size(p);
  allocations.most_held = std::max(allocations.most_held, allocations.held);
  return p;
}

void let_go(void* p) {
  if (p != nullptr) allocations.held -= malloc_usable_size(p);
  std::free(p);
}

}  // namespace
}  // namespace pcgs::test

// The array and nothrow forms call these two.
void* operator new(std::size_t size) { return pcgs::test::followed(size, pcgs::test::kPlain); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return pcgs::test::followed(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { pcgs::test::let_go(p); }
void operator delete(void* p, std::size_t) noexcept { pcgs::test::let_go(p); }
void operator delete(void* p, std::align_val_t) noexcept { pcgs::test::let_go(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { pcgs::test::let_go(p); }
