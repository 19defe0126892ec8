#include "network/network.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "network/random_model.h"
#include "reference/transformer.h"
#include "support/expect.h"

namespace pcgs::infer {
namespace {

constexpr double kTolerance = 1e-5;

struct Outputs {
  std::vector<float> logits;
  Pooled pooled;
};

Outputs run(const Network& network, const std::vector<float>& tokens,
            const std::vector<float>& shared) {
  const std::size_t experts = tokens.size() / network.config().features;
  Outputs outputs{std::vector<float>(experts), {}};
  outputs.pooled = Forward(network, experts).run(tokens, shared, outputs.logits);
  return outputs;
}

bool operator==(const Outputs& a, const Outputs& b) {
  return a.logits == b.logits && a.pooled.restart == b.pooled.restart &&
         a.pooled.rate == b.pooled.rate;
}

class Forwards : public ::testing::TestWithParam<AttentionKind> {
 protected:
  static void expect_reference(const Config& config, const std::vector<std::size_t>& counts) {
    const Model model = test::random_model(config, 1);
    const Network network(model);
    for (const std::size_t experts : counts) {
      const auto tokens = test::random_tokens(experts, config.features, experts);
      const auto shared = test::random_tokens(1, config.common(), experts + 1);
      const Outputs outputs = run(network, tokens, shared);
      const auto expected = reference::transformer(model, tokens, shared);
      const auto error = [](float found, double exact) {
        return std::abs(static_cast<double>(found) - exact);
      };
      double worst = std::max(error(outputs.pooled.restart, expected.restart),
                              error(outputs.pooled.rate, expected.rate));
      for (std::size_t k = 0; k < experts; ++k) {
        worst = std::max(worst, error(outputs.logits[k], expected.logits[k]));
      }
      EXPECT_LE(worst, kTolerance) << experts << " experts";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Attention, Forwards,
                         ::testing::Values(AttentionKind::kNone, AttentionKind::kFull,
                                           AttentionKind::kInduced),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(Forwards, MatchesTheReference) {
  expect_reference(test::typical_config(GetParam()),
                   {1, 2, 7, 16, 17, 32, 33, 100, 128, 129, 1024});
}

TEST_P(Forwards, MatchesTheReferenceAtOddSizes) {
  expect_reference(test::odd_config(GetParam()), {1, 2, 7, 32, 100, 300});
  Config config = test::odd_config(GetParam());
  config.width = 48;
  config.hidden = 100;
  config.inducing = 21;  // more than a panel
  expect_reference(config, {1, 31, 150});
}

TEST_P(Forwards, MatchesTheReferenceAtEveryWidthOfAHead) {
  for (std::size_t width = 1; width <= 18; ++width) {
    expect_reference(test::config_of(GetParam(), {.features = 3, .shared = 2, .side = width - 1},
                                     {.width = 2 * width,
                                      .heads = 2,
                                      .hidden = width,
                                      .inducing = width,
                                      .pool_hidden = width}),
                     {width, 20});
  }
  expect_reference(
      test::config_of(
          GetParam(), {.features = 64},
          {.width = 256, .heads = 1, .hidden = 256, .inducing = 40, .pool_hidden = 100}),
      {9});
}

// The reference does not know instruction sets: this runs the kernels of all that the machine has.
TEST_P(Forwards, MatchesTheReferenceOnEveryInstructionSet) {
  const auto use = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);  // 0: all
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t left = all; left != 0; left &= left - 1) {
    SCOPED_TRACE(hwy::TargetName(left & -left));
    use(left & -left);
    expect_reference(test::odd_config(GetParam()), {1, 17, 150});
    expect_reference(test::typical_config(GetParam()), {32});
  }
  use(0);
}

TEST_P(Forwards, WorksWithoutLayers) {
  Config config = test::typical_config(GetParam());
  config.layers = 0;
  expect_reference(config, {1, 20});
}

TEST_P(Forwards, PermutesLogitsWithTheExpertsAndKeepsTheRest) {
  const std::size_t experts = 150;
  const Config config = test::typical_config(GetParam());
  const Network network(test::random_model(config, 2));
  const auto tokens = test::random_tokens(experts, config.features, 3);
  std::vector<std::size_t> order(experts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  test::Random random(4);
  for (std::size_t k = experts; k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
  std::vector<float> permuted;
  for (const std::size_t k : order) {
    const auto row = std::span(tokens).subspan(k * config.features, config.features);
    permuted.insert(permuted.end(), row.begin(), row.end());
  }
  const auto shared = test::random_tokens(1, config.common(), 5);
  const Outputs a = run(network, tokens, shared);
  const Outputs b = run(network, permuted, shared);
  EXPECT_NEAR(a.pooled.restart, b.pooled.restart, kTolerance);
  EXPECT_NEAR(a.pooled.rate, b.pooled.rate, kTolerance);
  for (std::size_t k = 0; k < experts; ++k) {
    EXPECT_NEAR(a.logits[order[k]], b.logits[k], kTolerance) << "expert " << k;
    // A token that sees no other is the same to the bit wherever it stands.
    if (GetParam() == AttentionKind::kNone) {
      EXPECT_EQ(a.logits[order[k]], b.logits[k]);
    }
  }
}

TEST_P(Forwards, GivesTheSameBitsWhateverRanBefore) {
  const Config config = test::odd_config(GetParam());
  const Network network(test::random_model(config, 5));
  Forward used(network, 200);
  for (const std::size_t experts : {200u, 3u, 17u, 64u, 1u, 130u}) {
    const auto tokens = test::random_tokens(experts, config.features, experts);
    const auto shared = test::random_tokens(1, config.common(), experts + 1);
    Outputs again{std::vector<float>(experts), {}};
    again.pooled = used.run(tokens, shared, again.logits);
    EXPECT_TRUE(run(network, tokens, shared) == again) << experts << " experts";
  }
}

TEST_P(Forwards, GivesTheSameBitsInEveryThread) {
  const Config config = test::typical_config(GetParam());
  const Network network(test::random_model(config, 6));
  const auto tokens = test::random_tokens(100, config.features, 7);
  const auto shared = test::random_tokens(1, config.common(), 8);
  const Outputs expected = run(network, tokens, shared);
  std::vector<Outputs> found(4);
  {
    std::vector<std::jthread> threads;
    for (Outputs& outputs : found) {
      threads.emplace_back([&] { outputs = run(network, tokens, shared); });
    }
  }
  for (const Outputs& outputs : found) EXPECT_TRUE(outputs == expected);
}

TEST_P(Forwards, IsFiniteForAnyFiniteTokens) {
  const Config config = test::typical_config(GetParam());
  Model large = test::random_model(config, 8);
  for (auto& [name, tensor] : large.tensors) {
    for (float& value : tensor.values) value = value < 0 ? -kLargestWeight : kLargestWeight;
  }
  for (const Model& model : {test::random_model(config, 8), large}) {
    const Network network(model);
    constexpr float kMost = std::numeric_limits<float>::max();
    for (const float size : {0.0f, 1e-40f, 1.0f, 1e6f, 1e20f, kMost}) {
      auto tokens = test::random_tokens(150, config.features, 9);
      for (float& value : tokens) value = value * size / 2;
      tokens[5] = kMost;
      auto shared = test::random_tokens(1, config.common(), 10);
      for (float& value : shared) value = value * size / 2;
      shared[1] = -kMost;
      const Outputs outputs = run(network, tokens, shared);
      EXPECT_TRUE(std::isfinite(outputs.pooled.restart) && std::isfinite(outputs.pooled.rate));
      EXPECT_TRUE(std::all_of(outputs.logits.begin(), outputs.logits.end(),
                              [](float s) { return std::isfinite(s); }))
          << "tokens of size " << size;
    }
  }
}

TEST(Network, RefusesAModelWhosePartsDoNotFit) {
  Model model = test::random_model(test::odd_config(AttentionKind::kFull), 1);
  model.tensors.erase("norm.bias");
  EXPECT_TRUE(test::mentions(test::error_of([&] { Network network(model); }), "norm.bias"));
}

}  // namespace
}  // namespace pcgs::infer
