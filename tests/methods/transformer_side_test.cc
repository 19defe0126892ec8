// Side information: a model that was trained with some sees it in every round, and is not played
// without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "network/model.h"
#include "network/token_stream.h"
#include "network/transformer.h"
#include "pcgs/registry.h"
#include "pcgs/trace.h"
#include "research/suite.h"
#include "research/tournament.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/random_controller.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

constexpr std::size_t kExperts = 5, kSide = 2;

using test::error_of;
using test::mentions;
using Numbers = std::vector<double>;

class TransformerSide : public ::testing::Test {
 protected:
  TransformerSide() { infer::write_model_file(model_, path_); }

  Aggregator aggregator(Aggregator::Options options = {}) const {
    return make_aggregator(spec_, kExperts, std::move(options));
  }

  // A message that names the method and both counts; the aggregator stays as it was.
  void refuses(Aggregator& a, std::size_t given, const std::function<void(Aggregator&)>& action) {
    const auto before = a.save_bytes();
    const std::string message = error_of([&] { action(a); });
    EXPECT_TRUE(mentions(message, spec_));
    EXPECT_TRUE(mentions(message, "needs 2 numbers of side information"));
    EXPECT_TRUE(mentions(message, "here are " + std::to_string(given)));
    EXPECT_EQ(a.save_bytes(), before);
  }

  const test::TempDir dir_;
  const std::string path_ = dir_ / "side.safetensors";
  const std::string spec_ = "pcgs-tf{model=" + path_ + "}";
  const infer::Model model_ = test::random_controller(kSide, 1);
  const Matrix losses_ = suite::generate("switch", 60, kExperts, 3).losses;
};

TEST_F(TransformerSide, ComesAfterTheSharedNumbersAsASignedLogarithm) {
  Aggregator played = aggregator();
  Trace trace;
  played.trace(&trace);
  tokens::TokenStream stream(kExperts);
  const infer::Network network(model_);
  infer::Forward forward(network, kExperts);
  test::Random random(7);
  for (std::size_t t = 0; t < losses_.rows; ++t) {
    const Numbers side = {random.uniform(0, 100), random.uniform(-1, 0)};
    played.learn(played.open({}, side), losses_.row(t));
    stream.observe(losses_.row(t));
    std::vector<float> shared(stream.shared().begin(), stream.shared().end());
    shared.push_back(static_cast<float>(std::log1p(side[0])));
    shared.push_back(static_cast<float>(-std::log1p(-side[1])));
    std::vector<float> logits(kExperts);
    const infer::Pooled out = forward.run(stream.tokens(), shared, logits);
    const Trace::Row& row = trace.rows()[t];
    ASSERT_NEAR(row.rho, 0.5 / (1 + std::exp(-double{out.restart})), 1e-12);
    const auto most = std::max_element(logits.begin(), logits.end()) - logits.begin();
    ASSERT_EQ(std::max_element(row.q.begin(), row.q.end()) - row.q.begin(), most);
  }
}

TEST_F(TransformerSide, ChangesWhatIsPlayedNext) {
  Aggregator a = aggregator(), b = aggregator();
  a.learn(a.open({}, Numbers{1, 2}), losses_.row(0));
  b.learn(b.open({}, Numbers{1, -2}), losses_.row(0));
  EXPECT_FALSE(test::all_near(a.weights(), b.weights(), 1e-6));
}

TEST_F(TransformerSide, OfAnotherCountIsRefusedWhenTheRoundIsOpened) {
  Aggregator a = aggregator();
  a.learn(a.open({}, Numbers{1, 2}), losses_.row(0));
  refuses(a, 0, [&](Aggregator& x) { x.open(); });
  refuses(a, 1, [&](Aggregator& x) { x.open({}, Numbers{1}); });
  refuses(a, 3, [&](Aggregator& x) { x.open({}, Numbers{1, 2, 3}); });
  refuses(a, 0, [&](Aggregator& x) { x.predict(losses_.row(1)); });
  refuses(a, 3, [&](Aggregator& x) { x.predict(losses_.row(1), Numbers{1, 2, 3}); });
  refuses(a, 0, [&](Aggregator& x) { x.learn(losses_.row(1)); });
}

TEST_F(TransformerSide, IsIgnoredByAModelThatWasTrainedWithoutIt) {
  Aggregator plain = make_aggregator("pcgs-tf", kExperts), told = make_aggregator("pcgs-tf", 5);
  EXPECT_EQ(told.method().side_needed(), 0u);
  for (std::size_t t = 0; t < losses_.rows; ++t) {
    plain.learn(losses_.row(t));
    told.learn(told.open({}, Numbers(t % 4, 9.0)), losses_.row(t));
    ASSERT_TRUE(test::same_bits(plain.weights(), told.weights()));
  }
}

TEST_F(TransformerSide, OfOpenRoundsIsSavedAndLoaded) {
  Aggregator a = aggregator({.scale = LossScale::following()});
  for (std::size_t t = 0; t < 2; ++t) a.learn(a.open({}, Numbers{1, double(t)}), losses_.row(t));
  const std::int64_t late = a.open({}, Numbers{5, -5});
  Aggregator b = Aggregator::load_bytes(a.save_bytes(), "a state", make_method);
  for (Aggregator* x : {&a, &b}) x->learn(late, losses_.row(2));
  EXPECT_TRUE(test::same_bits(a.weights(), b.weights()));
  EXPECT_EQ(a.save_bytes(), b.save_bytes());
}

TEST_F(TransformerSide, OfAnotherCountInAStateIsRefused) {
  Aggregator a = aggregator();
  a.open({}, Numbers{5, -5});
  const auto needs_one = [&](std::string_view, std::size_t experts) {
    return std::make_unique<ShareMethod>(
        experts, make_transformer(std::make_shared<TransformerModel>(test::random_controller(1, 1),
                                                                     "another model"),
                                  spec_));
  };
  EXPECT_TRUE(
      mentions(error_of([&] { Aggregator::load_bytes(a.save_bytes(), "a state", needs_one); }),
               "side information"));
}

TEST_F(TransformerSide, MakesATournamentOfMadeUpSequencesRefuseTheModel) {
  suite::TournamentOptions options;
  options.experts = kExperts;
  options.methods = {"hedge", spec_};
  options.sequences = 1;
  options.finished_one = [] { ADD_FAILURE() << "played"; };
  EXPECT_TRUE(mentions(error_of([&] { suite::play_tournament(options); }), "side information"));
}

}  // namespace
}  // namespace pcgs
