// Observing a round allocates nothing. This program counts every use of operator new, so it must be
// an executable of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "pcgs/certify.h"
#include "support/random.h"

namespace {
std::size_t allocations = 0;
}  // namespace

// The array and nothrow forms call this one.
void* operator new(std::size_t size) {
  ++allocations;
  void* p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace pcgs {
namespace {

TEST(LiveCertificate, AllocatesNothingAfterItsConstruction) {
  test::Random random(1);
  Share share(9);
  LiveCertificate live(9);
  ASSERT_GT(allocations, 0u) << "the counter must count";
  for (int t = 0; t < 100; ++t) {
    const std::vector<double> losses = random.losses(9);
    const std::vector<double> q = random.simplex(9);
    const Controls controls{4, t % 3 == 0 ? 0 : 0.1, t % 2 == 0 ? std::span<const double>() : q};
    const ShareStep& step = share.step(losses, controls);
    const std::size_t before = allocations;
    live.observe(losses, step, {0.5, 0.5, 1});
    const Certificate now = live.certificate();
    ASSERT_EQ(allocations, before) << now.bound;
  }
}

}  // namespace
}  // namespace pcgs
