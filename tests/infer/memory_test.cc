// A forward pass allocates nothing, and the memory it was given grows with K and not with K^2. This
// program follows every use of operator new, so it must be an executable of its own.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "infer/network.h"
#include "infer/random_model.h"

namespace {

std::size_t allocations = 0, held = 0;

void* followed(std::size_t size, std::size_t alignment) {
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (p == nullptr) throw std::bad_alloc();
  ++allocations;
  held += malloc_usable_size(p);
  return p;
}

void let_go(void* p) {
  if (p != nullptr) held -= malloc_usable_size(p);
  std::free(p);
}

constexpr std::size_t kPlain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

// The array and nothrow forms call these two.
void* operator new(std::size_t size) { return followed(size, kPlain); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return followed(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { let_go(p); }
void operator delete(void* p, std::size_t) noexcept { let_go(p); }
void operator delete(void* p, std::align_val_t) noexcept { let_go(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { let_go(p); }

namespace pcgs::infer {
namespace {

constexpr AttentionKind kKinds[] = {AttentionKind::kNone, AttentionKind::kFull,
                                    AttentionKind::kInduced};

TEST(ForwardMemory, NothingIsAllocatedToRun) {
  for (const AttentionKind kind : kKinds) {
    const Config config = test::typical_config(kind);
    const Network network(test::random_model(config, 1));
    Forward forward(network, 500);
    for (const std::size_t experts : {1u, 32u, 500u}) {
      const std::vector<float> tokens = test::random_tokens(experts, config.features, 1);
      const std::vector<float> shared = test::random_tokens(1, config.common(), 2);
      std::vector<float> logits(experts);
      const std::size_t before = allocations;
      forward.run(tokens, shared, logits);
      EXPECT_EQ(allocations - before, 0u) << experts << " experts, " << name_of(kind);
    }
  }
}

TEST(ForwardMemory, GrowsWithTheExpertsAndNotWithTheirSquare) {
  for (const AttentionKind kind : kKinds) {
    const Config config = test::typical_config(kind);
    const Network network(test::random_model(config, 1));
    const std::size_t before = held;
    const Forward forward(network, 4096);
    // x, q, k and v, and what does not depend on K.
    EXPECT_LE(held - before, 4 * 4096 * config.width * sizeof(float) + (std::size_t{128} << 10))
        << name_of(kind);
  }
}

}  // namespace
}  // namespace pcgs::infer
