#include "network/transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "network/model.h"
#include "network/token_stream.h"
#include "pcgs/registry.h"
#include "pcgs/trace.h"
#include "proof/path_certificates.h"
#include "reference/shares.h"
#include "research/suite.h"
#include "research/tournament.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::error_of;
using test::mentions;

struct Shipped {
  const char* method;
  const char* model;
};
constexpr Shipped kShipped[] = {{"pcgs-tf", "regret"}, {"pcgs-tf:oracle", "oracle"}};

infer::Model shipped(const char* name) {
  return infer::read_model(infer::shipped_model(name), name);
}

Trace traced(const std::string& method, MatrixView losses) {
  Aggregator aggregator = make_aggregator(method, losses.columns);
  Trace trace;
  aggregator.trace(&trace);
  for (std::size_t t = 0; t < losses.rows; ++t) aggregator.learn(losses.row(t));
  return trace;
}

std::string with_model(const std::string& path) { return "pcgs-tf{model=" + path + "}"; }

// ---- What it does -------------------------------------------------------------------------------

// What is called a Transformer has attention between experts.
TEST(Transformer, AttendsWhereItIsCalledOne) {
  EXPECT_EQ(shipped("regret").config.attention, infer::AttentionKind::kFull);
  EXPECT_GT(shipped("regret").config.memory, 0u);
  EXPECT_EQ(shipped("combine").config.attention, infer::AttentionKind::kFull);
  EXPECT_NE(shipped("oracle").config.attention, infer::AttentionKind::kNone);
}

void expect_feasible(const Shipped& one, const Matrix& losses) {
  const auto model = shipped_transformer(one.model);
  const double least = model->maps().uniform / static_cast<double>(losses.columns);
  ASSERT_GT(least, 0);
  const Trace trace = traced(one.method, losses);
  for (const Trace::Row& row : trace.rows()) {
    ASSERT_TRUE(row.eta > 0 && row.eta <= 1e6) << row.eta;
    ASSERT_TRUE(row.rho >= 0 && row.rho <= model->maps().rho_max) << row.rho;
    ASSERT_TRUE(test::on_simplex(row.q));
    for (const double q : row.q) ASSERT_GE(q, least * (1 - 1e-12));
  }
}

TEST(Transformer, ControlsAreFeasibleInEveryRound) {
  // Losses without any scale: the rate must not run away.
  Matrix spikes(200, 5);
  for (std::size_t t = 0; t < spikes.rows; ++t) {
    for (std::size_t k = 0; k < 5; ++k) spikes.row(t)[k] = t % 70 == 60 && k == 1 ? 1 : 0.3;
  }
  for (const Shipped& one : kShipped) {
    expect_feasible(one, spikes);
    for (const auto& family : suite::families()) {
      for (const std::size_t experts : {1u, 2u, 9u, 32u}) {
        expect_feasible(one, suite::generate(family.name, 120, experts, 3).losses);
      }
    }
  }
}

// The formulas of the header, from the constants in the model's file.
TEST(Transformer, IsTheShareRecursionUnderTheControlsOfItsHeader) {
  for (const auto& [method, name] : kShipped) {
    const infer::Model model = shipped(name);
    const auto& constants = model.config.controls;
    const infer::Network network(model);
    for (const std::size_t experts : {1u, 2u, 7u, 40u}) {
      const Matrix losses = suite::generate("predictive", 150, experts, 5).losses;
      const Trace trace = traced(method, losses);
      tokens::TokenStream stream(experts);
      infer::Forward forward(network, experts);
      infer::Memory memory(model.config, experts);
      reference::LogShare share(experts);
      std::vector<float> logits(experts);
      for (std::size_t t = 0; t < losses.rows; ++t) {
        const Trace::Row& row = trace.rows()[t];
        ASSERT_TRUE(test::all_near(row.weights, share.weights(), 1e-9)) << "round " << t;
        stream.observe(losses.row(t));
        const infer::Pooled pooled = forward.run(stream.tokens(), stream.shared(), logits, &memory);
        const double rho = constants.at("rho_max") / (1 + std::exp(-double{pooled.restart}));
        const double rate =
            constants.at("least_rate") + std::log(1 + std::exp(double{pooled.rate}));
        const double eta = constants.at("constant_eta") > 0 ? constants.at("constant_eta")
                                                            : std::min(rate / stream.scale(), 1e6);
        std::vector<double> q(experts);
        double total = 0;
        for (std::size_t k = 0; k < experts; ++k) total += q[k] = std::exp(double{logits[k]});
        const double eps = constants.at("uniform");
        for (double& x : q) x = (1 - eps) * x / total + eps / static_cast<double>(experts);
        ASSERT_NEAR(row.rho, rho, 1e-12);
        ASSERT_NEAR(row.eta, eta, 1e-9 * eta);
        // The product subtracts the largest logit in float.
        for (std::size_t k = 0; k < experts; ++k) ASSERT_NEAR(row.q[k], q[k], 1e-5 * q[k]);
        share.step(losses.row(t), row.eta, row.rho, row.q);
      }
    }
  }
}

