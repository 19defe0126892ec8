// The network that is trained and the network that is played are one.
#include "controller_net.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "infer/model_file.h"
#include "infer/network.h"
#include "infer/random_model.h"

namespace pcgs::train {
namespace {

using infer::AttentionKind;

// The largest difference between what libtorch and the runtime make of the same tokens, the weights
// having gone through a file.
double difference(const ControllerNet& net, std::size_t experts, std::uint64_t seed) {
  const auto bytes = infer::model_bytes(net.model("test", {{"provenance", "a test"}}));
  const infer::Model model = infer::read_model(bytes, "the test's file");
  const infer::Network network(model);
  const std::vector<float> tokens = test::random_tokens(experts, net.config().features, seed);
  const std::vector<float> shared = test::random_tokens(1, net.config().common(), seed + 1);
  std::vector<float> logits(experts);
  const infer::Pooled pooled = infer::Forward(network, experts).run(tokens, shared, logits);

  torch::NoGradGuard no_gradients;
  const auto out =
      net.forward(torch::tensor(tokens).reshape({1, static_cast<std::int64_t>(experts), -1}),
                  torch::tensor(shared).unsqueeze(0), false, 1);
  return std::max({(out.logits[0] - torch::tensor(logits)).abs().max().item<double>(),
                   std::abs(out.restart.item<double>() - static_cast<double>(pooled.restart)),
                   std::abs(out.rate.item<double>() - static_cast<double>(pooled.rate))});
}

TEST(ControllerNet, EqualsTheRuntime) {
  for (const AttentionKind kind :
       {AttentionKind::kNone, AttentionKind::kFull, AttentionKind::kInduced}) {
    const infer::Config config = test::typical_config(kind);
    const ControllerNet fresh(config, 1, torch::kCPU);
    const ControllerNet random(test::random_model(config, 2), torch::kCPU);
    const ControllerNet odd(test::random_model(test::odd_config(kind), 3), torch::kCPU);
    for (const std::size_t experts : {1u, 2u, 7u, 32u, 100u}) {
      SCOPED_TRACE(testing::Message() << name_of(kind) << ", K " << experts);
      EXPECT_LT(difference(fresh, experts, experts), 1e-5);
      EXPECT_LT(difference(random, experts, experts), 1e-5);
      EXPECT_LT(difference(odd, experts, experts), 1e-5);
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
