// The controls that are trained are the controls that are played, under every constant that a
// model's file may carry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "error_matrices.h"
#include "error_pool.h"
#include "network/error_stream.h"
#include "network/model.h"
#include "network/token_stream.h"
#include "network/transformer.h"
#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "pcgs/trace.h"
#include "recipe.h"
#include "research/suite.h"
#include "support/random.h"
#include "support/random_controller.h"
#include "tiny.h"

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

Controls controls_of(const infer::Model& model, const Pool& pool, const ControlMaps& maps) {
  torch::NoGradGuard no_gradients;
  return controls_on(ControllerNet(model, torch::kCPU), pool, torch::arange(1), maps, false);
}

// Those of the only sequence that is trained on are those that were played.
void expect_controls(const Controls& controls, const Trace& trace) {
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
}

TEST_P(Maps, AreTheSameInTrainingAndInUse) {
  const ControlMaps& maps = GetParam().maps;
  infer::Model model = test::random_controller(kSide, 2);
  model.config.controls = constants_of(maps);
  const Material one = material();
  const Trace trace = played(model, one);

  const Pool pool = exact_pool(one);
  const auto all = torch::arange(1);
  const Controls controls = controls_of(model, pool, maps);
  expect_controls(controls, trace);
  double total = 0;
  for (const auto& row : trace.rows()) total += row.mixture_loss;
  EXPECT_NEAR(paid(controls, pool, all).item<double>(), total, 1e-3);
}

// ---- A controller that combines -----------------------------------------------------------------

Matrix errors() { return make_error_matrix(kRounds, kExperts, 3); }

// The same tokens without their rounding to half precision.
Pool exact_error_pool(const Matrix& errors, const Trace& trace) {
  Pool pool = make_error_pool(
      1, [&](std::size_t) { return errors; }, 1, torch::kCPU);
  std::vector<float> own, shared, anchor;
  tokens::ErrorStream stream(kExperts);
  for (std::size_t t = 0; t < kRounds; ++t) {
    stream.observe(errors.row(t), trace.rows()[t].losses);
    own.insert(own.end(), stream.tokens().begin(), stream.tokens().end());
    shared.insert(shared.end(), stream.shared().begin(), stream.shared().end());
    anchor.insert(anchor.end(), stream.anchor().begin(), stream.anchor().end());
  }
  EXPECT_TRUE(torch::equal(torch::tensor(own).to(torch::kHalf), pool.own.flatten()));
  EXPECT_TRUE(torch::equal(torch::tensor(shared).to(torch::kHalf), pool.shared.flatten()));
  EXPECT_TRUE(torch::equal(torch::tensor(anchor).to(torch::kHalf), pool.anchor.flatten()));
  pool.own = torch::tensor(own).reshape(pool.own.sizes());
  pool.shared = torch::tensor(shared).reshape(pool.shared.sizes());
  pool.anchor = torch::tensor(anchor).reshape(pool.anchor.sizes());
  return pool;
}

// Forecasts of an outcome that is always 0; adds the squared errors of the combination up.
Trace played_on_errors(const infer::Model& model, const Matrix& errors, double& paid) {
  Aggregator aggregator(std::make_unique<ShareMethod>(
      kExperts, make_transformer(std::make_shared<TransformerModel>(model, "a model"), "it")));
  Trace trace;
  aggregator.trace(&trace);
  for (std::size_t t = 0; t < kRounds; ++t) {
    const double combined = aggregator.predict(errors.row(t));
    paid += combined * combined;
    aggregator.learn(0.0);
  }
  return trace;
}

// What is paid in units of the pool: of the best candidate, of which it holds the number of rounds.
double best_candidate(const Matrix& errors) {
  double best = HUGE_VAL;
  for (const char* spec : {"ml-poly", "boa", "fixed-share{eta=2,rho=0.01,gradient=1}",
                           "fixed-share{eta=4,rho=0.02}"}) {
    Aggregator aggregator = make_aggregator(spec, errors.columns);
    double paid = 0;
    for (std::size_t t = 0; t < errors.rows; ++t) {
      paid += std::pow(aggregator.predict(errors.row(t)), 2);
      aggregator.learn(0.0);
    }
    best = std::min(best, paid);
  }
  return best;
}

