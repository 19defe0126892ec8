#include "combine/expert_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect.h"
#include "support/random.h"

namespace pcgs::levels {
namespace {

using test::Random;
using Numbers = std::vector<double>;

ExpertWeights learned(std::size_t experts, std::uint64_t seed) {
  ExpertWeights weights(1, 0.01);
  for (std::size_t k = 0; k < experts; ++k) weights.add();
  Random random(seed);
  for (int t = 0; t < 10; ++t) weights.learn(random.losses(experts), 1);
  return weights;
}

TEST(ExpertWeights, StartWithNobodyAndAreEqualUntilTheyLearn) {
  ExpertWeights weights(1, 0.01);
  EXPECT_EQ(weights.experts(), 0u);
  EXPECT_TRUE(weights.weights().empty());
  for (std::size_t k = 1; k <= 20; ++k) {
    weights.add();
    EXPECT_TRUE(test::all_near(weights.weights(), Numbers(k, 1 / static_cast<double>(k)), 1e-15));
  }
}

TEST(ExpertWeights, LearnByTheShareRecursionAtAPartOfBothRates) {
  for (const double part : {1.0, 0.5, 0.01}) {
    ExpertWeights weights = learned(3, 1);
    const Numbers before = test::copy(weights.weights()), losses = {0.5, 20, 0};
    Numbers expected(3);
    double total = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      total += expected[k] = before[k] * std::exp(-part * losses[k]);
    }
    for (double& w : expected) w = (1 - part * 0.01) * w / total + part * 0.01 / 3;
    weights.learn(losses, part);
    EXPECT_TRUE(test::all_near(weights.weights(), expected, 1e-14)) << part;
  }
}

TEST(ExpertWeights, ANewcomerTakesItsPartFromAllInProportion) {
  for (std::size_t experts = 1; experts <= 8; ++experts) {
    ExpertWeights weights = learned(experts, experts);
    Numbers expected = test::copy(weights.weights());
    const auto count = static_cast<double>(experts);
    for (double& w : expected) w *= count / (count + 1);
    expected.push_back(1 / (count + 1));
    weights.add();
    EXPECT_TRUE(test::all_near(weights.weights(), expected, 1e-15));
    EXPECT_TRUE(test::on_simplex(weights.weights()));
  }
}

TEST(ExpertWeights, WhatALeaverHadReturnsInProportion) {
  for (std::size_t experts = 2; experts <= 8; ++experts) {
    for (std::size_t leaver = 0; leaver < experts; ++leaver) {
      ExpertWeights weights = learned(experts, experts);
      Numbers expected = test::copy(weights.weights());
      const double had = expected[leaver];
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(leaver));
      for (double& w : expected) w /= 1 - had;
      weights.remove(leaver);
      EXPECT_TRUE(test::all_near(weights.weights(), expected, 1e-14));
      EXPECT_TRUE(test::on_simplex(weights.weights()));
    }
  }
}

TEST(ExpertWeights, ANewcomerThatLeavesAtOnceLeavesNoTrace) {
  ExpertWeights weights = learned(5, 3);
  const Numbers before = test::copy(weights.weights());
  weights.add();
  weights.remove(5);
  EXPECT_TRUE(test::all_near(weights.weights(), before, 1e-15));
}

TEST(ExpertWeights, TheLastOneMayLeaveAndOthersMayCome) {
  ExpertWeights weights = learned(1, 1);
  weights.remove(0);
  EXPECT_EQ(weights.experts(), 0u);
  weights.add();
  EXPECT_TRUE(test::same_bits(weights.weights(), Numbers{1}));
}

TEST(ExpertWeights, WhoeverHadAlmostEverythingMayLeave) {
  ExpertWeights weights(3, 1e-12);
  for (int k = 0; k < 3; ++k) weights.add();
  for (int t = 0; t < 1000; ++t) weights.learn(Numbers{0, 20, 20}, 1);
  EXPECT_GT(weights.weights()[0], 0.999);
  weights.remove(0);
  EXPECT_TRUE(test::all_near(weights.weights(), Numbers{0.5, 0.5}, 1e-9));
}

TEST(ExpertWeights, SavedAndLoadedTheyGoOnToTheBit) {
  for (std::size_t experts = 0; experts <= 4; ++experts) {
    ExpertWeights weights = learned(experts == 0 ? 1 : experts, 9);
    if (experts == 0) weights.remove(0);
    StateWriter out;
    weights.save(out);
    const auto file = out.file(1);
    StateReader in(file, "weights");
    ExpertWeights loaded = learned(2, 5);
    loaded.load(in, experts);
    in.finish();
    for (auto* one : {&weights, &loaded}) {
      one->add();
      one->learn(Numbers(experts + 1, 0.25), 0.5);
    }
    EXPECT_TRUE(test::same_bits(loaded.weights(), weights.weights())) << experts;
  }
}

TEST(ExpertWeights, OfAnotherNumberOfExpertsAreRefused) {
  StateWriter out;
  learned(3, 1).save(out);
  const auto file = out.file(1);
  for (const std::size_t experts : {1u, 2u, 4u, 1000u}) {
    StateReader in(file, "weights");
    ExpertWeights loaded(1, 0.01);
    test::error_of([&] { loaded.load(in, experts); });
  }
}

}  // namespace
}  // namespace pcgs::levels
