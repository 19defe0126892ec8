#include "pcgs/losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pcgs/loss_scale.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::error_of;
using test::mentions;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

TEST(TaskLoss, IsSquaredByDefault) {
  const TaskLoss loss;
  EXPECT_EQ(loss.name(), "squared");
  EXPECT_EQ(loss.kind(), TaskLoss::Kind::kSquared);
  EXPECT_EQ(loss(3, 1), 4);
  EXPECT_EQ(loss(1, 3), 4);
}

TEST(TaskLoss, FollowsItsFormulas) {
  EXPECT_EQ(TaskLoss("squared")(0.5, 2), 2.25);
  EXPECT_EQ(TaskLoss("absolute")(0.5, 2), 1.5);
  EXPECT_EQ(TaskLoss("absolute")(2, 0.5), 1.5);
  const TaskLoss pinball("pinball", 0.75);
  EXPECT_EQ(pinball(1, 3), 1.5) << "too low costs tau";
  EXPECT_EQ(pinball(3, 1), 0.5) << "too high costs 1 - tau";
  EXPECT_EQ(pinball(2, 2), 0);
  EXPECT_EQ(TaskLoss("pinball")(1, 3), 1) << "tau is 0.5 unless given";
  const TaskLoss log("log");
  EXPECT_NEAR(log(0.25, 1), std::log(4.0), 1e-15);
  EXPECT_NEAR(log(0.25, 0), -std::log(0.75), 1e-15);
}

TEST(TaskLoss, KeepsItsNameAndTau) {
  for (const char* name : {"squared", "absolute", "pinball", "log"}) {
    EXPECT_EQ(TaskLoss(name).name(), name);
  }
  EXPECT_EQ(TaskLoss("pinball", 0.9).tau(), 0.9);
}

TEST(TaskLoss, IsInfiniteWhereALogForecastRuledOutTheOutcome) {
  const TaskLoss log("log");
  EXPECT_EQ(log(0, 1), kInfinity);
  EXPECT_EQ(log(1, 0), kInfinity);
  EXPECT_EQ(log(1, 1), 0);
  EXPECT_EQ(log(0, 0), 0);
}

TEST(TaskLoss, IsNonNegativeAndConvexInTheForecast) {
  test::Random random(1);
  for (const TaskLoss& loss : {TaskLoss("squared"), TaskLoss("absolute"), TaskLoss("pinball", 0.1),
                               TaskLoss("pinball", 0.9), TaskLoss("log")}) {
    for (int i = 0; i < 1000; ++i) {
      const double y = loss.kind() == TaskLoss::Kind::kLog ? random.chance(0.5) : random.uniform();
      const double a = random.uniform();
      const double b = random.uniform();
      const double c = random.uniform();
      EXPECT_GE(loss(a, y), 0);
      EXPECT_LE(loss(c * a + (1 - c) * b, y), c * loss(a, y) + (1 - c) * loss(b, y) + 1e-12)
          << loss.name();
    }
  }
}

TEST(TaskLoss, RefusesAnUnknownNameAndSaysWhichAreKnown) {
  const std::string message = error_of([] { TaskLoss loss("quadratic"); });
  for (const char* part : {"quadratic", "squared", "absolute", "pinball", "log"}) {
    EXPECT_TRUE(mentions(message, part));
  }
  error_of([] { TaskLoss loss(""); });
}

TEST(TaskLoss, RefusesATauOutsideTheOpenUnitInterval) {
  for (double tau : {0.0, 1.0, -0.1, 1.1, kNan, kInfinity}) {
    error_of([tau] { TaskLoss loss("pinball", tau); });
  }
}

TEST(TaskLoss, ObjectsToNumbersItCannotJudge) {
  for (const char* name : {"squared", "absolute", "pinball"}) {
    const TaskLoss loss(name);
    EXPECT_EQ(loss.objection_to_forecast(-3), "");
    EXPECT_EQ(loss.objection_to_outcome(1e9), "");
    EXPECT_NE(loss.objection_to_forecast(kInfinity), "");
    EXPECT_NE(loss.objection_to_outcome(-kInfinity), "");
    EXPECT_NE(loss.objection_to_outcome(kNan), "");
  }
  const TaskLoss log("log");
  for (double p : {0.0, 0.5, 1.0}) EXPECT_EQ(log.objection_to_forecast(p), "");
  for (double p : {-0.01, 1.01, kInfinity}) EXPECT_NE(log.objection_to_forecast(p), "");
  for (double y : {0.0, 1.0}) EXPECT_EQ(log.objection_to_outcome(y), "");
  for (double y : {0.5, -1.0, 2.0, kNan}) EXPECT_NE(log.objection_to_outcome(y), "");
}

}  // namespace