TEST(Transformer, ChoosesItsRateUnlessTheModelFixesIt) {
  const Matrix losses = suite::generate("switch", 100, 6, 1).losses;
  const Trace learned = traced("pcgs-tf", losses), fixed = traced("pcgs-tf:oracle", losses);
  double least = HUGE_VAL, most = 0;
  for (const auto& row : learned.rows()) {
    least = std::min(least, row.eta);
    most = std::max(most, row.eta);
  }
  EXPECT_GT(most, 1.5 * least);
  for (const auto& row : fixed.rows()) ASSERT_EQ(row.eta, 4);
}

TEST(Transformer, AGivenRateReplacesTheConstantOneOfTheModelAndNothingElse) {
  const Matrix losses = suite::generate("switch", 100, 6, 1).losses;
  const Trace usual = traced("pcgs-tf:oracle", losses),
              same = traced("pcgs-tf:oracle{eta=4}", losses),
              other = traced("pcgs-tf:oracle{eta=1.5}", losses);
  for (std::size_t t = 0; t < losses.rows; ++t) {
    const Trace::Row &one = usual.rows()[t], &two = other.rows()[t];
    ASSERT_TRUE(test::same_bits(one.weights, same.rows()[t].weights));
    ASSERT_EQ(two.eta, 1.5);
    ASSERT_EQ(two.rho, one.rho);
    ASSERT_TRUE(test::same_bits(two.q, one.q));
  }
  EXPECT_NE(usual.rows().back().weights, other.rows().back().weights);
  // What is proved is about plain losses: eta is constant.
  const ShareRecord record = ShareRecord::of(other.rows());
  EXPECT_EQ(record.constant_eta(), 1.5);
  EXPECT_TRUE(training_aligned_certificate(record, best_path(record).experts, 0.5).holds());
}

TEST(Transformer, EveryCertificateHoldsOnEveryFamily) {
  for (const auto& [method, name] : kShipped) {
    for (const auto& family : suite::families()) {
      const auto sequence = suite::generate(family.name, 250, 10, 2);
      const ShareRecord record = ShareRecord::of(traced(method, sequence.losses).rows());
      for (const auto& path : {best_path(record).experts, sequence.path}) {
        const Certificate sharp = sharp_certificate(record, path);
        const Certificate plain = weighted_certificate(record, path);
        EXPECT_TRUE(sharp.holds()) << method << " on " << family.name;
        EXPECT_TRUE(plain.holds()) << method << " on " << family.name;
        EXPECT_TRUE(std::isfinite(sharp.bound));
        EXPECT_LE(sharp.bound, plain.bound);
      }
    }
  }
}

TEST(Transformer, OptionsTakeOneChoiceAwayAndLeaveTheOthers) {
  constexpr std::size_t kExperts = 6;
  const Matrix losses = suite::generate("switch", 80, kExperts, 4).losses;
  const Trace free = traced("pcgs-tf", losses), eta = traced("pcgs-tf{eta=2.5}", losses),
              rho = traced("pcgs-tf{rho=0.03}", losses), never = traced("pcgs-tf{rho=0}", losses),
              uniform = traced("pcgs-tf{uniform=1}", losses);
  // Tokens see losses only, so that choices do not depend on one another.
  for (std::size_t t = 0; t < losses.rows; ++t) {
    const Trace::Row& row = free.rows()[t];
    EXPECT_EQ(eta.rows()[t].eta, 2.5);
    EXPECT_EQ(eta.rows()[t].rho, row.rho);
    EXPECT_TRUE(test::same_bits(eta.rows()[t].q, row.q));
    EXPECT_EQ(rho.rows()[t].rho, 0.03);
    EXPECT_EQ(never.rows()[t].rho, 0);
    EXPECT_EQ(rho.rows()[t].eta, row.eta);
    EXPECT_TRUE(test::same_bits(rho.rows()[t].q, row.q));
    EXPECT_TRUE(
        test::all_near(uniform.rows()[t].q, std::vector<double>(kExperts, 1.0 / kExperts), 1e-15));
    EXPECT_EQ(uniform.rows()[t].eta, row.eta);
    EXPECT_EQ(uniform.rows()[t].rho, row.rho);
  }
}

