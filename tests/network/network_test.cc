#include "network/network.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "network/random_model.h"
#include "reference/transformer.h"
#include "support/data_file.h"
#include "support/expect.h"

namespace pcgs::infer {
namespace {

struct Outputs {
  std::vector<float> logits;
  Pooled pooled;

  bool operator==(const Outputs& other) const {
    return logits == other.logits && pooled.restart == other.pooled.restart &&
           pooled.rate == other.pooled.rate;
  }
  bool is_finite() const {
    return std::isfinite(pooled.restart) && std::isfinite(pooled.rate) &&
           std::ranges::all_of(logits, [](float s) { return std::isfinite(s); });
  }
};

// A network with its memory, shown one round after another.
struct Player {
  Player(const Network& its_network, std::size_t experts)
      : forward(its_network, experts), memory(its_network.config(), experts) {}

  Outputs round(const std::vector<float>& tokens, const std::vector<float>& shared) {
    Outputs out{std::vector<float>(memory.experts()), {}};
    out.pooled = forward.run(tokens, shared, out.logits, &memory);
    return out;
  }

  Forward forward;
  Memory memory;
};

// The first round.
Outputs run(const Network& network, const std::vector<float>& tokens,
            const std::vector<float>& shared) {
  return Player(network, tokens.size() / network.config().features).round(tokens, shared);
}

void use_instruction_sets(std::int64_t targets) {  // 0: all
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

struct Kind {
  AttentionKind attention;
  bool remembers;
};

class Forwards : public ::testing::TestWithParam<Kind> {
 protected:
  static constexpr double kTolerance = 1e-5;

  static Config typical_config() { return remembering(test::typical_config(attention()), 64); }
  static Config odd_config() { return remembering(test::odd_config(attention()), 7); }
  static AttentionKind attention() { return GetParam().attention; }
  static Config remembering(Config config, std::size_t channels) {
    if (GetParam().remembers) config.memory = channels;
    return config;
  }

  // In the first round, or in six of them where the network remembers.
  static void expect_reference(const Config& config, const std::vector<std::size_t>& counts) {
    const Model model = test::random_model(config, 1);
    const Network network(model);
    for (const std::size_t experts : counts) {
      if (config.memory > 0 && experts > 33) continue;  // many rounds of few
      Player player(network, experts);
      reference::TransformerMemory remembered;
      for (std::size_t t = 0; t < (config.memory > 0 ? 6 : 1); ++t) {
        const auto tokens = test::random_tokens(experts, config.features, experts + 2 * t);
        const auto shared = test::random_tokens(1, config.common(), experts + 2 * t + 1);
        const Outputs outputs = player.round(tokens, shared);
        const auto expected = reference::transformer(model, tokens, shared, remembered);
        const auto error = [](float found, double exact) {
          return std::abs(static_cast<double>(found) - exact);
        };
        double worst = std::max(error(outputs.pooled.restart, expected.restart),
                                error(outputs.pooled.rate, expected.rate));
        for (std::size_t k = 0; k < experts; ++k) {
          worst = std::max(worst, error(outputs.logits[k], expected.logits[k]));
        }
        ASSERT_LE(worst, (config.memory > 0 ? 2 : 1) * kTolerance)
            << experts << " experts, round " << t;
      }
    }
  }
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const AttentionKind attention : test::kAttentionKinds) {
    for (const bool remembers : {false, true}) all.push_back({attention, remembers});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Forwards, ::testing::ValuesIn(kinds()), [](const auto& kind) {
  return std::string(name_of(kind.param.attention)) + (kind.param.remembers ? "_remembers" : "");
});

TEST_P(Forwards, MatchesTheReference) {
  expect_reference(typical_config(), {1, 2, 7, 16, 17, 32, 33, 100, 128, 129, 1024});
}

TEST_P(Forwards, MatchesTheReferenceAtOddSizes) {
  expect_reference(odd_config(), {1, 2, 7, 32, 100, 300});
  Config config = odd_config();
  config.width = 48;
  config.hidden = 100;
  config.inducing = 21;  // more than a panel
  expect_reference(config, {1, 31, 150});
}

TEST_P(Forwards, MatchesTheReferenceAtEveryWidthOfAHead) {
  for (std::size_t width = 1; width <= 18; ++width) {
    expect_reference(test::config_of(attention(), {.features = 3, .shared = 2, .side = width - 1},
                                     {.width = 2 * width,
                                      .heads = 2,
                                      .hidden = width,
                                      .inducing = width,
                                      .pool_hidden = width}),
                     {width, 20});
  }
  expect_reference(
      test::config_of(
          attention(), {.features = 64},
          {.width = 256, .heads = 1, .hidden = 256, .inducing = 40, .pool_hidden = 100}),
      {9});
}

// The reference does not know instruction sets: this runs the kernels of all that the machine has.
TEST_P(Forwards, MatchesTheReferenceOnEveryInstructionSet) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t left = all; left != 0; left &= left - 1) {
    SCOPED_TRACE(hwy::TargetName(left & -left));
    use_instruction_sets(left & -left);
    expect_reference(odd_config(), {1, 17, 150});
    expect_reference(typical_config(), {32});
  }
  use_instruction_sets(0);
}

TEST_P(Forwards, WorksWithoutLayers) {
  Config config = typical_config();
  config.layers = 0;
  expect_reference(config, {1, 20});
}

TEST_P(Forwards, PermutesLogitsWithTheExpertsAndKeepsTheRest) {
  const std::size_t experts = 150;
  const Config config = typical_config();
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
    if (attention() == AttentionKind::kNone) {
      EXPECT_EQ(a.logits[order[k]], b.logits[k]);
    }
  }
}

