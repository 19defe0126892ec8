// The controller that combines, and what it is worth among the parts of blend.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "combine/blend.h"
#include "network/error_stream.h"
#include "network/model.h"
#include "network/network.h"
#include "network/transformer.h"
#include "pcgs/registry.h"
#include "pcgs/trace.h"
#include "proof/path_certificates.h"
#include "reference/shares.h"
#include "support/data_file.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::error_of;
using test::Made;
using test::mentions;
using test::Random;

constexpr const char* kCombine = "pcgs-tf:combine";

// Half of the experts say too much, half too little; the better are others after 100 rounds.
std::vector<Made> series(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random(seed);
  std::vector<Made> all(rounds);
  for (std::size_t t = 0; t < rounds; ++t) {
    all[t].y = 20 + 3 * random.normal();
    const double common = random.normal();
    for (std::size_t k = 0; k < experts; ++k) {
      const double own = t / 100 % 2 == k % 2 ? 0.5 : 1.5;
      all[t].forecasts.push_back(all[t].y + (k % 2 == 0 ? 2 : -2) + 0.3 * common +
                                 own * random.normal());
    }
  }
  return all;
}

Trace traced(const std::string& spec, const std::vector<Made>& rounds) {
  Aggregator aggregator = make_aggregator(spec, rounds[0].forecasts.size());
  Trace trace;
  aggregator.trace(&trace);
  for (const Made& made : rounds) {
    aggregator.predict(made.forecasts);
    aggregator.learn(made.y);
  }
  return trace;
}

infer::Model shipped(const char* name) {
  return infer::read_model(infer::shipped_model(name), name);
}

// The formulas of network/transformer.h, from the constants in the model's file.
void expect_controls_of_the_header(std::size_t experts, double awake_chance) {
  const infer::Model model = shipped("combine");
  const auto& constants = model.config.controls;
  ASSERT_EQ(constants.at("constant_eta"), 0);
  const infer::Network network(model);
  Aggregator aggregator = make_aggregator(kCombine, experts);
  Trace trace;
  aggregator.trace(&trace);
  tokens::ErrorStream stream(experts);
  infer::Forward forward(network, experts);
  reference::LogShare share(experts);
  std::vector<float> logits(experts);
  Random random(experts);
  for (Made& made : series(150, experts, 5)) {
    const auto awake = random.awake(experts, awake_chance);
    for (std::size_t k = 0; k < experts; ++k) {
      if (awake[k] == 0) made.forecasts[k] = std::nan("");
    }
    ASSERT_TRUE(test::all_near(aggregator.weights(), share.weights(), 1e-9));
    const double combined = aggregator.predict(made.forecasts);
    aggregator.learn(made.y);
    const Trace::Row& row = trace.rows().back();

    // A sleeper's error is that of the combination.
    std::vector<double> errors(experts);
    for (std::size_t k = 0; k < experts; ++k) {
      errors[k] = (awake[k] == 0 ? combined : made.forecasts[k]) - made.y;
    }
    stream.observe(errors, row.losses);
    const infer::Pooled pooled = forward.run(stream.tokens(), stream.shared(), logits);
    const double rho = constants.at("rho_max") / (1 + std::exp(-double{pooled.restart}));
    const double rate = constants.at("least_rate") + std::log(1 + std::exp(double{pooled.rate}));
    const double eta = std::min(rate / stream.scale(), 1e6);
    std::vector<double> q(experts);
    double total = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      total += q[k] = std::exp(double{logits[k]} + double{stream.anchor()[k]});
    }
    const double eps = constants.at("uniform");
    for (double& x : q) x = (1 - eps) * x / total + eps / static_cast<double>(experts);
    ASSERT_NEAR(row.rho, rho, 1e-12) << "round " << row.round;
    ASSERT_NEAR(row.eta, eta, 1e-9 * eta) << "round " << row.round;
    // The product adds the anchor and subtracts the largest logit in float.
    for (std::size_t k = 0; k < experts; ++k) ASSERT_NEAR(row.q[k], q[k], 1e-5 * q[k]);
    share.step(row.losses, row.eta, row.rho, row.q);
  }
}

TEST(Combine, IsTheShareRecursionUnderTheControlsOfItsHeader) {
  for (const std::size_t experts : {1u, 2u, 7u, 40u}) expect_controls_of_the_header(experts, 1);
}

TEST(Combine, GivesSleepersTheErrorOfTheCombination) {
  for (const std::size_t experts : {2u, 7u}) expect_controls_of_the_header(experts, 0.6);
}

