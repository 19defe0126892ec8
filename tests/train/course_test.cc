// Losses of a long training in bounded memory.
#include "course.h"

#include <gtest/gtest.h>

#include <limits>

#include "trainer.h"

namespace pcgs::train {
namespace {

Step step_of(std::int64_t i) { return {i, static_cast<double>(i), static_cast<double>(2 * i), 0}; }

results::TrainingCourse course_of(std::int64_t steps) {
  CourseKeeper keeper;
  for (std::int64_t i = 1; i <= steps; ++i) keeper.add(step_of(i));
  return keeper.course();
}

TEST(Course, KeepsMeansOfEqualStretchesHoweverLongItIs) {
  for (const std::int64_t steps : {1, 399, 400, 401, 12345, 100000}) {
    const auto losses = course_of(steps).losses;
    ASSERT_FALSE(losses.steps.empty());
    EXPECT_LE(losses.steps.size(), 400u);
    EXPECT_EQ(losses.steps.back(), static_cast<std::size_t>(steps));
    std::size_t before = 0;
    for (std::size_t i = 0; i < losses.steps.size(); ++i) {
      const std::size_t length = losses.steps[i] - before;
      if (i + 1 < losses.steps.size()) {
        EXPECT_EQ(length, losses.steps[0]);
      }
      const double middle = static_cast<double>(before + 1 + losses.steps[i]) / 2;
      EXPECT_NEAR(losses.loss[i].value(), middle, 1e-9 * middle);
      EXPECT_NEAR(losses.rate[i], 2 * middle, 1e-9 * middle);
      before = losses.steps[i];
    }
  }
}

TEST(Course, GoesOnInTheMiddleOfAStretch) {
  for (const std::int64_t stop : {1, 399, 401, 999, 1000}) {
    CourseKeeper keeper(course_of(stop));
    for (std::int64_t i = stop + 1; i <= 3000; ++i) keeper.add(step_of(i));
    const auto losses = keeper.course().losses, straight = course_of(3000).losses;
    EXPECT_EQ(losses.steps, straight.steps);
    for (std::size_t i = 0; i < straight.steps.size(); ++i) {
      EXPECT_NEAR(losses.loss[i].value(), straight.loss[i].value(), 1e-9);
      EXPECT_NEAR(losses.rate[i], straight.rate[i], 1e-9);
    }
  }
}

TEST(Course, SkippedStepsHaveNoLoss) {
  CourseKeeper keeper;
  keeper.add(step_of(1));
  keeper.add(Step{2, std::numeric_limits<double>::quiet_NaN(), 4, 0});
  const auto losses = keeper.course().losses;
  EXPECT_EQ(losses.loss[0], 1);
  EXPECT_FALSE(losses.loss[1].has_value());
  EXPECT_EQ(losses.rate[1], 4);
}

}  // namespace
}  // namespace pcgs::train
