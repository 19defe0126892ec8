#include "network/error_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "network/model.h"
#include "network/stream_states.h"
#include "reference/error_tokens.h"
#include "support/random.h"

namespace pcgs::tokens {
namespace {

using test::Random;
using namespace errors;

// Something in common, noise of its own, a bias, and pairs whose errors cancel; now and then a
// wild one, and after 150 rounds the good are others than before.
Matrix random_errors(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random(seed);
  Matrix errors(rounds, experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    const double common = random.normal(), opposed = 2 * random.normal();
    for (std::size_t k = 0; k < experts; ++k) {
      const double own = t / 150 % 2 == k % 2 ? 0.5 : 2;
      errors.row(t)[k] = 0.3 * common + own * random.normal() + (k % 2 == 0 ? opposed : -opposed) +
                         (k % 3 == 0 ? 1 : 0);
      if (random.chance(0.01)) errors.row(t)[k] *= 40;
    }
  }
  return errors;
}

// Squares, divided by a scale and clipped: any losses in [0,1] would do.
Matrix losses_of(const Matrix& errors) {
  double most = 0;
  for (const double e : errors.values) most = std::max(most, std::abs(e));
  Matrix losses = errors;
  for (double& l : losses.values) l = most == 0 ? 0 : std::min(1.0, 100 * (l / most) * (l / most));
  return losses;
}

// [K x kExpertFeatures] tokens, [kSharedFeatures] shared, [K] anchor.
std::vector<float> all_of(const ErrorStream& stream) {
  std::vector<float> out(stream.tokens().begin(), stream.tokens().end());
  out.insert(out.end(), stream.shared().begin(), stream.shared().end());
  out.insert(out.end(), stream.anchor().begin(), stream.anchor().end());
  return out;
}

using History = std::vector<std::vector<float>>;  // [T][as all_of()]

History history_of(const Matrix& errors, const Matrix& losses) {
  ErrorStream stream(errors.columns);
  History out;
  for (std::size_t t = 0; t < errors.rows; ++t) {
    stream.observe(errors.row(t), losses.row(t));
    out.push_back(all_of(stream));
  }
  return out;
}

History history_of(const Matrix& errors) { return history_of(errors, losses_of(errors)); }

std::string place(std::size_t i, std::size_t experts) {
  const std::size_t own = experts * kExpertFeatures;
  if (i < own) {
    return "expert " + std::to_string(i / kExpertFeatures) + ", feature " +
           std::to_string(i % kExpertFeatures);
  }
  if (i < own + kSharedFeatures) return "shared feature " + std::to_string(i - own);
  return "anchor of expert " + std::to_string(i - own - kSharedFeatures);
}

// ---- Beside the definitions ---------------------------------------------------------------------

// Float: recursions of some hundreds of rounds with sums over the experts. What a filter charges is
// a product of two errors of up to 20, and its weights add that up over hundreds of rounds.
double tolerance_at(std::size_t i, std::size_t experts) {
  const std::size_t own = experts * kExpertFeatures;
  const bool of_filters = i < own ? i % kExpertFeatures >= kLogWeights : i >= own + kSharedFeatures;
  return of_filters ? 1e-3 : 2e-4;
}

void expect_as_defined(const Matrix& errors, const std::string& name) {
  const Matrix losses = losses_of(errors);
  const reference::ErrorTokenHistory expected = reference::error_token_history(errors, losses);
  ErrorStream stream(errors.columns);
  for (std::size_t t = 0; t < errors.rows; ++t) {
    stream.observe(errors.row(t), losses.row(t));
    ASSERT_NEAR(stream.scale(), expected.scale[t], 1e-6 * expected.scale[t]);
    std::vector<double> want = expected.tokens[t];
    want.insert(want.end(), expected.shared[t].begin(), expected.shared[t].end());
    want.insert(want.end(), expected.anchor[t].begin(), expected.anchor[t].end());
    const std::vector<float> found = all_of(stream);
    ASSERT_EQ(found.size(), want.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], want[i],
                  tolerance_at(i, errors.columns) * std::max(1.0, std::abs(want[i])))
          << name << ", " << errors.columns << " experts, round " << t << ", "
          << place(i, errors.columns);
    }
  }
}