TEST(Combine, MakesUseOfErrorsThatCancel) {
  const auto rounds = series(600, 6, 2);
  double best = HUGE_VAL;
  for (std::size_t k = 0; k < 6; ++k) {
    double square = 0;
    for (const Made& made : rounds) square += std::pow(made.forecasts[k] - made.y, 2);
    best = std::min(best, square);
  }
  const auto square = [&](const char* spec) {
    double sum = 0;
    const Trace trace = traced(spec, rounds);
    for (const auto& row : trace.rows()) sum += row.forecast_loss;
    return sum;
  };
  const double combined = square(kCombine);
  EXPECT_LT(combined, 0.3 * best) << "the bias of each is most of its error";
  EXPECT_LT(combined, square("pcgs-tf")) << "which sees no signs";
}

TEST(Combine, EveryCertificateHolds) {
  const ShareRecord record = ShareRecord::of(traced(kCombine, series(300, 8, 3)).rows());
  const auto path = best_path(record).experts;
  EXPECT_TRUE(sharp_certificate(record, path).holds());
  EXPECT_TRUE(weighted_certificate(record, path).holds());
}

// ---- Models from files --------------------------------------------------------------------------

class CombineFile : public ::testing::Test {
 protected:
  std::string written(const infer::Model& model) {
    infer::write_model_file(model, dir_ / "m.safetensors");
    return dir_ / "m.safetensors";
  }
  const test::TempDir dir_;
};

TEST_F(CombineFile, OfTheShippedModelIsTheShippedMethod) {
  const auto rounds = series(60, 6, 7);
  const Trace built_in = traced(kCombine, rounds),
              read = traced(with_model(kCombine, written(shipped("combine"))), rounds);
  for (std::size_t t = 0; t < rounds.size(); ++t) {
    ASSERT_TRUE(test::same_bits(built_in.rows()[t].weights, read.rows()[t].weights));
  }
}

TEST_F(CombineFile, OfTheAblationWithoutAttentionIsPlayed) {
  const std::string spec =
      with_model(kCombine, test::data_file("../models/ablation/combine-no-attention.safetensors"));
  const Trace trace = traced(spec, series(60, 6, 7));
  for (const auto& row : trace.rows()) ASSERT_TRUE(test::on_simplex(row.weights));
}

TEST_F(CombineFile, OfTheOtherKindIsRefusedInOneSentence) {
  const auto refusal = [&](const char* method, const char* model) {
    const std::string path = written(shipped(model));
    const std::string message = error_of([&] { make_method(with_model(method, path), 3); });
    EXPECT_TRUE(mentions(message, path));
    EXPECT_EQ(message.find(". "), std::string::npos) << message;
    return message;
  };
  for (const char* model : {"regret", "oracle"}) {
    EXPECT_TRUE(mentions(refusal(kCombine, model), "was not trained to combine"));
    EXPECT_TRUE(mentions(refusal("blend", model), "give it to pcgs-tf or guard"));
  }
  for (const char* method : {"pcgs-tf", "guard"}) {
    EXPECT_TRUE(mentions(refusal(method, "combine"), "give it to pcgs-tf:combine or blend"));
  }
}

TEST_F(CombineFile, OfAnotherNumberOfFeaturesIsRefused) {
  infer::Model model = shipped("combine");  // as many together, divided up in another way
  model.config.features -= 1;
  model.config.shared += 1;
  const std::string path = written(model);
  EXPECT_TRUE(mentions(error_of([&] { make_method(with_model(kCombine, path), 3); }), "features"));
}

TEST_F(CombineFile, StateGoesOnOnlyWithTheWeightsItWasSavedWith) {
  for (const char* method : {kCombine, "blend"}) {
    infer::Model model = shipped("combine");
    Aggregator aggregator = make_aggregator(with_model(method, written(model)), 4);
    for (const Made& made : series(30, 4, 8)) {
      aggregator.predict(made.forecasts);
      aggregator.learn(made.y);
    }
    aggregator.save(dir_ / "a.state");
    EXPECT_EQ(load_aggregator(dir_ / "a.state").save_bytes(), aggregator.save_bytes()) << method;
    model.tensors.at("head.bias").values[0] += 0.5f;
    written(model);
    EXPECT_TRUE(mentions(error_of([&] { load_aggregator(dir_ / "a.state"); }), "weights"))
        << method;
  }
}

// ---- As a part of blend -------------------------------------------------------------------------

double last_forecast(Aggregator aggregator, const std::vector<Made>& rounds) {
  double last = 0;
  for (const Made& made : rounds) {
    last = aggregator.predict(made.forecasts);
    aggregator.learn(made.y);
  }
  return last;
}

// Attention over hundreds of experts would cost too much: there, blend has no network.
TEST(BlendOfManyExperts, HasNoNetwork) {
  for (const std::size_t experts : {128u, 129u}) {
    const auto rounds = series(6, experts, 10);
    const double without =
        last_forecast(Aggregator(make_blend(experts, {}, nullptr, "blend")), rounds);
    EXPECT_EQ(last_forecast(make_aggregator("blend", experts), rounds) == without, experts > 128)
        << experts;
  }
}

}  // namespace
}  // namespace pcgs
