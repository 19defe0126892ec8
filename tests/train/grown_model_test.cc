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