namespace {

using test::error_of;
using test::Random;
using Numbers = std::vector<double>;

constexpr auto kGiven = LossSource::kGiven;
constexpr auto kForecasts = LossSource::kForecasts;

// The definition in the header, written down again with every number kept.
class Reference {
 public:
  double advance(Numbers losses) {
    std::sort(losses.begin(), losses.end());
    const double median = losses[losses.size() / 2];
    if (seen_.empty()) {
      seen_.push_back(median);
      return 20 * median;
    }
    const double c = 20 * std::max(mean(1000), mean(30));
    seen_.push_back(std::min(median, c));
    return c;
  }

 private:
  double mean(double memory) const {
    double out = 0, n = 0;
    for (const double m : seen_) {
      n = std::min(n + 1, memory);
      out += (m - out) / n;
    }
    return out;
  }
  Numbers seen_;
};

TEST(LossScale, UsualWantsLossesInTheUnitIntervalAndFollowsForecasts) {
  LossScale scale;
  EXPECT_TRUE(scale.wants_unit(kGiven));
  EXPECT_FALSE(scale.wants_unit(kForecasts));
  EXPECT_EQ(scale.advance(Numbers{0.2, 0.4}, {}, kGiven), 1);
  EXPECT_EQ(scale.advance(Numbers{7, 7, 7}, {}, kForecasts), 140);
  EXPECT_EQ(scale.value(kGiven), 1);
  EXPECT_EQ(scale.value(kForecasts), 140);
}

TEST(LossScale, FixedDividesAndCaps) {
  LossScale scale = LossScale::fixed(4);
  for (const auto source : {kGiven, kForecasts}) {
    EXPECT_FALSE(scale.wants_unit(source));
    EXPECT_EQ(scale.advance(Numbers{1e9}, {}, source), 4);
  }
  EXPECT_EQ(scaled_loss(3, 4), 0.75);
  EXPECT_EQ(scaled_loss(4, 4), 1);
  EXPECT_EQ(scaled_loss(5, 4), 1);
  EXPECT_EQ(scaled_loss(kInfinity, 4), 1);
  EXPECT_FALSE(LossScale::fixed(1).wants_unit(kGiven)) << "a scale of 1 is not the unit interval";
}

// As Catoni writes it, in more digits than a double has.
double catoni_as_written(double x) {
  const long double ln2 = std::log(2.0L), z = x * ln2;
  return static_cast<double>(z >= 1 ? 1 : -std::log(1 - z + z * z / 2) / ln2);
}

TEST(CatoniBound, IsItsDefinition) {
  for (double x = 0; x <= 3; x += 0x1p-10) {
    ASSERT_NEAR(catoni_bounded(x), catoni_as_written(x), 1e-15) << x;
  }
  EXPECT_EQ(catoni_bounded(1.45), 1);
}

TEST(CatoniBound, IsTheLossItselfNearZero) {
  for (double x = 0.1; x > 1e-300; x /= 3) {
    const double z = x * 0.6931471805599453;  // psi(z) = z - z^3/6 - ...
    ASSERT_LE(std::abs(catoni_bounded(x) - x), x * (z * z / 3 + 1e-15)) << x;
  }
  EXPECT_EQ(catoni_bounded(0), 0);
}

TEST(CatoniBound, RisesAndStaysBelowClippingWithinTheUnitInterval) {
  Random random(7);
  const LossScale clip = LossScale::fixed(1), catoni = clip.bounded_by(LossBound::kCatoni);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp(random.uniform(-40, 2)), above = x * (1 + 1e-12);
    const double low = catoni.bounded(x, 1), high = catoni.bounded(above, 1);
    ASSERT_LE(low, high + 2.3e-16) << x;  // the last bit is the logarithm's
    ASSERT_GT(low, 0) << x;
    ASSERT_LE(low, clip.bounded(x, 1) * (1 + 1e-15)) << x;
  }
  for (const double x :
       {0.0, 5e-324, 1e-300, 1e308, std::numeric_limits<double>::max(), kInfinity}) {
    for (const double c : {1e-290, 1.0, 1e300}) {
      const double loss = catoni.bounded(x, c);
      EXPECT_TRUE(loss >= 0 && loss <= 1) << x << " / " << c;
    }
  }
  EXPECT_EQ(catoni.bounded(kInfinity, 1e300), 1);
}

