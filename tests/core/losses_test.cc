#include "pcgs/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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
}  // namespace pcgs
