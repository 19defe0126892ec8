// A forward pass allocates nothing, and the memory it was given grows with K and not with K^2.
#include <gtest/gtest.h>

#include <vector>

#include "network/network.h"
#include "network/random_model.h"
#include "support/allocations.h"

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
      const std::size_t before = test::allocations.count;
      forward.run(tokens, shared, logits);
      EXPECT_EQ(test::allocations.count - before, 0u) << experts << " experts, " << name_of(kind);
    }
  }
}

TEST(ForwardMemory, GrowsWithTheExpertsAndNotWithTheirSquare) {
  for (const AttentionKind kind : kKinds) {
    const Config config = test::typical_config(kind);
    const Network network(test::random_model(config, 1));
    const std::size_t before = test::allocations.held;
    const Forward forward(network, 4096);
    // x, q, k and v, and what does not depend on K.
    EXPECT_LE(test::allocations.held - before,
              4 * 4096 * config.width * sizeof(float) + (std::size_t{128} << 10))
        << name_of(kind);
  }
}

}  // namespace
}  // namespace pcgs::infer