TEST(CatoniBound, CountsAsOneFromWhereItDoes) {
  const LossScale catoni = LossScale::fixed(4).bounded_by(LossBound::kCatoni);
  const double from = catoni.counts_as_one(4);
  EXPECT_EQ(catoni.bounded(from * (1 + 1e-15), 4), 1);
  EXPECT_LT(catoni.bounded(from * 0.999, 4), 1);
  EXPECT_EQ(LossScale::fixed(4).counts_as_one(4), 4);
}

TEST(LossScale, IsReadAsItIsWritten) {
  const auto expect = [](const char* text, LossScale::Kind kind, LossBound bound, double c) {
    const LossScale scale = LossScale::from(text, "--scale");
    EXPECT_EQ(scale.kind(), kind) << text;
    EXPECT_EQ(scale.bound(), bound) << text;
    EXPECT_EQ(scale.value(kGiven), c) << text;
  };
  expect("4", LossScale::Kind::kFixed, LossBound::kClip, 4);
  expect("auto", LossScale::Kind::kFollowing, LossBound::kClip, 1);
  expect("catoni:0.5", LossScale::Kind::kFixed, LossBound::kCatoni, 0.5);
  expect("catoni:auto", LossScale::Kind::kFollowing, LossBound::kCatoni, 1);
  for (const char* text : {"", "x", "4x", "catoni", "catoni:", "catoni:x", "clip:4", "auto4"}) {
    const std::string said = error_of([text] { (void)LossScale::from(text, "--scale"); });
    EXPECT_NE(said.find("--scale is '" + std::string(text) + "'"), std::string::npos) << said;
  }
  error_of([] { (void)LossScale::from("catoni:-1", "--scale"); });
  error_of([] { (void)LossScale::from("catoni:1e305", "--scale"); });
}

TEST(LossScale, RefusesAStateThatIsBoundedInNoKnownWay) {
  using Kind = LossScale::Kind;
  for (const auto& [kind, bound] : {std::pair{Kind::kFixed, 2}, {Kind::kUnit, 1}}) {
    StateWriter out;
    out.u64(static_cast<std::uint64_t>(kind));
    out.u64(static_cast<std::uint64_t>(bound));
    for (int i = 0; i < 3; ++i) out.f64(1);
    out.u64(1);
    const std::vector<std::uint8_t> file = out.file(0);
    StateReader in(file, "memory");
    LossScale loaded;
    EXPECT_NE(error_of([&] { loaded.load(in); }).find("bounded"), std::string::npos);
  }
}

TEST(LossScale, RefusesANumberThatIsNoScale) {
  for (double c : {0.0, -1.0, std::nan(""), kInfinity, 1e-300, 1e305}) {
    error_of([c] { LossScale::fixed(c); });
  }
}

TEST(LossScale, FollowsItsDefinition) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    LossScale scale = LossScale::following();
    Reference reference;
    for (int t = 0; t < 1500; ++t) {
      Numbers losses = random.losses(1 + seed);
      for (double& l : losses) l = std::exp(8 * l) + (t > 700 ? 1000 : 0);
      const double c = scale.advance(losses, {}, kGiven);
      ASSERT_NEAR(c / reference.advance(losses), 1, 1e-10) << seed << ", round " << t;
    }
  }
}

TEST(LossScale, DependsOnEarlierRoundsOnly) {
  Random random(3);
  LossScale a, b;
  for (int t = 0; t < 50; ++t) {
    const Numbers losses = random.losses(4);
    EXPECT_EQ(a.advance(losses, {}, kForecasts), b.advance(losses, {}, kForecasts));
  }
  const double coming = a.value(kForecasts);
  EXPECT_EQ(a.advance(Numbers{1, 2, 3, 4}, {}, kForecasts), coming);
  EXPECT_EQ(b.advance(Numbers{0, 1e8, 1e9, kInfinity}, {}, kForecasts), coming);
}

TEST(LossScale, ScalesWithItsLosses) {
  Random random(4);
  LossScale small, large;
  for (int t = 0; t < 200; ++t) {
    Numbers losses = random.losses(5);
    const double c = small.advance(losses, {}, kForecasts);
    for (double& l : losses) l *= 0x1p40;
    ASSERT_EQ(large.advance(losses, {}, kForecasts), c * 0x1p40);
  }
}

