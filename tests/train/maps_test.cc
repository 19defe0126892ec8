// The controls that are trained are the controls that are played, under every constant that a
// model's file may carry.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "control/transformer.h"
#include "pcgs/aggregator.h"
#include "pcgs/trace.h"
#include "recipe.h"
#include "suite/suite.h"
#include "support/random.h"
#include "support/random_controller.h"
#include "tiny.h"
#include "tokens/side_features.h"
#include "tokens/token_stream.h"

namespace pcgs::train {
namespace {

constexpr std::size_t kExperts = 7, kRounds = 80, kSide = 2;

Material material() {
  Matrix side(kRounds, kSide);
  test::Random random(1);
  for (double& x : side.values) x = random.uniform(-20, 20);
  return {suite::generate("mix", kRounds, kExperts, 3).losses, side};
}

// The same tokens without their rounding to half precision.
Pool exact_pool(const Material& one) {
  Pool pool = make_pool(
      1, [&](std::size_t) { return one; }, 3, 1, torch::kCPU);
  std::vector<float> own, shared;
  tokens::TokenStream stream(kExperts);
  for (std::size_t t = 0; t < kRounds; ++t) {
    stream.observe(one.losses.row(t));
    own.insert(own.end(), stream.tokens().begin(), stream.tokens().end());
    shared.insert(shared.end(), stream.shared().begin(), stream.shared().end());
    shared.resize(shared.size() + kSide);
    tokens::side_features(one.side.row(t), std::span(shared).last(kSide));
  }
  EXPECT_TRUE(torch::equal(torch::tensor(own).to(torch::kHalf), pool.own.flatten()));
  pool.own = torch::tensor(own).reshape(pool.own.sizes());
  pool.shared = torch::tensor(shared).reshape(pool.shared.sizes());
  return pool;
}

Trace played(const infer::Model& model, const Material& one) {
  Aggregator aggregator(std::make_unique<ShareMethod>(
      kExperts, make_transformer(std::make_shared<TransformerModel>(model, "a model"), "it")));
  Trace trace;
  aggregator.trace(&trace);
  for (std::size_t t = 0; t < kRounds; ++t) {
    aggregator.learn(aggregator.open({}, one.side.row(t)), one.losses.row(t));
  }
  return trace;
}

struct Case {
  const char* name;
  ControlMaps maps;
};
constexpr Case kCases[] = {
    {"Plain", {}},
    {"ConstantEta", {.constant_eta = 3}},
    {"ConstantRho", {.constant_rho = 0.02}},
    {"UniformQ", {.uniform = 1}},
    {"NoClipping", {.uniform = 1e-9}},
    {"All", {.rho_max = 0.9, .uniform = 0.3, .least_rate = 1, .constant_eta = 0}},
    {"NothingChosen", {.uniform = 1, .constant_eta = 2, .constant_rho = 0.1}},
};

class Maps : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, Maps, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(Maps, AreTheSameInTrainingAndInUse) {
  const ControlMaps& maps = GetParam().maps;
  infer::Model model = test::random_controller(kSide, 2);
  model.config.controls = constants_of(maps);
  const Material one = material();
  const Trace trace = played(model, one);

  torch::NoGradGuard no_gradients;
  const Pool pool = exact_pool(one);
  const auto all = torch::arange(1);
  const Controls controls = controls_on(ControllerNet(model, torch::kCPU), pool, all, maps, false);
  for (std::size_t t = 0; t < kRounds; ++t) {
    const auto at = static_cast<std::int64_t>(t);
    const Trace::Row& row = trace.rows()[t];
    ASSERT_NEAR(controls.eta[0][at].item<double>(), row.eta, 1e-4 * row.eta) << "round " << t;
    ASSERT_NEAR(controls.rho[0][at].item<double>(), row.rho, 1e-5) << "round " << t;
    for (std::size_t k = 0; k < kExperts; ++k) {
      const double q = controls.q[0][at][static_cast<std::int64_t>(k)].item<double>();
      ASSERT_NEAR(q, row.q[k], 1e-5) << "round " << t << ", expert " << k;
    }
  }
  double total = 0;
  for (const auto& row : trace.rows()) total += row.mixture_loss;
  EXPECT_NEAR(paid(controls, pool, all).item<double>(), total, 1e-3);
}

TEST_P(Maps, ComeBackFromAModelAsTheyWere) {
  infer::Model model = test::random_controller(0, 2);
  model.config.controls = constants_of(GetParam().maps);
  EXPECT_EQ(control_maps_of(model, "a model"), GetParam().maps);
}

}  // namespace
}  // namespace pcgs::train