// ---- Models from files --------------------------------------------------------------------------

class TransformerFile : public ::testing::Test {
 protected:
  std::string written(const infer::Model& model, const std::string& name = "m.safetensors") {
    infer::write_model_file(model, dir_ / name);
    return dir_ / name;
  }

  // One sentence that names the file.
  static std::string refusal(const std::string& path) {
    const std::string message = error_of([&] { make_method(with_model(path), 3); });
    EXPECT_TRUE(mentions(message, path));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(message.find(". "), std::string::npos) << message;
    return message;
  }

  const test::TempDir dir_;
};

TEST_F(TransformerFile, OfTheShippedModelIsTheShippedMethod) {
  for (const auto& [method, name] : kShipped) {
    const std::string spec = with_model(written(shipped(name)));
    Aggregator built_in = make_aggregator(method, 6), read = make_aggregator(spec, 6);
    test::ShiftingLosses losses(6, 1);
    for (int t = 0; t < 60; ++t) {
      const std::vector<double> l = losses.next();
      built_in.learn(l);
      read.learn(l);
      ASSERT_TRUE(test::same_bits(built_in.weights(), read.weights())) << method;
    }
  }
}

TEST_F(TransformerFile, HasANameThatMakesTheSameMethodAgain) {
  const infer::Model model = shipped("regret");
  for (const char* file : {"m.safetensors", "a b.safetensors", "a=b:c,d.safetensors", "a{b}",
                           "\"a\", b", "a ", "a\\b"}) {
    for (const char* method : {"pcgs-tf", "pcgs-tf{eta=16,uniform=0.5}", "guard{learned=0.3}"}) {
      const std::string spec = pcgs::with_model(method, written(model, file));
      EXPECT_EQ(make_method(spec, 3)->name(), spec);
      EXPECT_EQ(pcgs::with_model(spec, "another"), spec) << "it has a model already";
      Aggregator saved = make_aggregator(spec, 3);
      saved.learn(std::vector<double>{0, 1, 0.5});
      saved.save(dir_ / "a.state");
      EXPECT_EQ(load_aggregator(dir_ / "a.state").save_bytes(), saved.save_bytes());
    }
  }
  for (const auto& [method, name] : kShipped) EXPECT_EQ(make_method(method, 3)->name(), method);
}

TEST_F(TransformerFile, IsReadOnceForAllMethodsOfOneSource) {
  const std::string path = written(shipped("regret"));
  const MethodSource source = resolve_method(with_model(path));
  std::filesystem::remove(path);
  for (const std::size_t experts : {3u, 5u}) {
    EXPECT_EQ(source(experts)->weights().size(), experts);
    EXPECT_EQ(source(experts)->name(), with_model(path));
  }
  error_of([&] { source(0); });
  refusal(path);
}

TEST_F(TransformerFile, IsReadOnceForAllSequencesOfATournament) {
  const std::string path = written(shipped("regret"));
  suite::TournamentOptions options;
  options.rounds = 20;
  options.experts = 3;
  options.sequences = 3;
  options.methods = {with_model(path), "pcgs-tf"};
  options.finished_one = [&] { std::filesystem::remove(path); };
  const suite::Tournament played = suite::play_tournament(options);
  EXPECT_EQ(played.entries[0].losses, played.entries[1].losses);
}

TEST_F(TransformerFile, IsRefusedWhereItIsNot) {
  refusal(dir_ / "absent.safetensors");
  std::ofstream(dir_ / "text") << "method,loss\n";
  refusal(dir_ / "text");
}

TEST_F(TransformerFile, OfOtherTokensIsRefused) {
  infer::Model model = shipped("regret");
  model.token_schema = "pcgs-tokens-0-12345678";
  const std::string message = refusal(written(model));
  EXPECT_TRUE(mentions(message, "pcgs-tokens-0-12345678"));
  EXPECT_TRUE(mentions(message, tokens::TokenStream::schema_name()));
}