TEST(LossScale, ABadExpertDoesNotMoveIt) {
  LossScale alone, with;
  for (int t = 0; t < 100; ++t) {
    const double l = 1 + t % 3;
    const double c = alone.advance(Numbers{l, l, l}, {}, kForecasts);
    ASSERT_EQ(with.advance(Numbers{l, 1e12, l}, {}, kForecasts), c);
  }
}

TEST(LossScale, AWildRoundMovesItLittleAndNotForLong) {
  LossScale scale;
  for (int t = 0; t < 1000; ++t) scale.advance(Numbers{1, 1}, {}, kForecasts);
  scale.advance(Numbers{1e9, 1e9}, {}, kForecasts);
  EXPECT_LT(scale.value(kForecasts), 20 * 1.7);
  for (int t = 0; t < 200; ++t) scale.advance(Numbers{1, 1}, {}, kForecasts);
  EXPECT_LT(scale.value(kForecasts), 20 * 1.03);
}

TEST(LossScale, RisesWithinAFewRoundsWhenEverybodyGetsWorse) {
  LossScale scale;
  for (int t = 0; t < 5000; ++t) scale.advance(Numbers{1, 1}, {}, kForecasts);
  int rounds = 0;
  while (scale.value(kForecasts) < 10000 && ++rounds < 100) {
    scale.advance(Numbers{10000, 10000}, {}, kForecasts);
  }
  EXPECT_LT(rounds, 20);
}

TEST(LossScale, RoundsWithoutALossSayNothing) {
  LossScale scale;
  EXPECT_EQ(scale.advance(Numbers{0, 0, 0}, {}, kForecasts), 1) << "nothing to divide";
  EXPECT_EQ(scale.advance(Numbers{0, 0, 6}, {}, kForecasts), 40) << "the mean, if the median is 0";
  for (int t = 0; t < 100000; ++t) scale.advance(Numbers{0, 0, 0}, {}, kForecasts);
  EXPECT_EQ(scale.value(kForecasts), 40);
}

TEST(LossScale, SleepersAndInfiniteLossesDoNotCount) {
  LossScale scale;
  const std::vector<std::uint8_t> awake = {1, 0, 1, 1};
  EXPECT_EQ(scale.advance(Numbers{3, 1e9, kInfinity, 3}, awake, kForecasts), 60);
  EXPECT_EQ(scale.advance(Numbers{kInfinity, 1, kInfinity, kInfinity}, awake, kForecasts), 60);
  EXPECT_EQ(scale.value(kForecasts), 60);
}

TEST(LossScale, StaysFiniteAndPositiveAtTheEndsOfTheRange) {
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kMin = std::numeric_limits<double>::denorm_min();
  for (const double size : {kMin, 1e-300, 1e300, kMax}) {
    LossScale scale;
    for (int t = 0; t < 100; ++t) {
      const double c = scale.advance(Numbers{size, size, size}, {}, kForecasts);
      ASSERT_TRUE(c > 0 && std::isfinite(c)) << size;
      ASSERT_LE(scaled_loss(size, c), 1);
      ASSERT_TRUE(scaled_loss(size, c) >= 0);
    }
  }
}

TEST(LossScale, SurvivesSavingAndLoading) {
  LossScale begun;
  begun.advance(Numbers{1, 2, 3}, {}, kForecasts);
  for (const LossScale& scale :
       {LossScale(), LossScale::unit(), LossScale::fixed(0.1), LossScale::fixed(1e-290),
        LossScale::following(), begun, begun.bounded_by(LossBound::kCatoni),
        LossScale::fixed(3).bounded_by(LossBound::kCatoni)}) {
    StateWriter out;
    scale.save(out);
    const std::vector<std::uint8_t> file = out.file(0);
    StateReader in(file, "memory");
    LossScale loaded = LossScale::fixed(123);
    loaded.load(in);
    in.finish();
    EXPECT_EQ(loaded.kind(), scale.kind());
    EXPECT_EQ(loaded.bound(), scale.bound());
    LossScale original = scale;
    for (const double l : {5.0, 0.5, 50.0}) {
      for (const auto source : {kGiven, kForecasts}) {
        EXPECT_EQ(loaded.advance(Numbers{l, l}, {}, source),
                  original.advance(Numbers{l, l}, {}, source));
      }
    }
  }
}

}  // namespace

}  // namespace pcgs
