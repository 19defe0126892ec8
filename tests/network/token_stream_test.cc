#include "network/token_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "reference/tokens.h"
#include "research/suite.h"
#include "support/expect.h"
#include "support/forge.h"
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
    Matrix second = first;
    const Matrix future = random_losses(60, experts, 2);
    const auto at = static_cast<std::ptrdiff_t>(40 * experts);
    std::copy(future.values.begin() + at, future.values.end(), second.values.begin() + at);
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
    Random random(experts);
    std::vector<std::size_t> label(experts);
    std::iota(label.begin(), label.end(), 0);
    for (std::size_t i = experts - 1; i > 0; --i) std::swap(label[i], label[random.below(i + 1)]);
    if (experts == 2) label = {1, 0};
    const Matrix losses = suite::generate("switch", 200, experts, 7).losses;
    Matrix moved = losses;
    for (std::size_t t = 0; t < losses.rows; ++t) {
      for (std::size_t k = 0; k < experts; ++k) moved.row(t)[label[k]] = losses.row(t)[k];
    }
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

struct Stream {
  const char* name;
  double (*loss)(std::size_t k, std::size_t t);
};

constexpr Stream kHostile[] = {
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
  for (const Stream& hostile : kHostile) {
    for (const std::size_t experts : {1u, 2u, 7u, 4096u}) {
      const std::size_t rounds = experts == 4096 ? 25 : 600;
      TokenStream stream(experts);
      std::vector<double> losses(experts);
      for (std::size_t t = 0; t < rounds; ++t) {
        for (std::size_t k = 0; k < experts; ++k) losses[k] = hostile.loss(k, t);
        stream.observe(losses);
        expect_bounded(joined(stream), hostile.name + (", round " + std::to_string(t)));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// ---- Saving -------------------------------------------------------------------------------------

std::vector<std::uint8_t> saved(const TokenStream& stream) {
  StateWriter out;
  stream.save(out);
  return out.file(7);
}

void load(TokenStream& stream, const std::vector<std::uint8_t>& file) {
  StateReader in(file, "a file");
  stream.load(in);
  in.finish();
}

void expect_goes_on_to_the_bit(MatrixView losses) {
  TokenStream through(losses.columns), resumed(losses.columns);
  for (std::size_t t = 0; t < losses.rows; ++t) {
    TokenStream fresh(losses.columns);
    ASSERT_NO_THROW(load(fresh, saved(resumed))) << "round " << t;
    resumed = fresh;
    through.observe(losses.row(t));
    resumed.observe(losses.row(t));
    ASSERT_EQ(joined(through), joined(resumed)) << "round " << t;
    ASSERT_EQ(through.scale(), resumed.scale());
    ASSERT_EQ(saved(through), saved(resumed)) << "round " << t;
  }
}

TEST(TokenStream, SavedInAnyRoundItGoesOnToTheBit) {
  for (const std::size_t experts : {1u, 2u, 9u}) {
    expect_goes_on_to_the_bit(suite::generate("switch", 150, experts, 4).losses);
    if (HasFatalFailure()) return;
  }
}

TEST(TokenStream, SavedAmongHostileLossesItGoesOnToTheBit) {
  for (const Stream& hostile : kHostile) {
    Matrix losses(320, 3);
    for (std::size_t t = 0; t < losses.rows; ++t) {
      for (std::size_t k = 0; k < 3; ++k) losses.row(t)[k] = hostile.loss(k, t);
    }
    SCOPED_TRACE(hostile.name);
    expect_goes_on_to_the_bit(losses);
    if (HasFatalFailure()) return;
  }
}

class ForgedTokens : public ::testing::Test {
 protected:
  static constexpr std::size_t kExperts = 3;

  ForgedTokens() {
    TokenStream stream(kExperts);
    const Matrix losses = suite::generate("switch{least=5,hazard=1}", 40, kExperts, 4).losses;
    for (std::size_t t = 0; t < losses.rows; ++t) stream.observe(losses.row(t));
    file_ = saved(stream);
  }

  std::size_t words() const { return (file_.size() - test::kStateHeader - 4) / 8; }

  std::vector<std::uint8_t> with(std::size_t word, std::uint64_t bits) const {
    auto file = file_;
    test::put_u64(file, test::kStateHeader + 8 * word, bits);
    test::seal(file);
    return file;
  }

  std::vector<std::uint8_t> file_;
};

// Every number of a state is a count or bounded, so that none of these can stand for one.
TEST_F(ForgedTokens, NumbersOutOfAllBoundsAreRefused) {
  ASSERT_GT(words(), 100u);
  for (std::size_t i = 0; i < words(); ++i) {
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, -1e19, 1e19}) {
      TokenStream stream(kExperts);
      SCOPED_TRACE(std::to_string(bad) + " in place of number " + std::to_string(i));
      EXPECT_TRUE(test::mentions(
          test::error_of([&] { load(stream, with(i, std::bit_cast<std::uint64_t>(bad))); }),
          "a file"));
    }
  }
}

// What is not refused does no harm: tokens stay finite.
TEST_F(ForgedTokens, NumbersThatAreAcceptedLeaveTokensFinite) {
  std::size_t accepted = 0, refused = 0;
  for (std::size_t i = 0; i < words(); ++i) {
    for (const double odd :
         {0.0, 1e-320, 1e-300, 1e-40, 1e-9, 0.5, 1.0, 2.0, 1e6, -1e-9, -0.5, -1.0, -2.0, -1e6}) {
      TokenStream stream(kExperts);
      try {
        load(stream, with(i, std::bit_cast<std::uint64_t>(odd)));
      } catch (const Error&) {
        ++refused;
        continue;
      }
      ++accepted;
      Random random(i);
      for (int t = 0; t < 3; ++t) {
        stream.observe(random.losses(kExperts));
        TokenStream again(kExperts);
        ASSERT_NO_THROW(load(again, saved(stream))) << odd << " in place of number " << i;
        const std::vector<float> tokens = joined(stream);
        for (std::size_t j = 0; j < tokens.size(); ++j) {
          ASSERT_TRUE(std::isfinite(tokens[j]))
              << odd << " in place of number " << i << " makes feature " << j % kFeatures << " "
              << tokens[j];
        }
      }
    }
  }
  EXPECT_GT(accepted, 500u);
  EXPECT_GT(refused, 500u);
}

TEST_F(ForgedTokens, ALeaderWhoIsNoExpertIsRefused) {
  std::size_t leader = words();  // the only whole number below K that is no length
  for (std::size_t i = 0; i < words(); ++i) {
    TokenStream stream(kExperts);
    try {
      load(stream, with(i, ~std::uint64_t{0}));  // nobody leads; elsewhere, NaN or a length
      ASSERT_EQ(leader, words()) << "two places for a leader";
      leader = i;
    } catch (const Error&) {
    }
  }
  ASSERT_LT(leader, words());
  TokenStream stream(kExperts);
  EXPECT_TRUE(
      test::mentions(test::error_of([&] { load(stream, with(leader, kExperts)); }), "leader"));
}

TEST_F(ForgedTokens, StatesOfAnotherLengthAreRefused) {
  for (const std::size_t experts : {1u, 2u, 4u, 9u}) {
    TokenStream stream(experts);
    test::error_of([&] { load(stream, file_); });
  }
}

}  // namespace
}  // namespace pcgs::tokens
