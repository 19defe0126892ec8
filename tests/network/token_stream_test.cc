#include "network/token_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "network/model.h"
#include "network/stream_states.h"
#include "network/transformer.h"
#include "reference/tokens.h"
#include "research/suite.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::tokens {
namespace {

using test::Random;

using Tokens = std::vector<std::vector<float>>;  // [T][K x features]

// [K x kFeatures] each expert's own numbers, then the shared ones.
std::vector<float> joined(const TokenStream& stream) {
  std::vector<float> out;
  for (auto own = stream.tokens(); !own.empty(); own = own.subspan(kExpertFeatures)) {
    out.insert(out.end(), own.begin(), own.begin() + kExpertFeatures);
    out.insert(out.end(), stream.shared().begin(), stream.shared().end());
  }
  return out;
}

Tokens tokens_of(MatrixView losses) {
  TokenStream stream(losses.columns);
  Tokens out;
  for (std::size_t t = 0; t < losses.rows; ++t) {
    stream.observe(losses.row(t));
    out.push_back(joined(stream));
  }
  return out;
}

Matrix random_losses(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random(seed);
  Matrix losses(rounds, experts);
  for (double& l : losses.values) l = random.uniform();
  return losses;
}

Matrix map(Matrix losses, double factor, double offset) {
  for (double& l : losses.values) l = factor * l + offset;
  return losses;
}

constexpr std::size_t kLogScale = kExpertFeatures + kSituation;
constexpr std::size_t kLogLevel = kLogScale + 1;
constexpr std::size_t kLogSpread = kLogScale + 4;  // of this round, in scales

bool is_of_leadership(std::size_t feature) {
  return (feature >= kLeadership && feature < kExpertFeatures) || feature >= kLogScale + 6;
}

// ---- Beside the definitions ---------------------------------------------------------------------

// Counts are exact: in 300 rounds the logarithms of two counts differ by 3e-3 or more. All else is
// float: a recursion of 300 rounds with sums over the experts, of numbers that a scale divides.
double tolerance_of(std::size_t feature) { return is_of_leadership(feature) ? 1e-6 : 1e-4; }

void expect_as_defined(MatrixView losses, const std::string& name) {
  const reference::TokenHistory expected = reference::token_history(losses);
  ASSERT_GT(expected.nearest_to_takeover, 1e-5) << name << ": rounding would decide; take others";
  TokenStream stream(losses.columns);
  for (std::size_t t = 0; t < losses.rows; ++t) {
    stream.observe(losses.row(t));
    ASSERT_NEAR(stream.scale(), expected.scale[t], 1e-6 * expected.scale[t]);
    const std::vector<float> tokens = joined(stream);
    ASSERT_EQ(tokens.size(), expected.tokens[t].size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const double e = expected.tokens[t][i];
      ASSERT_NEAR(tokens[i], e, tolerance_of(i % kFeatures) * std::max(1.0, std::abs(e)))
          << name << ", " << losses.columns << " experts, round " << t << ", expert "
          << i / kFeatures << ", feature " << i % kFeatures;
    }
  }
}

TEST(TokenStream, IsAsDefinedOnRandomLosses) {
  for (const std::size_t experts : {1u, 2u, 7u, 32u}) {
    expect_as_defined(random_losses(300, experts, experts), "random");
    if (HasFatalFailure()) return;
  }
}

TEST(TokenStream, IsAsDefinedWhenWinnersChange) {
  for (const char* family : {"switch", "hetero", "mix", "predictive{least=12,most=16,order=1}"}) {
    for (const std::size_t experts : {1u, 2u, 7u, 32u}) {
      expect_as_defined(suite::generate(family, 300, experts, 3).losses, family);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(TokenStream, IsAsDefinedForFourThousandExperts) {
  expect_as_defined(random_losses(6, 4096, 1), "random");
}

// What the comparison above would be worth little without.
TEST(TokenStream, RecognisesWhoUsuallyFollows) {
  const Matrix losses =
      suite::generate("predictive{members=3,least=12,most=16,order=1,noise=0.05}", 300, 7, 3)
          .losses;
  const Tokens tokens = tokens_of(losses);
  float most = 0;
  for (std::size_t k = 0; k < 7; ++k) {
    most = std::max(most, tokens.back()[k * kFeatures + kLeadership + 4]);
  }
  EXPECT_GE(most, std::log1p(4.0f));
}

// ---- Promises -----------------------------------------------------------------------------------

TEST(TokenStream, IsCausal) {
  for (const std::size_t experts : {1u, 6u, 33u}) {
    const Matrix first = random_losses(60, experts, 1);
    const Matrix second = with_other_future(first, random_losses(60, experts, 2));
    const Tokens a = tokens_of(first), b = tokens_of(second);
    for (std::size_t t = 0; t < 40; ++t) ASSERT_EQ(a[t], b[t]) << "round " << t;
    EXPECT_NE(a[40], b[40]);
  }
}

// The logarithm of a round's spread has a millionth added, which shows where experts all but agree.
TEST(TokenStream, IsScaleFreeButForTheFeaturesThatNameScaleAndLevel) {
  for (const std::size_t experts : {2u, 7u, 32u}) {
    const Matrix losses = suite::generate("switch", 200, experts, 5).losses;
    const Tokens plain = tokens_of(losses), tenth = tokens_of(map(losses, 0.1, 0));
    for (std::size_t t = 0; t < plain.size(); ++t) {
      for (std::size_t i = 0; i < plain[t].size(); ++i) {
        const std::size_t feature = i % kFeatures;
        if (feature == kLogLevel) {
          ASSERT_LT(tenth[t][i], plain[t][i] - 1);
          continue;
        }
        const double shift = feature == kLogScale ? std::log(0.1) : 0;
        const float* token = tenth[t].data() + (i - feature);
        const auto spread = static_cast<double>(std::exp(token[kLogScale] + token[kLogSpread]));
        const double tolerance = feature == kLogSpread ? 1e-4 + 2e-6 / spread : 1e-4;
        ASSERT_NEAR(static_cast<double>(tenth[t][i]) - shift, plain[t][i], tolerance)
            << experts << " experts, round " << t << ", feature " << feature;
      }
    }
  }
}

TEST(TokenStream, AConstantAddedToAllLossesShowsInTheLevelOnly) {
  for (const std::size_t experts : {1u, 2u, 7u, 32u}) {
    const Matrix losses = map(suite::generate("switch", 200, experts, 6).losses, 0.5, 0);
    const Tokens plain = tokens_of(losses), raised = tokens_of(map(losses, 1, 0.4));
    for (std::size_t t = 0; t < plain.size(); ++t) {
      for (std::size_t i = 0; i < plain[t].size(); ++i) {
        const std::size_t feature = i % kFeatures;
        if (feature == kLogLevel) {
          ASSERT_GT(raised[t][i], plain[t][i] + 0.3f);
        } else {
          ASSERT_NEAR(raised[t][i], plain[t][i], 1e-4)
              << experts << " experts, round " << t << ", feature " << feature;
        }
      }
    }
  }
}

TEST(TokenStream, TokensMoveWithTheirExperts) {
  for (const std::size_t experts : {2u, 7u, 32u}) {
    const auto label = new_labels(experts);
    const Matrix losses = suite::generate("switch", 200, experts, 7).losses;
    const Matrix moved = relabelled(losses, label);
    const Tokens a = tokens_of(losses), b = tokens_of(moved);
    for (std::size_t t = 0; t < a.size(); ++t) {
      for (std::size_t k = 0; k < experts; ++k) {
        for (std::size_t i = 0; i < kFeatures; ++i) {
          ASSERT_NEAR(b[t][label[k] * kFeatures + i], a[t][k * kFeatures + i], 2e-4)
              << experts << " experts, round " << t << ", feature " << i;
        }
      }
    }
  }
}

// ---- Hostile losses -----------------------------------------------------------------------------

constexpr Hostile kHostile[] = {
    {"all 0", [](std::size_t, std::size_t) { return 0.0; }},
    {"all 1", [](std::size_t, std::size_t) { return 1.0; }},
    {"one spike", [](std::size_t k, std::size_t t) { return k == 0 && t == 20 ? 1.0 : 0.0; }},
    {"alternating", [](std::size_t k, std::size_t t) { return static_cast<double>((k + t) % 2); }},
    {"all up and down", [](std::size_t, std::size_t t) { return static_cast<double>(t % 2); }},
    {"one always right", [](std::size_t k, std::size_t) { return k == 0 ? 0.0 : 1.0; }},
    {"best becomes worst",
     [](std::size_t k, std::size_t t) { return (k == 0) == (t / 90 % 2 == 0) ? 0.0 : 1.0; }},
    {"denormal",
     [](std::size_t k, std::size_t t) {
       return static_cast<double>((k + t) % 3) * std::numeric_limits<double>::denorm_min();
     }},
    {"nearly tied",
     [](std::size_t k, std::size_t t) {
       return 0.5 + static_cast<double>((7 * k + 3 * t) % 5) * 0x1p-53;
     }},
    {"ties, then a spike",
     [](std::size_t k, std::size_t t) { return k == 1 && t == 300 ? 1.0 : 0.25; }},
};

void expect_bounded(std::span<const float> tokens, const std::string& where) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    ASSERT_LT(std::abs(tokens[i]), 50) << where << ", feature " << i % kFeatures;  // NaN fails
  }
}

TEST(TokenStream, StaysBoundedOnHostileLosses) {
  for (const Hostile& hostile : kHostile) {
    for (const std::size_t experts : {1u, 2u, 7u, 4096u}) {
      const Matrix losses = hostile.rows(experts == 4096 ? 25 : 600, experts);
      TokenStream stream(experts);
      for (std::size_t t = 0; t < losses.rows; ++t) {
        stream.observe(losses.row(t));
        expect_bounded(joined(stream), hostile.name + (", round " + std::to_string(t)));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// ---- Saving -------------------------------------------------------------------------------------

void expect_goes_on(const Matrix& losses) {
  expect_goes_on_to_the_bit<TokenStream>(
      losses.columns, losses.rows,
      [&](TokenStream& stream, std::size_t t) { stream.observe(losses.row(t)); }, joined);
}

TEST(TokenStream, SavedInAnyRoundItGoesOnToTheBit) {
  const auto usual = [](std::size_t experts) {
    return suite::generate("switch", 150, experts, 4).losses;
  };
  expect_of_each_history(kHostile, usual, expect_goes_on);
}

TokenStream stream_of_three() {
  TokenStream stream(3);
  const Matrix losses = suite::generate("switch{least=5,hazard=1}", 40, 3, 4).losses;
  for (std::size_t t = 0; t < losses.rows; ++t) stream.observe(losses.row(t));
  return stream;
}

TEST(TokenStream, ForgedStatesAreRefusedOrHarmless) {
  expect_forged_states_refused_or_harmless(
      stream_of_three(), 3, 1e19,
      [](TokenStream& stream, Random& random) { stream.observe(random.losses(3)); }, joined);
}

TEST(TokenStream, ALeaderWhoIsNoExpertIsRefused) {
  const auto file = saved(stream_of_three());
  std::size_t leader = words_of(file);  // the only whole number below K that is no length
  for (std::size_t i = 0; i < words_of(file); ++i) {
    TokenStream stream(3);
    try {
      load(stream, forged(file, i, ~std::uint64_t{0}));  // nobody leads; elsewhere, NaN or a length
      ASSERT_EQ(leader, words_of(file)) << "two places for a leader";
      leader = i;
    } catch (const Error&) {
    }
  }
  ASSERT_LT(leader, words_of(file));
  TokenStream stream(3);
  EXPECT_TRUE(
      test::mentions(test::error_of([&] { load(stream, forged(file, leader, 3)); }), "leader"));
}

// ---- Who leads ----------------------------------------------------------------------------------
//
// Histories small enough to count by hand.

constexpr std::size_t kExperts = 3;

// One round with this leader, or with nobody above the threshold.
void observe(Leadership& leadership, std::optional<std::size_t> leader) {
  std::vector<float> weights(kExperts, leader ? 0.15f : 1.0f / 3);
  if (leader) weights[*leader] = 0.7f;
  leadership.observe(weights);
}

void expect_expert(const Leadership& leadership, std::size_t k, bool leads, double share,
                   double took_over, double since, double in_a_row) {
  std::array<float, 5> out{};
  leadership.describe(k, out.data());
  EXPECT_EQ(out[0], leads ? 1 : 0) << k;
  EXPECT_FLOAT_EQ(out[1], static_cast<float>(std::log1p(kExperts * share))) << k;
  EXPECT_FLOAT_EQ(out[2], static_cast<float>(std::log1p(took_over))) << k;
  EXPECT_FLOAT_EQ(out[3], static_cast<float>(std::log1p(since))) << k;
  EXPECT_FLOAT_EQ(out[4], static_cast<float>(std::log1p(in_a_row))) << k;
}

void expect_reign(const Leadership& leadership, double age, double usual, double reigns) {
  std::array<float, 4> out{};
  leadership.describe_reign(out.data());
  EXPECT_FLOAT_EQ(out[0], static_cast<float>(std::log1p(age)));
  EXPECT_FLOAT_EQ(out[1], static_cast<float>(std::log1p(usual)));
  EXPECT_NEAR(out[2], std::log1p(age) - std::log1p(usual), 1e-6);
  EXPECT_FLOAT_EQ(out[3], static_cast<float>(std::log1p(reigns)));
}

TEST(Leadership, NobodyLeadsUntilSomebodyTakesOver) {
  Leadership leadership(kExperts);
  for (int t = 0; t < 4; ++t) observe(leadership, std::nullopt);
  for (std::size_t k = 0; k < kExperts; ++k) expect_expert(leadership, k, false, 0, 0, 4, 0);
  expect_reign(leadership, 4, 4, 0);
}

TEST(Leadership, LastsUntilAnotherTakesOver) {
  Leadership leadership(kExperts);
  observe(leadership, 1);
  observe(leadership, std::nullopt);
  observe(leadership, std::nullopt);
  expect_expert(leadership, 1, true, 1, 1, 0, 0);
  expect_expert(leadership, 0, false, 0, 0, 3, 0);
  expect_reign(leadership, 2, 2, 1);
}

TEST(Leadership, TakesMoreThanTheThreshold) {
  Leadership leadership(2);
  leadership.observe(std::vector<float>{1 - kTakesOver, kTakesOver});
  std::array<float, 5> out{};
  leadership.describe(1, out.data());
  EXPECT_EQ(out[0], 0);
  leadership.observe(std::vector<float>{0.39f, std::nextafter(kTakesOver, 1.0f)});
  leadership.describe(1, out.data());
  EXPECT_EQ(out[0], 1);
}

// 0 0 1 0 0 0 1 0: expert 1 has followed expert 0 twice in a row, expert 0 expert 1 as well.
TEST(Leadership, CountsReignsAndWhoFollowedWhom) {
  Leadership leadership(kExperts);
  for (const std::size_t leader : {0u, 0u, 1u, 0u, 0u, 0u, 1u, 0u}) observe(leadership, leader);
  expect_expert(leadership, 0, true, 6.0 / 8, 3, 0, 0);
  expect_expert(leadership, 1, false, 2.0 / 8, 2, 1, 2);
  expect_expert(leadership, 2, false, 0, 0, 8, 0);
  expect_reign(leadership, 0, (2 + 1 + 3 + 1) / 4.0, 5);
  // Another follows: the row of expert 1 is over, and the first of expert 2 shows when 0 leads.
  observe(leadership, 2);
  expect_expert(leadership, 0, false, 6.0 / 9, 3, 1, 0);
  observe(leadership, 0);
  expect_expert(leadership, 1, false, 2.0 / 10, 2, 3, 0);
  expect_expert(leadership, 2, false, 1.0 / 10, 1, 1, 1);
}

// ---- What models are trained on -----------------------------------------------------------------

// A failure means that every trained model is refused from now on. If tokens were meant to change,
// raise kSchemaVersion where the constants alone do not show it, take the new name, train again.
TEST(TokenSchema, IsTheOneThatModelsWereTrainedOn) {
  EXPECT_EQ(TokenStream::schema_name(), "pcgs-tokens-2-33c45a7e");
  EXPECT_EQ(kExpertFeatures, 63u);
  EXPECT_EQ(kSharedFeatures, 67u);
}

TEST(TokenSchema, IsNamedByEveryShippedModel) {
  for (const char* name : {"regret", "oracle"}) {
    const infer::Model model = infer::read_model(infer::shipped_model(name), name);
    EXPECT_EQ(model.token_schema, TokenStream::schema_name()) << name;
    EXPECT_EQ(model.config.features, kExpertFeatures) << name;
    EXPECT_EQ(model.config.shared, kSharedFeatures) << name;
  }
}

TEST(SideFeatures, AreSignedLogarithms) {
  const std::vector<double> side = {0, 1e-9, -1e-9, 0.5, -0.5, 23, -1e6};
  std::vector<float> out(side.size());
  side_features(side, out);
  for (std::size_t i = 0; i < side.size(); ++i) {
    const double expected = side[i] < 0 ? -std::log1p(-side[i]) : std::log1p(side[i]);
    EXPECT_EQ(out[i], static_cast<float>(expected)) << side[i];
  }
}

TEST(SideFeatures, OfAnyFiniteNumberAreBelow710) {
  constexpr double kMost = std::numeric_limits<double>::max();
  std::vector<float> out(2);
  side_features(std::vector{kMost, -kMost}, out);
  EXPECT_GT(out[0], 700);
  EXPECT_LT(out[0], 710);
  EXPECT_EQ(out[1], -out[0]);
}

}  // namespace
}  // namespace pcgs::tokens
