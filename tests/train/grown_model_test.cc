#include "grown_model.h"

#include <gtest/gtest.h>

#include "controller_net.h"
#include "support/expect.h"
#include "tiny.h"

namespace pcgs::train {
namespace {

using infer::AttentionKind;

infer::Model plain_model() {
  infer::Config config = test::tiny_config();
  config.attention = AttentionKind::kNone;
  config.inducing = 0;
  return ControllerNet(config, 3, torch::kCPU).model("tokens", {{"provenance", "made here"}});
}

ControllerNet::Output answers(const infer::Model& model) {
  torch::NoGradGuard no_gradients;
  torch::manual_seed(5);
  const auto own = torch::randn({12, 7, static_cast<std::int64_t>(model.config.features)});
  const auto shared = torch::randn({12, static_cast<std::int64_t>(model.config.shared)});
  return ControllerNet(model, torch::kCPU).forward(own, shared, false, 12);
}

TEST(GrownModel, AnswersAsBefore) {
  const infer::Model before = plain_model();
  for (const auto kind : {AttentionKind::kFull, AttentionKind::kInduced}) {
    Growth growth;
    growth.attention = kind;
    growth.inducing = 4;
    growth.memory = 6;
    const infer::Model after = grown(before, growth, 9);
    EXPECT_EQ(infer::problem_with(after), "");
    EXPECT_EQ(after.config.attention, kind);
    EXPECT_EQ(after.config.memory, 6u);
    EXPECT_EQ(after.metadata, before.metadata);
    EXPECT_GT(after.tensors.size(), before.tensors.size());
    const auto expected = answers(before), got = answers(after);
    EXPECT_TRUE(torch::equal(got.logits, expected.logits));
    EXPECT_TRUE(torch::equal(got.restart, expected.restart));
    EXPECT_TRUE(torch::equal(got.rate, expected.rate));
  }
}

// A model with attention and this memory, whose parts all say something.
infer::Model model_with_memory(std::size_t channels) {
  infer::Config config = plain_model().config;
  config.attention = AttentionKind::kFull;
  config.memory = channels;
  return ControllerNet(config, 4, torch::kCPU).model("tokens", {});
}

TEST(GrownModel, OfALargerMemoryAnswersAsBeforeAndKeepsWhatItHad) {
  const infer::Model before = model_with_memory(3);
  Growth growth;
  growth.memory = 7;
  infer::Model after = grown(before, growth, 9);
  EXPECT_EQ(after.config.memory, 7u);
  const auto expected = answers(before), got = answers(after);
  EXPECT_LT((got.logits - expected.logits).abs().max().item<double>(), 1e-6);
  EXPECT_LT((got.rate - expected.rate).abs().max().item<double>(), 1e-6);
  // What the new channels remember is drawn, and counts as soon as their output does.
  float sign = 1;
  for (float& x : after.tensors.at("layers.0.memory.o.weight").values) x += sign = -sign;
  EXPECT_GT((answers(after).logits - expected.logits).abs().max().item<double>(), 1e-3);
  for (const char* name : {"layers.0.memory.keep.weight", "layers.0.memory.value.bias",
                           "layers.0.memory.gate.weight"}) {
    const auto& small = before.tensors.at(name).values;
    const auto& large = after.tensors.at(name).values;
    EXPECT_TRUE(std::equal(small.begin(), small.end(), large.begin())) << name;
  }
}

TEST(GrownModel, HasNewPartsThatCanLearn) {
  Growth growth;
  growth.attention = AttentionKind::kFull;
  growth.memory = 6;
  ControllerNet net(grown(plain_model(), growth, 9), torch::kCPU);
  const auto& config = net.config();
  const auto own = torch::randn({12, 7, static_cast<std::int64_t>(config.features)});
  const auto shared = torch::randn({12, static_cast<std::int64_t>(config.shared)});
  net.forward(own, shared, false, 12).logits.square().sum().backward();
  for (const char* name : {"layers.0.attention.o.weight", "layers.0.memory.o.weight"}) {
    EXPECT_GT(net.tensors().at(name).grad().abs().sum().item<double>(), 0) << name;
  }
}

TEST(GrownModel, OfNothingIsTheModel) { EXPECT_EQ(grown(plain_model(), {}, 9), plain_model()); }

TEST(GrownModel, KeepsTheKindAndSizeThatItHas) {
  Growth growth;
  growth.attention = AttentionKind::kFull;
  growth.memory = 6;
  const infer::Model model = grown(plain_model(), growth, 9);
  EXPECT_EQ(grown(model, growth, 10), model);
  Growth other;
  other.attention = AttentionKind::kInduced;
  other.inducing = 4;
  EXPECT_TRUE(test::mentions(test::error_of([&] { grown(model, other, 9); }), "full attention"));
  Growth smaller;
  smaller.memory = 3;
  EXPECT_TRUE(test::mentions(test::error_of([&] { grown(model, smaller, 9); }), "6 channels"));
}

}  // namespace
}  // namespace pcgs::train