TEST(ErrorStream, IsAsDefinedOnRandomErrors) {
  for (const std::size_t experts : {1u, 2u, 7u, 32u}) {
    expect_as_defined(random_errors(300, experts, experts), "random");
    if (HasFatalFailure()) return;
  }
}

TEST(ErrorStream, IsAsDefinedForFiveHundredExperts) {
  expect_as_defined(random_errors(12, 500, 1), "random");
}

TEST(ErrorStream, IsAsDefinedWhereErrorsBeginLateAndOneExpertIsAlwaysRight) {
  Matrix errors = random_errors(200, 5, 3);
  for (std::size_t t = 0; t < errors.rows; ++t) {
    errors.row(t)[2] = 0;
    if (t < 20 || t == 90) std::fill_n(errors.row(t).begin(), 5, 0.0);
  }
  expect_as_defined(errors, "zeros");
}

// What the comparison above would be worth little without.
TEST(ErrorStream, KnowsWhoseErrorsCancel) {
  constexpr std::size_t kExperts = 5;
  Random random(4);
  ErrorStream stream(kExperts);
  std::vector<double> errors(kExperts);
  for (int t = 0; t < 400; ++t) {
    // 0 and 1 are each as bad as 2, 3 and 4, which are bad together.
    const double common = random.normal();
    for (double& e : errors) e = common + 0.3 * random.normal();
    errors[1] = -errors[0] + 0.1 * random.normal();
    stream.observe(errors, std::vector<double>(kExperts, 0.5));
  }
  const auto feature = [&](std::size_t expert, std::size_t index) {
    return stream.tokens()[expert * kExpertFeatures + index];
  };
  constexpr std::size_t kLong = kProducts + 3, kLinear = kLogWeights + 1;
  static_assert(kFilters[1].linear);
  EXPECT_LT(feature(1, kLong), 0);
  for (const std::size_t other : {2u, 3u, 4u}) {
    EXPECT_GT(feature(other, kLong), 0);
    EXPECT_GT(feature(1, kLinear), feature(other, kLinear) + 0.5f);
  }
}

// ---- Promises -----------------------------------------------------------------------------------

TEST(ErrorStream, IsCausal) {
  for (const std::size_t experts : {1u, 6u, 33u}) {
    const Matrix first = random_errors(60, experts, 1), losses = losses_of(first);
    const Matrix second = with_other_future(first, random_errors(60, experts, 2));
    const Matrix other_losses = with_other_future(losses, losses_of(second));
    const History a = history_of(first, losses), b = history_of(second, other_losses);
    for (std::size_t t = 0; t < 40; ++t) ASSERT_EQ(a[t], b[t]) << "round " << t;
    EXPECT_NE(a[40], b[40]);
  }
}

TEST(ErrorStream, IsTheSameInAnyUnit) {
  for (const std::size_t experts : {1u, 2u, 7u, 32u}) {
    const Matrix errors = random_errors(200, experts, 5), losses = losses_of(errors);
    const History plain = history_of(errors, losses);
    for (const double factor : {0x1p40, 0x1p-300, 1e6, 1e-6, 1e120}) {
      int exponent = 0;
      const bool exact = std::frexp(factor, &exponent) == 0.5;  // powers of two do not round
      Matrix other = errors;
      for (double& e : other.values) e *= factor;
      const History found = history_of(other, losses);
      for (std::size_t t = 0; t < plain.size(); ++t) {
        for (std::size_t i = 0; i < plain[t].size(); ++i) {
          ASSERT_NEAR(found[t][i], plain[t][i], exact ? 0 : 1e-4)
              << "times " << factor << ", round " << t << ", " << place(i, experts);
        }
      }
    }
  }
}

