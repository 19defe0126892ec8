// A forward pass allocates nothing, and the memory it was given grows with K and not with K^2.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "network/network.h"
#include "network/random_model.h"
#include "reference/transformer.h"
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

// Networks that remember: against the reference over many rounds, and what a memory promises.

namespace {

class Remembering : public ::testing::TestWithParam<AttentionKind> {
 protected:
  static Config with_memory(Config config, std::size_t channels) {
    config.memory = channels;
    return config;
  }
};

INSTANTIATE_TEST_SUITE_P(Attention, Remembering,
                         ::testing::Values(AttentionKind::kNone, AttentionKind::kFull,
                                           AttentionKind::kInduced),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

struct Outputs {
  std::vector<float> logits;
  Pooled pooled;

  bool operator==(const Outputs& other) const {
    return logits == other.logits && pooled.restart == other.pooled.restart &&
           pooled.rate == other.pooled.rate;
  }
};

// A network with its memory, shown one round after another.
struct Player {
  Player(const Network& its_network, std::size_t experts)
      : network(its_network), forward(network, experts), memory(network.config(), experts) {}

  Outputs round(std::uint64_t number) {
    Outputs out{std::vector<float>(memory.experts()), {}};
    out.pooled = forward.run(tokens(number), shared(number), out.logits, &memory);
    return out;
  }
  std::vector<float> tokens(std::uint64_t number) const {
    return test::random_tokens(memory.experts(), network.config().features, 2 * number);
  }
  std::vector<float> shared(std::uint64_t number) const {
    return test::random_tokens(1, network.config().common(), 2 * number + 1);
  }

  const Network& network;
  Forward forward;
  Memory memory;
};

void expect_reference(const Config& config, std::size_t experts, std::uint64_t rounds) {
  constexpr double kTolerance = 2e-5;
  const Model model = test::random_model(config, 1);
  const Network network(model);
  Player player(network, experts);
  reference::TransformerMemory remembered;
  for (std::uint64_t t = 0; t < rounds; ++t) {
    const auto expected =
        reference::transformer(model, player.tokens(t), player.shared(t), remembered);
    const Outputs found = player.round(t);
    ASSERT_NEAR(found.pooled.restart, expected.restart, kTolerance) << "round " << t;
    ASSERT_NEAR(found.pooled.rate, expected.rate, kTolerance) << "round " << t;
    for (std::size_t k = 0; k < experts; ++k) {
      ASSERT_NEAR(found.logits[k], expected.logits[k], kTolerance)
          << "expert " << k << ", round " << t;
    }
  }
}

TEST_P(Remembering, MatchesTheReference) {
  for (const std::size_t experts : {1u, 16u, 33u}) {
    expect_reference(with_memory(test::typical_config(GetParam()), 64), experts, 12);
  }
}

TEST_P(Remembering, MatchesTheReferenceAtOddSizes) {
  for (const std::size_t channels : {1u, 7u, 40u}) {
    expect_reference(with_memory(test::odd_config(GetParam()), channels), 19, 12);
  }
}

TEST_P(Remembering, MatchesTheReferenceOnEveryInstructionSet) {
  const auto use = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);  // 0: all
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    SCOPED_TRACE(hwy::TargetName(left & -left));
    use(left & -left);
    expect_reference(with_memory(test::typical_config(GetParam()), 64), 21, 5);
  }
  use(0);
}

TEST_P(Remembering, WhatWasBeforeMatters) {
  const Config config = with_memory(test::typical_config(GetParam()), 64);
  const Network network(test::random_model(config, 2));
  Player fresh(network, 20), used(network, 20);
  used.round(1);
  EXPECT_FALSE(fresh.round(2) == used.round(2));
}

TEST_P(Remembering, GoesOnFromACopyToTheBit) {
  const Config config = with_memory(test::odd_config(GetParam()), 11);
  const Network network(test::random_model(config, 3));
  for (const std::size_t experts : {1u, 16u, 45u}) {
    Player straight(network, experts), resumed(network, experts);
    for (std::uint64_t t = 0; t < 5; ++t) straight.round(t);
    std::vector<float> kept(straight.memory.size());
    straight.memory.copy_to(kept);
    resumed.memory.copy_from(kept);
    for (std::uint64_t t = 5; t < 9; ++t) EXPECT_TRUE(straight.round(t) == resumed.round(t));
  }
}

TEST_P(Remembering, StaysFiniteWithinItsLimit) {
  const Config config = with_memory(test::typical_config(GetParam()), 64);
  Model large = test::random_model(config, 8);
  for (auto& [name, tensor] : large.tensors) {
    for (float& value : tensor.values) value = value < 0 ? -kLargestWeight : kLargestWeight;
  }
  const Network network(large);
  constexpr float kMost = std::numeric_limits<float>::max();
  for (const float size : {0.0f, 1.0f, 1e20f, kMost / 2}) {
    Player player(network, 40);
    for (std::uint64_t t = 0; t < 4; ++t) {
      auto tokens = player.tokens(t), shared = player.shared(t);
      for (float& x : tokens) x *= size / 2;
      for (float& x : shared) x *= size / 2;
      std::vector<float> logits(40);
      const Pooled pooled = player.forward.run(tokens, shared, logits, &player.memory);
      EXPECT_TRUE(std::isfinite(pooled.restart) && std::isfinite(pooled.rate));
      EXPECT_TRUE(
          std::all_of(logits.begin(), logits.end(), [](float s) { return std::isfinite(s); }));
      std::vector<float> kept(player.memory.size());
      player.memory.copy_to(kept);
      EXPECT_TRUE(std::all_of(kept.begin(), kept.end(),
                              [](float h) { return std::abs(h) <= kLargestMemory; }));
    }
  }
}

}  // namespace

}  // namespace pcgs::infer
