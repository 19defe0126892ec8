// Side information in training: it is used where it helps, and played as it was trained.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "network/token_stream.h"
#include "network/transformer.h"
#include "own_losses.h"
#include "pcgs/aggregator.h"
#include "side_columns.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/random_controller.h"
#include "tiny.h"

namespace pcgs::train {
namespace {

// Of two experts one is good. Whether it stays or they change places is a coin's decision, which
// the side number tells beforehand and nothing else does.
Material announced(std::size_t index, std::uint64_t seed, std::size_t rounds = 60) {
  test::Random random(1000 * seed + index);
  Matrix losses(rounds, 2), side(rounds, 1);
  std::size_t good = 0;
  for (std::size_t t = 0; t < rounds; ++t) {
    losses.row(t)[good] = random.uniform(0, 0.2);
    losses.row(t)[1 - good] = random.uniform(0.8, 1);
    const bool stays = random.chance(0.5);
    side.row(t)[0] = stays ? 2 : -2;
    if (!stays) good = 1 - good;
  }
  return {losses, side};
}

Pool announced_pool(std::size_t count, std::uint64_t seed) {
  return make_pool(
      count, [=](std::size_t i) { return announced(i, seed); }, 3, 1, torch::kCPU);
}

infer::Config config_with_side(std::size_t side) {
  infer::Config config = test::tiny_config();
  config.side = side;
  return config;
}

double lost_per_round(const ControllerNet& net, const Pool& pool, const ControlMaps& maps) {
  torch::NoGradGuard no_gradients;
  const auto all = torch::arange(pool.size());
  return paid(controls_on(net, pool, all, maps, false), pool, all).mean().item<double>() /
         static_cast<double>(pool.rounds);
}

TEST(TrainingWithSide, LearnsToUseWhatTheSideNumberAnnounces) {
  TrainerOptions options = test::tiny_options();
  options.maps.rho_max = 0.999;
  options.steps = 60;
  options.check_every = 20;
  options.tokens_per_step = 16 * 60 * 2;
  Supply supply(TrainingPools{{announced_pool(32, 1)}, {1.0}});
  const std::vector<HeldOut> held_out = {{"announced", announced_pool(16, 2)}};
  ControllerNet net(config_with_side(1), 1, torch::kCPU);
  EXPECT_GT(lost_per_round(net, held_out[0].pool, options.maps), 0.4);
  train(net, options, supply, held_out);
  EXPECT_LT(lost_per_round(net, held_out[0].pool, options.maps), 0.25);

  // As it is played.
  infer::Model model = net.model(tokens::TokenStream::schema_name(), {});
  model.config.controls = constants_of(options.maps);
  Aggregator aggregator(std::make_unique<ShareMethod>(
      2, make_transformer(std::make_shared<TransformerModel>(model, "the trained model"), "it")));
  const Material fresh = announced(0, 3, 200);
  for (std::size_t t = 0; t < 200; ++t) {
    aggregator.learn(aggregator.open({}, fresh.side.row(t)), fresh.losses.row(t));
  }
  EXPECT_LT(aggregator.total_loss() / 200, 0.25);
}

TEST(TrainingWithSide, APoolHoldsItBehindTheSharedNumbers) {
  const Pool pool = announced_pool(3, 4);
  constexpr auto kShared = static_cast<std::int64_t>(tokens::kSharedFeatures);
  ASSERT_EQ(pool.shared.size(2), kShared + 1);
  for (std::int64_t i = 0; i < 3; ++i) {
    const Material material = announced(static_cast<std::size_t>(i), 4);
    tokens::TokenStream stream(2);
    for (std::size_t t = 0; t < 60; ++t) {
      stream.observe(material.losses.row(t));
      std::vector<float> expected(stream.shared().begin(), stream.shared().end());
      expected.push_back(0);
      tokens::side_features(material.side.row(t), {&expected.back(), 1});
      ASSERT_TRUE(torch::equal(pool.shared[i][static_cast<std::int64_t>(t)],
                               torch::tensor(expected).to(torch::kHalf)));
    }
  }
}

TEST(TrainingWithSide, NewColumnsLeaveTheFunctionAsItWas) {
  const infer::Model before = test::random_controller(1, 5);
  infer::Model after = before;
  add_side_columns(after, 3);
  EXPECT_EQ(after.config.side, 3u);
  const infer::Network narrow(before), wide(after);  // the shapes fit
  const auto tokens = test::random_tokens(7, before.config.features, 1);
  auto shared = test::random_tokens(1, before.config.common(), 2);
  std::vector<float> a(7), b(7);
  const infer::Pooled first = infer::Forward(narrow, 7).run(tokens, shared, a);
  shared.insert(shared.end(), {100, -100});
  const infer::Pooled second = infer::Forward(wide, 7).run(tokens, shared, b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(first.restart, second.restart);
  EXPECT_EQ(first.rate, second.rate);
}

TEST(TrainingWithSide, WindowsOfOwnLossesHaveTheirOwnRoundsOfIt) {
  const Material all = announced(0, 6, 400);
  const OwnLosses own =
      own_losses({all.losses, "losses"}, {all.side, "side"}, 100, 2, 1, torch::kCPU);
  const auto last = own.windows.shared.size(2) - 1;
  const auto side = torch::tensor(all.side.values, torch::kDouble);
  const auto expected = torch::sign(side) * torch::log1p(side.abs());
  EXPECT_TRUE(torch::allclose(own.held_out.pool.shared[0].select(1, last).to(torch::kDouble),
                              expected.slice(0, 320), 1e-3));
  for (std::int64_t i = 0; i < own.windows.size(); ++i) {
    const std::int64_t end = 320 - 25 * i;
    EXPECT_TRUE(torch::allclose(own.windows.shared[i].select(1, last).to(torch::kDouble),
                                expected.slice(0, end - 100, end), 1e-3));
  }
}

TEST(TrainingWithSide, OfOtherRoundsOrNotFiniteIsRefused) {
  Material all = announced(0, 7, 200);
  const auto refusal = [&] {
    return test::error_of([&] {
      own_losses({all.losses, "losses.npy"}, {all.side, "side.npy"}, 100, 2, 1, torch::kCPU);
    });
  };
  all.side.row(4)[0] = std::nan("");
  EXPECT_TRUE(test::mentions(refusal(), "side.npy: row 5"));
  all.side = Matrix(199, 1);
  EXPECT_TRUE(test::mentions(refusal(), "side.npy has 199 rows and losses.npy has 200"));
}

}  // namespace
}  // namespace pcgs::train