TEST_F(TransformerFile, OfAnotherNumberOfFeaturesIsRefused) {
  for (const auto count : {&infer::Config::features, &infer::Config::shared}) {
    infer::Model model = shipped("regret");
    model.config.*count -= 1;
    infer::Tensor& embed = model.tensors.at("embed.weight");
    embed.shape[1] -= 1;
    embed.values.resize(embed.shape[0] * embed.shape[1]);
    EXPECT_TRUE(mentions(refusal(written(model)), "features"));
  }
  infer::Model model = shipped("regret");  // as many together, divided up in another way
  model.config.features -= 1;
  model.config.shared += 1;
  EXPECT_TRUE(mentions(refusal(written(model)), "features"));
}

TEST_F(TransformerFile, WithoutAConstantOrWithAnUnusableOneIsRefused) {
  for (const char* constant :
       {"rho_max", "uniform", "least_rate", "constant_eta", "constant_rho"}) {
    infer::Model model = shipped("regret");
    ASSERT_EQ(model.config.controls.erase(constant), 1u) << constant;
    EXPECT_TRUE(mentions(refusal(written(model)), constant));
    model.config.controls[constant] = -0.5;
    EXPECT_TRUE(mentions(refusal(written(model)), constant));
    model.config.controls[constant] = 1e9;
    EXPECT_TRUE(mentions(refusal(written(model)), constant));
  }
}

// What training without clipping q leaves: a share that is there for the code lengths alone.
TEST_F(TransformerFile, WithTheLeastUniformShareStaysFeasible) {
  infer::Model model = shipped("regret");
  model.config.controls["uniform"] = 1e-9;
  for (float& w : model.tensors.at("head.weight").values) w *= 100;  // q goes to one expert
  const std::string spec = with_model(written(model));
  const auto sequence = suite::generate("mix", 250, 10, 2);
  const Trace trace = traced(spec, sequence.losses);
  double least = 1;
  for (const Trace::Row& row : trace.rows()) {
    ASSERT_TRUE(test::on_simplex(row.weights));
    ASSERT_TRUE(test::on_simplex(row.q));
    least = std::min(least, *std::min_element(row.q.begin(), row.q.end()));
  }
  EXPECT_LT(least, 1e-9);
  EXPECT_GE(least, 1e-10 * (1 - 1e-12));
  const ShareRecord record = ShareRecord::of(trace.rows());
  for (const auto& path : {best_path(record).experts, sequence.path}) {
    EXPECT_TRUE(weighted_certificate(record, path).holds());
    EXPECT_TRUE(std::isfinite(sharp_certificate(record, path).bound));
  }
}

TEST_F(TransformerFile, StateGoesOnOnlyWithTheWeightsItWasSavedWith) {
  infer::Model model = shipped("regret");
  Aggregator aggregator = make_aggregator(with_model(written(model)), 4);
  test::ShiftingLosses losses(4, 2);
  for (int t = 0; t < 30; ++t) aggregator.learn(losses.next());
  aggregator.save(dir_ / "a.state");
  EXPECT_EQ(load_aggregator(dir_ / "a.state").save_bytes(), aggregator.save_bytes());

  infer::Model other = model;
  other.tensors.at("head.bias").values[0] += 0.5f;
  written(other);
  const std::string message = error_of([&] { load_aggregator(dir_ / "a.state"); });
  EXPECT_TRUE(mentions(message, "a.state"));
  EXPECT_TRUE(mentions(message, "weights"));

  other = model;
  other.config.controls.at("rho_max") *= 0.5;
  written(other);
  EXPECT_TRUE(mentions(error_of([&] { load_aggregator(dir_ / "a.state"); }), "weights"));

  written(model);
  EXPECT_EQ(load_aggregator(dir_ / "a.state").save_bytes(), aggregator.save_bytes());
}

TEST(Transformer, RefusesOptionsThatItDoesNotHave) {
  for (const char* spec : {"pcgs-tf{eta=0}", "pcgs-tf{rho=1}", "pcgs-tf{uniform=1.1}",
                           "pcgs-tf:oracle{model=a}", "pcgs-tf:oracl", "pcgs-tf{model=}",
                           "pcgs-tf{model=\"\"}", "hedge{model=a}", "guard{learned=0,model=a}"}) {
    SCOPED_TRACE(spec);
    error_of([&] { make_method(spec, 3); });
  }
}

}  // namespace
}  // namespace pcgs
