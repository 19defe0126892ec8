#include "combine/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pcgs/quantiles.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::levels {
namespace {

using test::Random;
using Numbers = std::vector<double>;

Numbers stretched(const Calibration& calibration, Numbers quantiles) {
  calibration.stretch(quantiles);
  return quantiles;
}

TEST(Calibration, ChangesNoBitBeforeItHasLearned) {
  const Calibration calibration(Levels({0.1, 0.3, 0.7, 0.9}));
  for (const Numbers& quantiles :
       {Numbers{0.1, 0.3, 0.7, 1.1}, {-1.7e308, -1, 1.1, 1.7e308}, {5e-324, 5e-324, 1, 1}}) {
    EXPECT_TRUE(test::same_bits(stretched(calibration, quantiles), quantiles));
  }
}

// Two pairs, alpha 0.2 and 0.6, of which the outer one held the outcome and the inner one did not; ten
// series or fewer.
TEST(Calibration, StretchesWhatMissedAndShrinksWhatHeld) {
  Calibration calibration(Levels({0.1, 0.3, 0.5, 0.7, 0.9}));
  calibration.learn(Numbers{0, 2, 3, 4, 6}, 5, 3);
  const double outer = std::exp(0.03 * 0.2 / 10 * (0 - 0.2));
  const double inner = std::exp(0.03 * 0.5 / 10 * (1 - 0.6));
  EXPECT_TRUE(test::all_near(stretched(calibration, {0, 2, 3, 4, 7}),
                             Numbers{3 - 3 * outer, 3 - inner, 3, 3 + inner, 3 + 4 * outer},
                             1e-14));
  // Twenty series count a twentieth each.
  calibration.learn(Numbers{0, 2, 3, 4, 6}, 5, 20);
  const double twice = std::exp(0.03 * (0.05 + 0.025) * 0.4);
  EXPECT_NEAR(stretched(calibration, {0, 2, 3, 4, 7})[3], 3 + twice, 1e-14);
}

TEST(Calibration, WithoutAMedianItStretchesAroundTheMiddleOfTheTwoInTheMiddle) {
  Calibration calibration(Levels({0.25, 0.75}));
  calibration.learn(Numbers{0, 1}, 2, 1);
  const double stretch = std::exp(0.03 * 0.05 * 0.5);
  EXPECT_TRUE(test::all_near(stretched(calibration, {1, 5}),
                             Numbers{3 - 2 * stretch, 3 + 2 * stretch}, 1e-14));
}

TEST(Calibration, AnOutcomeOnTheEdgeIsInside) {
  Calibration inside(Levels({0.25, 0.75})), edge = inside, outside = inside;
  inside.learn(Numbers{0, 1}, 0.5, 1);
  edge.learn(Numbers{0, 1}, 1, 1);
  outside.learn(Numbers{0, 1}, -1e-9, 1);
  const auto width = [](const Calibration& one) { return stretched(one, {0, 1})[1]; };
  EXPECT_EQ(width(edge), width(inside));
  EXPECT_LT(width(edge), 1);
  EXPECT_GT(width(outside), 1);
}

TEST(Calibration, LevelsThatAreNotSymmetricAreLeftAlone) {
  Calibration calibration(Levels({0.1, 0.5, 0.8}));
  EXPECT_FALSE(calibration.is_on());
  for (int t = 0; t < 100; ++t) calibration.learn(Numbers{1, 2, 3}, 9, 1);
  EXPECT_TRUE(test::same_bits(stretched(calibration, {1, 2, 3}), Numbers{1, 2, 3}));
}

// Pairs that learn apart may pass each other.
TEST(Calibration, StaysInOrderAndFiniteWhateverItLearns) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const Numbers extremes = {0, 1, -1, 5e-324, 1e308, -1e308, kMost, -kMost, 3};
  Random random(1);
  Calibration calibration(Levels({0.05, 0.1, 0.4, 0.5, 0.6, 0.9, 0.95}));
  for (int t = 0; t < 20000; ++t) {
    Numbers quantiles(7);
    for (double& x : quantiles) x = extremes[random.below(extremes.size())];
    std::ranges::sort(quantiles);
    const Numbers before = quantiles;
    calibration.stretch(quantiles);
    ASSERT_TRUE(std::ranges::is_sorted(quantiles));
    for (const double x : quantiles) ASSERT_TRUE(std::isfinite(x));
    ASSERT_EQ(quantiles[3], before[3]) << "the median stays";
    // At first nothing is ever held, then everything.
    calibration.learn(t < 10000 ? Numbers(7, 0) : Numbers{-2, -2, -2, 0, 2, 2, 2}, 1, 1);
  }
}

