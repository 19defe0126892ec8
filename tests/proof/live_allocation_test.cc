// Observing a round allocates nothing.
#include <gtest/gtest.h>

#include <vector>

#include "pcgs/certify.h"
#include "support/allocations.h"
#include "support/random.h"

namespace pcgs {
namespace {

TEST(LiveCertificate, AllocatesNothingAfterItsConstruction) {
  test::Random random(1);
  Share share(9);
  LiveCertificate live(9);
  ASSERT_GT(test::allocations.count, 0u) << "the counter must count";
  for (int t = 0; t < 100; ++t) {
    const std::vector<double> losses = random.losses(9);
    const std::vector<double> q = random.simplex(9);
    const Controls controls{4, t % 3 == 0 ? 0 : 0.1, t % 2 == 0 ? std::span<const double>() : q};
    const ShareStep& step = share.step(losses, controls);
    const std::size_t before = test::allocations.count;
    live.observe(losses, step, {0.5, 0.5, 1});
    const Certificate now = live.certificate();
    ASSERT_EQ(test::allocations.count, before) << now.bound;
  }
}

}  // namespace
}  // namespace pcgs