TEST_P(Maps, AreTheSameInTrainingAndInUseWhereErrorsAreCombined) {
  const ControlMaps& maps = GetParam().maps;
  infer::Model model = test::random_combiner(2);
  model.config.controls = constants_of(maps);
  const Matrix given = errors();
  double total = 0;
  const Trace trace = played_on_errors(model, given, total);

  const Pool pool = exact_error_pool(given, trace);
  const auto all = torch::arange(1);
  const Controls controls = controls_of(model, pool, maps);
  expect_controls(controls, trace);
  for (std::size_t t = 0; t < kRounds; ++t) {
    for (std::size_t k = 0; k < kExperts; ++k) {
      const auto at = static_cast<std::int64_t>(t), expert = static_cast<std::int64_t>(k);
      ASSERT_NEAR(pool.losses[0][at][expert].item<double>(), trace.rows()[t].losses[k], 1e-6);
    }
  }
  const double best = best_candidate(given), expected = total / best * kRounds;
  EXPECT_NEAR(paid(controls, pool, all).item<double>(), expected, 1e-4 * expected);
  EXPECT_NEAR(beyond_tuned(paid(controls, pool, all), pool, all).item<double>(),
              std::log(total / best), 1e-3);
}

// What is trained on is rounded to half precision, which must not change what is learned.
TEST(ErrorPool, RoundingToHalfPrecisionHardlyChangesWhatTheShippedModelPays) {
  const infer::Model model = infer::read_model(infer::shipped_model("combine"), "combine");
  const ControlMaps maps = control_maps_of(model, "combine");
  const Matrix given = errors();
  double total = 0;
  played_on_errors(model, given, total);
  torch::NoGradGuard no_gradients;
  const Pool pool = make_error_pool(
      1, [&](std::size_t) { return given; }, 1, torch::kCPU);
  const auto all = torch::arange(1);
  const Controls controls = controls_on(ControllerNet(model, torch::kCPU), pool, all, maps, false);
  EXPECT_NEAR(beyond_tuned(paid(controls, pool, all), pool, all).item<double>(),
              std::log(total / best_candidate(given)), 5e-3);
}

TEST(ErrorPool, HoldsErrorsInUnitsOfTheBestCandidate) {
  constexpr std::size_t kCount = 3;
  const auto make = [](std::size_t i) { return make_error_matrix(kRounds, kExperts, 10 + i); };
  const Pool pool = make_error_pool(kCount, make, 1, torch::kCPU);
  ASSERT_TRUE(pool.combines());
  ASSERT_EQ(pool.size(), static_cast<std::int64_t>(kCount));
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Matrix given = make(i);
    const double unit = std::sqrt(best_candidate(given) / kRounds);
    EXPECT_NEAR(pool.candidates[at].min().item<double>(), kRounds, 1e-9 * kRounds);
    EXPECT_EQ(pool.tuned[at].item<double>(), kRounds);
    for (std::size_t t = 0; t < kRounds; ++t) {
      for (std::size_t k = 0; k < kExperts; ++k) {
        const double found =
            pool.errors[at][static_cast<std::int64_t>(t)][static_cast<std::int64_t>(k)]
                .item<double>();
        const double expected = given.row(t)[k] / unit;
        ASSERT_NEAR(found, expected, 1e-6 * std::max(1.0, std::abs(expected)));
      }
    }
  }
}

TEST(ErrorPool, DoesNotDependOnThreads) {
  const auto make = [](std::size_t i) { return make_error_matrix(kRounds, kExperts, i); };
  const Pool one = make_error_pool(5, make, 1, torch::kCPU);
  const Pool three = make_error_pool(5, make, 3, torch::kCPU);
  for (const auto tensor : {&Pool::own, &Pool::shared, &Pool::anchor, &Pool::scale, &Pool::losses,
                            &Pool::errors, &Pool::candidates, &Pool::tuned, &Pool::unit}) {
    EXPECT_TRUE(torch::equal(one.*tensor, three.*tensor));
  }
}

TEST_P(Maps, ComeBackFromAModelAsTheyWere) {
  infer::Model model = test::random_controller(0, 2);
  model.config.controls = constants_of(GetParam().maps);
  EXPECT_EQ(control_maps_of(model, "a model"), GetParam().maps);
}

}  // namespace
}  // namespace pcgs::train