// Gibbs and Candes: what a has moved by is the sum of what was missed beyond alpha, exactly.
TEST(Calibration, KeepsCountOfAllThatWasMissed) {
  Random random(2);
  Calibration calibration(Levels({0.2, 0.8}));
  double missed = 0;
  const int rounds = 5000;
  for (int t = 0; t < rounds; ++t) {
    const auto published = stretched(calibration, {-0.1, 0.1});
    const double outcome = random.uniform(-1, 1) * random.uniform(0, 1);
    missed += (outcome < published[0] || outcome > published[1] ? 1 : 0) - 0.4;
    calibration.learn(published, outcome, 1);
  }
  StateWriter out;
  calibration.save(out);
  const auto file = out.file(0);
  StateReader in(file, "memory");
  const double moved = in.f64();
  ASSERT_LT(std::abs(moved), kMostLogStretch);
  EXPECT_NEAR(moved, 0.03 * 0.04 * missed, 1e-9);
  EXPECT_LT(std::abs(missed) / rounds, kMostLogStretch / (0.03 * 0.04 * rounds));
}

// Three experts that know the middle and claim to know it five times as well as they do.
class Overconfident {
 public:
  explicit Overconfident(bool calibrate) : panel_({levels_, QuantileScale::kRaw, calibrate}) {
    for (const char* name : {"a", "b", "c"}) panel_.add_expert(name);
    for (const char* name : {"north", "south"}) panel_.add_series(name);
  }
  // [pairs] what share of the outcomes the intervals held, from the outermost inwards.
  Numbers held(int rounds) {
    Numbers held(levels_.size() / 2, 0);
    for (int t = 0; t < rounds; ++t) {
      Numbers quantiles;
      for (int k = 0; k < 3; ++k) {
        const double off = random_.uniform(-0.05, 0.05);
        for (const double tau : levels_) quantiles.push_back(10 + off + 0.2 * (2 * tau - 1));
      }
      const std::int64_t round = panel_.open(static_cast<std::size_t>(t % 2), quantiles);
      const double outcome = 10 + random_.uniform(-1, 1);
      const auto published = panel_.forecast(round);
      for (std::size_t i = 0; i < held.size(); ++i) {
        const bool inside = published[i] <= outcome && outcome <= published[levels_.size() - 1 - i];
        held[i] += (inside ? 1.0 : 0.0) / rounds;
      }
      panel_.learn(round, outcome);
    }
    return held;
  }

 private:
  const Numbers levels_ = {0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975};
  Random random_{3};
  QuantilePanel panel_;
};

TEST(Calibration, IntervalsOfOverconfidentExpertsComeToHoldWhatTheySay) {
  const Numbers without = Overconfident(false).held(2000);
  EXPECT_LT(without[0], 0.3);
  Overconfident experts(true);
  experts.held(15000);
  const Numbers held = experts.held(4000), said = {0.95, 0.8, 0.5};
  for (std::size_t i = 0; i < said.size(); ++i) EXPECT_NEAR(held[i], said[i], 0.02);
}

// A late outcome is held against what its own round published.
TEST(Calibration, ALateOutcomeIsJudgedByWhatItsRoundPublished) {
  QuantilePanel panel({{0.1, 0.9}, QuantileScale::kRaw});
  panel.add_expert("a");
  panel.add_series("north");
  const Numbers quantiles = {-1, 1};
  panel.open(0, quantiles);
  for (std::int64_t t = 2; t <= 400; ++t) panel.learn(panel.open(0, quantiles), 5);
  const std::int64_t wide = panel.open(0, quantiles);
  ASSERT_GT(panel.forecast(wide)[1], 1.11);
  panel.learn(1, 1.1);  // outside then, inside now
  const std::int64_t wider = panel.open(0, quantiles);
  EXPECT_GT(panel.forecast(wider)[1], panel.forecast(wide)[1]);
  panel.learn(wide, 1.1);
  EXPECT_LT(panel.forecast(panel.open(0, quantiles))[1], panel.forecast(wider)[1]);
}

TEST(Calibration, NothingIsPublishedBelowZeroWhereNobodyGivesSuchANumber) {
  for (const double least : {0.0, -0.01}) {
    QuantilePanel panel({{0.1, 0.5, 0.9}, QuantileScale::kRaw});
    panel.add_expert("a");
    panel.add_series("north");
    const Numbers quantiles = {least, 1, 2};
    for (int t = 0; t < 1000; ++t) panel.learn(panel.open(0, quantiles), 50);
    const auto published = panel.forecast(panel.open(0, quantiles));
    EXPECT_GT(published[2], 2.2);
    if (least < 0) {
      EXPECT_LT(published[0], -0.2);
    } else {
      EXPECT_EQ(published[0], 0);
    }
  }
}

}  // namespace
}  // namespace pcgs::levels