TEST(ErrorStream, TokensAndAnchorsMoveWithTheirExperts) {
  for (const std::size_t experts : {2u, 7u, 32u}) {
    const auto label = new_labels(experts);
    const Matrix errors = random_errors(200, experts, 7);
    const Matrix moved = relabelled(errors, label);
    const History a = history_of(errors), b = history_of(moved);
    const std::size_t own = experts * kExpertFeatures, anchors = own + kSharedFeatures;
    for (std::size_t t = 0; t < a.size(); ++t) {
      for (std::size_t i = 0; i < a[t].size(); ++i) {
        const std::size_t k = i / kExpertFeatures;
        const std::size_t there = i < own       ? label[k] * kExpertFeatures + i % kExpertFeatures
                                  : i < anchors ? i
                                                : anchors + label[i - anchors];
        // Sums in another order: the rounding of two streams, on any instruction set.
        ASSERT_NEAR(b[t][there], a[t][i], 10 * tolerance_at(i, experts))
            << "round " << t << ", " << place(i, experts);
      }
    }
  }
}

TEST(ErrorStream, OnlyBiasesAndRecentErrorsHaveASign) {
  for (const std::size_t experts : {1u, 7u, 32u}) {
    const Matrix errors = random_errors(200, experts, 8);
    Matrix mirrored = errors;
    for (double& e : mirrored.values) e = -e;
    const History a = history_of(errors), b = history_of(mirrored);
    for (std::size_t t = 0; t < a.size(); ++t) {
      for (std::size_t i = 0; i < a[t].size(); ++i) {
        const std::size_t feature = i % kExpertFeatures;
        const bool is_signed = i < experts * kExpertFeatures &&
                               ((feature >= kBiases && feature < kBiases + kBiasSpans.size()) ||
                                (feature >= kLatest && feature < kLatest + kRecent));
        ASSERT_EQ(b[t][i], is_signed ? -a[t][i] : a[t][i])
            << "round " << t << ", " << place(i, experts);
      }
    }
  }
}

TEST(ErrorStream, TheAnchorIsAWeightForEachExpert) {
  for (const std::size_t experts : {1u, 7u, 500u}) {
    const Matrix errors = random_errors(60, experts, 9), losses = losses_of(errors);
    ErrorStream stream(experts);
    for (std::size_t t = 0; t < errors.rows; ++t) {
      stream.observe(errors.row(t), losses.row(t));
      double total = 0;
      for (const float a : stream.anchor()) total += std::exp(double{a});
      ASSERT_NEAR(total, static_cast<double>(experts), 1e-4 * static_cast<double>(experts));
    }
  }
}

// ---- Hostile errors -----------------------------------------------------------------------------

double sign(std::size_t i) { return i % 2 == 0 ? 1 : -1; }

constexpr Hostile kHostile[] = {
    {"all 0", [](std::size_t, std::size_t) { return 0.0; }},
    {"0, then not",
     [](std::size_t k, std::size_t t) { return t < 50 ? 0.0 : sign(k + t) * double(k + 1); }},
    {"errors, then 0", [](std::size_t k, std::size_t t) { return t < 50 ? double(k + 1) : 0.0; }},
    {"one always right", [](std::size_t k, std::size_t t) { return k == 0 ? 0.0 : sign(t); }},
    {"two cancel", [](std::size_t k, std::size_t t) { return sign(k) * double(1 + t % 3); }},
    {"huge", [](std::size_t k, std::size_t t) { return sign(k + t) * 1e150; }},
    {"largest", [](std::size_t k,
                   std::size_t t) { return sign(k + t / 3) * std::numeric_limits<double>::max(); }},
    {"huge among small", [](std::size_t k, std::size_t t) { return k == t % 7 ? 1e150 : 1e-150; }},
    {"one huge at first", [](std::size_t k, std::size_t t) { return t == 0 ? 1e150 : double(k); }},
    {"tiny, then huge",
     [](std::size_t k, std::size_t t) { return t < 30 ? 1e-300 : sign(k) * 1e150; }},
    {"huge, then tiny",
     [](std::size_t k, std::size_t t) { return t < 30 ? 1e150 : sign(k) * 1e-300; }},
    {"denormal",
     [](std::size_t k, std::size_t t) {
       return sign(t) * double((k + t) % 3) * std::numeric_limits<double>::denorm_min();
     }},
    {"all the same", [](std::size_t, std::size_t t) { return sign(t); }},
    {"one spike", [](std::size_t k, std::size_t t) { return k == 0 && t == 20 ? 1e9 : 0.0; }},
};

