// The network that is trained and the network that is played are one.
#include "controller_net.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "network/model.h"
#include "network/network.h"
#include "network/random_model.h"

namespace pcgs::train {
namespace {

using infer::AttentionKind;

// The largest difference between what libtorch and the runtime make of the same three rounds, the
// weights having gone through a file.
double difference(const ControllerNet& net, std::size_t experts, std::uint64_t seed) {
  const auto bytes = infer::model_bytes(net.model("test", {{"provenance", "a test"}}));
  const infer::Model model = infer::read_model(bytes, "the test's file");
  const infer::Network network(model);
  constexpr std::int64_t kRounds = 3;
  const std::size_t features = net.config().features, common = net.config().common();
  const std::vector<float> tokens = test::random_tokens(kRounds * experts, features, seed);
  const std::vector<float> shared = test::random_tokens(kRounds, common, seed + 1);
  torch::NoGradGuard no_gradients;
  const auto out =
      net.forward(torch::tensor(tokens).reshape({kRounds, static_cast<std::int64_t>(experts), -1}),
                  torch::tensor(shared).reshape({kRounds, -1}), false, kRounds);

  infer::Forward forward(network, experts);
  infer::Memory memory(network.config(), experts);
  std::vector<float> logits(experts);
  double worst = 0;
  for (std::int64_t t = 0; t < kRounds; ++t) {
    const auto at = static_cast<std::size_t>(t);
    const infer::Pooled pooled =
        forward.run(std::span(tokens).subspan(at * experts * features, experts * features),
                    std::span(shared).subspan(at * common, common), logits, &memory);
    worst = std::max({worst, (out.logits[t] - torch::tensor(logits)).abs().max().item<double>(),
                      std::abs(out.restart[t].item<double>() - static_cast<double>(pooled.restart)),
                      std::abs(out.rate[t].item<double>() - static_cast<double>(pooled.rate))});
  }
  return worst;
}

infer::Config with_memory(infer::Config config, std::size_t channels) {
  config.memory = channels;
  return config;
}

TEST(ControllerNet, EqualsTheRuntime) {
  for (const AttentionKind kind :
       {AttentionKind::kNone, AttentionKind::kFull, AttentionKind::kInduced}) {
    const infer::Config config = test::typical_config(kind);
    const ControllerNet fresh(config, 1, torch::kCPU);
    const ControllerNet random(test::random_model(config, 2), torch::kCPU);
    const ControllerNet odd(test::random_model(test::odd_config(kind), 3), torch::kCPU);
    const ControllerNet remembers(with_memory(config, 64), 4, torch::kCPU);
    const ControllerNet oddly(test::random_model(with_memory(test::odd_config(kind), 5), 3),
                              torch::kCPU);
    for (const std::size_t experts : {1u, 2u, 7u, 32u, 100u}) {
      SCOPED_TRACE(testing::Message() << name_of(kind) << ", K " << experts);
      EXPECT_LT(difference(fresh, experts, experts), 1e-5);
      EXPECT_LT(difference(random, experts, experts), 1e-5);
      EXPECT_LT(difference(odd, experts, experts), 1e-5);
      EXPECT_LT(difference(remembers, experts, experts), 1e-5);
      EXPECT_LT(difference(oddly, experts, experts), 1e-5);
    }
  }
}

TEST(ControllerNet, EqualsTheRuntimeOnAThousandExperts) {
  for (const AttentionKind kind :
       {AttentionKind::kNone, AttentionKind::kFull, AttentionKind::kInduced}) {
    const ControllerNet net(test::random_model(test::typical_config(kind), 4), torch::kCPU);
    EXPECT_LT(difference(net, 1024, 5), 1e-5) << name_of(kind);
  }
}

TEST(ControllerNet, ModelsGoInAndOutUnchanged) {
  const infer::Model model = test::random_model(test::odd_config(AttentionKind::kInduced), 6);
  EXPECT_EQ(ControllerNet(model, torch::kCPU).model("test", {}), model);
}

TEST(ControllerNet, FreshWeightsAreAFunctionOfTheSeed) {
  const infer::Config config = test::typical_config(AttentionKind::kInduced);
  const auto weights = [&](std::uint64_t seed) {
    return ControllerNet(config, seed, torch::kCPU).model("test", {});
  };
  EXPECT_EQ(weights(1), weights(1));
  EXPECT_NE(weights(1), weights(2));
}

}  // namespace
}  // namespace pcgs::train
