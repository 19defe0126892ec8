#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/losses.h"
#include "research/bayes_filter.h"

namespace pcgs::suite {
namespace {

constexpr double kNormal = std::numeric_limits<double>::infinity();

// Narrow and wide, in the middle and at the ends, with and without tails and jumps.
const std::vector<reference::ClippedLoss> kLaws = {
    {0.5, 0.1, kNormal, 0, 0},     {0.3, 0.25, kNormal, 0, 0},   {0.0, 0.03, kNormal, 0, 0},
    {1.0, 0.05, kNormal, 0, 0},    {0.5, 1.0, kNormal, 0, 0},    {0.5, 0.1, 3, 0.03, 0.5},
    {0.3, 0.1, 2, 0.06, 0.5},      {0.5, 0.03, 0.5, 0, 0},       {0.2, 0.3, 5, 0.5, 0.3},
    {0.5, 0.05, kNormal, 1, 0.25}, {0.5, 0.05, kNormal, 1, 1.0}, {0.4, 0.2, 1000, 0.2, 0.1},
};

ClippedLaw product(const reference::ClippedLoss& law) {
  return {law.centre, {law.scale, law.df, law.jump_probability, law.jump}};
}

std::string described(const reference::ClippedLoss& law) {
  return "centre " + std::to_string(law.centre) + ", scale " + std::to_string(law.scale) + ", df " +
         std::to_string(law.df) + ", jumps " + std::to_string(law.jump_probability) + " of " +
         std::to_string(law.jump);
}

TEST(ClippedLaw, LikelihoodMatchesTheMixtureOverJumps) {
  for (const auto& law : kLaws) {
    const ClippedLaw fast = product(law);
    for (const double loss : {1e-9, 0.001, 0.1, 0.25, 0.3, 0.5, 0.62, 0.9, 0.999}) {
      const auto slow = static_cast<double>(reference::likelihood(law, loss));
      EXPECT_NEAR(fast.likelihood(loss), slow, 1e-9 * slow) << described(law) << " at " << loss;
    }
  }
}

TEST(ClippedLaw, AtomsAndTheIntegralOfTheDensityMakeOne) {
  for (const auto& law : kLaws) {
    const ClippedLaw fast = product(law);
    // Simpson's rule over (0,1) on a grid far finer than the narrowest scale; at the ends the
    // density's limit, not the atom.
    constexpr int kIntervals = 4000;
    const double inside = 0x1p-40;
    double sum = fast.likelihood(inside) + fast.likelihood(1 - inside);
    for (int i = 1; i < kIntervals; ++i) {
      sum += (i % 2 == 1 ? 4 : 2) * fast.likelihood(static_cast<double>(i) / kIntervals);
    }
    const double between = sum / (3.0 * kIntervals);
    EXPECT_NEAR(fast.likelihood(0) + between + fast.likelihood(1), 1, 1e-8) << described(law);
  }
}

TEST(ClippedLaw, AtomsKeepTheirDigitsWhereTheyAreTiny) {
  for (const double scale : {0.03, 0.05, 0.08, 0.12, 0.3}) {
    for (const double centre : {0.3, 0.5, 0.7}) {
      const reference::ClippedLoss law = {centre, scale, kNormal, 0, 0};
      const auto at_zero = static_cast<double>(reference::likelihood(law, 0));
      const auto at_one = static_cast<double>(reference::likelihood(law, 1));
      EXPECT_NEAR(product(law).likelihood(0), at_zero, 1e-9 * at_zero) << described(law);
      EXPECT_NEAR(product(law).likelihood(1), at_one, 1e-9 * at_one) << described(law);
    }
  }
}

TEST(ClippedLaw, MeanIsTheIntegralOfTheLossOverItsLaw) {
  for (const auto& law : kLaws) {
    EXPECT_NEAR(product(law).mean(), static_cast<double>(reference::mean(law)), 1e-8)
        << described(law);
  }
}

TEST(ClippedLaw, DrawsHaveTheMeanTheAtomsAndTheQuantilesOfTheLaw) {
  constexpr int kDraws = 200'000;
  constexpr double kStandardErrors = 5;
  constexpr double kPoints[] = {0.1, 0.25, 0.4, 0.5, 0.6, 0.8};
  for (const auto& law : kLaws) {
    SCOPED_TRACE(described(law));
    const ClippedLaw fast = product(law);
    Random random("clipped law", 11);
    double sum = 0;
    int zeros = 0, ones = 0;
    int below[std::size(kPoints)] = {};
    for (int i = 0; i < kDraws; ++i) {
      const double loss = ClippedLaw::clip(fast.draw_unclipped(random));
      ASSERT_TRUE(loss >= 0 && loss <= 1) << loss;
      sum += loss;
      zeros += loss == 0;
      ones += loss == 1;
      for (std::size_t j = 0; j < std::size(kPoints); ++j) below[j] += loss <= kPoints[j];
    }
    const auto mean = static_cast<double>(reference::mean(law));
    const auto square =
        static_cast<double>(reference::inner_moment(law, 2) + reference::above(law, 1));
    EXPECT_NEAR(sum / kDraws, mean, kStandardErrors * std::sqrt((square - mean * mean) / kDraws));
    // A share of draws, with a little room for shares that are all but 0 or 1.
    const auto expect_share = [&](int count, long double probability, const char* what) {
      const auto p = static_cast<double>(probability);
      EXPECT_NEAR(static_cast<double>(count) / kDraws, p,
                  kStandardErrors * std::sqrt(p * (1 - p) / kDraws) + 1e-5)
          << what;
    };
    expect_share(zeros, reference::below(law, 0), "at 0");
    expect_share(ones, reference::above(law, 1), "at 1");
    for (std::size_t j = 0; j < std::size(kPoints); ++j) {
      expect_share(below[j], reference::below(law, kPoints[j]), "below a point");
    }
  }
}

}  // namespace
}  // namespace pcgs::suite