TEST_P(Forwards, GivesTheSameBitsWhateverRanBefore) {
  const Config config = odd_config();
  const Network network(test::random_model(config, 5));
  Forward used(network, 200);
  for (const std::size_t experts : {200u, 3u, 17u, 64u, 1u, 130u}) {
    const auto tokens = test::random_tokens(experts, config.features, experts);
    const auto shared = test::random_tokens(1, config.common(), experts + 1);
    Outputs again{std::vector<float>(experts), {}};
    Memory memory(config, experts);
    again.pooled = used.run(tokens, shared, again.logits, &memory);
    EXPECT_TRUE(run(network, tokens, shared) == again) << experts << " experts";
  }
}

TEST_P(Forwards, GivesTheSameBitsInEveryThread) {
  const Config config = typical_config();
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
  const Config config = typical_config();
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
      Player player(network, 150);
      for (int t = 0; t < (config.memory > 0 ? 4 : 1); ++t) {
        EXPECT_TRUE(player.round(tokens, shared).is_finite()) << "tokens of size " << size;
        std::vector<float> kept(player.memory.size());
        player.memory.copy_to(kept);
        EXPECT_TRUE(
            std::ranges::all_of(kept, [](float h) { return std::abs(h) <= kLargestMemory; }));
      }
    }
  }
}

TEST_P(Forwards, GoOnFromACopyOfTheMemoryToTheBitAndWithoutItDoNot) {
  const Config config = odd_config();
  const Network network(test::random_model(config, 3));
  for (const std::size_t experts : {1u, 16u, 45u}) {
    Player straight(network, experts), resumed(network, experts), fresh(network, experts);
    const auto round_of = [&](Player& player, std::uint64_t t) {
      return player.round(test::random_tokens(experts, config.features, 2 * t),
                          test::random_tokens(1, config.common(), 2 * t + 1));
    };
    for (std::uint64_t t = 0; t < 5; ++t) round_of(straight, t);
    std::vector<float> kept(straight.memory.size());
    straight.memory.copy_to(kept);
    resumed.memory.copy_from(kept);
    for (std::uint64_t t = 5; t < 9; ++t) {
      const Outputs outputs = round_of(straight, t);
      EXPECT_TRUE(outputs == round_of(resumed, t));
      EXPECT_EQ(outputs == round_of(fresh, t), config.memory == 0) << "what was before matters";
    }
  }
}

TEST(Network, RefusesAModelWhosePartsDoNotFit) {
  Model model = test::random_model(test::odd_config(AttentionKind::kFull), 1);
  model.tensors.erase("norm.bias");
  EXPECT_TRUE(test::mentions(test::error_of([&] { Network network(model); }), "norm.bias"));
}

// ---- Beside PyTorch -----------------------------------------------------------------------------
//
// What it computes with small networks (scripts/torch_golden.py wrote the files).

std::vector<float> golden_tokens(std::size_t experts, std::size_t features) {
  std::vector<float> tokens;
  for (std::size_t i = 0; i < experts; ++i) {
    for (std::size_t j = 0; j < features; ++j) {
      const auto k = static_cast<double>(i), f = static_cast<double>(j);
      tokens.push_back(static_cast<float>(std::sin(0.7 * k + 1.3 * f + 0.1 * k * f)));
    }
  }
  return tokens;
}

TEST(Forward, MatchesTorchOnGoldenInputs) {
  std::size_t compared = 0;
  for (const char* attention : {"none", "full", "induced"}) {
    const std::string stem = test::data_file("golden/controller_") + attention;
    const Model model = read_model_file(stem + ".safetensors");
    EXPECT_EQ(name_of(model.config.attention), attention);
    const Network network(model);
    std::ifstream file(stem + ".json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    for (const auto& expected : golden.at("cases")) {
      const auto experts = expected.at("experts").get<std::size_t>();
      const std::vector<float> tokens = golden_tokens(experts, model.config.features);
      std::vector<float> logits(experts);
      const Pooled pooled = Forward(network, experts).run(tokens, {}, logits);
      EXPECT_NEAR(pooled.restart, expected.at("restart").get<double>(), 1e-5);
      EXPECT_NEAR(pooled.rate, expected.at("rate").get<double>(), 1e-5);
      for (const auto& [k, logit] : expected.at("logits").items()) {
        EXPECT_NEAR(logits.at(std::stoul(k)), logit.get<double>(), 1e-5)
            << attention << ", expert " << k << " of " << experts;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 3u * (1 + 7 + 32 + 32 + 10)) << "logits of 1, 7, 32 and 1024 experts";
}

}  // namespace
}  // namespace pcgs::infer