TEST(ErrorStream, StaysBoundedOnHostileErrors) {
  for (const Hostile& hostile : kHostile) {
    for (const std::size_t experts : {1u, 2u, 7u, 500u}) {
      const History found = history_of(hostile.rows(experts == 500 ? 70 : 600, experts));
      for (std::size_t t = 0; t < found.size(); ++t) {
        for (std::size_t i = 0; i < found[t].size(); ++i) {
          ASSERT_LT(std::abs(found[t][i]), 70)  // NaN fails
              << hostile.name << ", round " << t << ", " << place(i, experts);
        }
      }
    }
  }
}

TEST(ErrorStream, IsAsBeforeTheFirstErrorWhileAllAreZero) {
  ErrorStream stream(3);
  const std::vector<double> zeros(3, 0.0);
  for (int t = 0; t < 40; ++t) stream.observe(zeros, zeros);
  for (const float a : stream.anchor()) EXPECT_NEAR(a, 0, 1e-6);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < kRecent; ++i) {
      EXPECT_EQ(stream.tokens()[k * kExpertFeatures + kLatest + i], 0);
    }
  }
}

// ---- Saving -------------------------------------------------------------------------------------

void expect_goes_on(const Matrix& errors) {
  const Matrix losses = losses_of(errors);
  expect_goes_on_to_the_bit<ErrorStream>(
      errors.columns, errors.rows,
      [&](ErrorStream& stream, std::size_t t) { stream.observe(errors.row(t), losses.row(t)); },
      all_of);
}

TEST(ErrorStream, SavedInAnyRoundItGoesOnToTheBit) {
  const auto usual = [](std::size_t experts) { return random_errors(150, experts, 4); };
  expect_of_each_history(kHostile, usual, expect_goes_on);
}

// Units of errors are at most 1e140.
TEST(ErrorStream, ForgedStatesAreRefusedOrHarmless) {
  ErrorStream stream(3);
  const Matrix errors = random_errors(40, 3, 4), losses = losses_of(errors);
  for (std::size_t t = 0; t < errors.rows; ++t) stream.observe(errors.row(t), losses.row(t));
  const auto play = [](ErrorStream& loaded, Random& random) {
    std::vector<double> drawn(3);
    for (double& x : drawn) x = random.normal();
    loaded.observe(drawn, random.losses(3));
  };
  expect_forged_states_refused_or_harmless(stream, 3, 1e141, play, all_of);
}

TEST(ErrorSchema, IsTheOneThatModelsWereTrainedOn) {
  EXPECT_EQ(ErrorStream::schema_name(), "pcgs-error-tokens-1-3dfb48c8");
  EXPECT_EQ(errors::kExpertFeatures, 33u);
  EXPECT_EQ(errors::kSharedFeatures, 33u);
}

TEST(ErrorSchema, IsNamedByTheShippedModelThatCombines) {
  const infer::Model model = infer::read_model(infer::shipped_model("combine"), "combine");
  EXPECT_EQ(model.token_schema, ErrorStream::schema_name());
  EXPECT_EQ(model.config.features, errors::kExpertFeatures);
  EXPECT_EQ(model.config.shared, errors::kSharedFeatures);
}

}  // namespace
}  // namespace pcgs::tokens
