// What the charts of a page on forecasts show is what the rounds say.
#include "show/forecaster_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/times.h"
#include "run/errors.h"
#include "show/run_page.h"

namespace pcgs::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kHour = 3600, kDay = 24 * kHour, kStart = 20148 * kDay;  // 2025-03-01, a Saturday

// Two models of which the first errs by an hour of the day and the other by 3, in turns too high and
// too low; the last rounds have no outcome.
struct Example {
  explicit Example(std::size_t rounds, double step = kHour, std::size_t coming = 5,
                   bool calendar = true) {
    problem.origin = "example";
    problem.experts = {"hours", "three"};
    problem.values = Matrix(rounds, 2);
    TimeColumn times;
    times.calendar = true;
    for (std::size_t t = 0; t < rounds; ++t) {
      const double sign = t % 2 == 0 ? 1 : -1, y = 50 + 10 * std::sin(0.3 * static_cast<double>(t));
      const double at = kStart + step * static_cast<double>(t);
      problem.outcomes.push_back(t + coming < rounds ? y : kNaN);
      problem.values.row(t)[0] = y + sign * 0.1 * std::fmod(at / kHour, 24);
      problem.values.row(t)[1] = y - sign * 3;
      times.text.add(io::date_text(at));
      times.at.push_back(at);
    }
    if (calendar) problem.times = std::move(times);
  }

  void play(std::vector<RunObserver*> observers = {}) {
    compare::ComparisonOptions options;
    options.observers = std::move(observers);
    options.stretches = 100;
    options.methods = {"hedge", "fixed-share"};
    options.switches = {2};
    options.intervals = IntervalOptions{{0.5, 0.9}, 0};
    comparison = compare::play_methods(problem, options);
  }
  ForecasterView view() {
    if (comparison.methods.empty()) play();
    const auto errors = compare::errors_of(problem, comparison);
    return forecaster_view(problem, comparison,
                           results::forecast_answer(problem, comparison, errors));
  }

  Problem problem;
  Comparison comparison;
};

TEST(TimeAxis, CountsInTheLargestUnitThatAllTimesAreWholeNumbersOf) {
  Example example(10);
  example.problem.times->at = {kStart, kStart + 900, kStart + 2700, kStart + 2700};
  example.problem.values = Matrix(4, 2);
  const TimeAxis axis = time_axis(example.problem);
  ASSERT_TRUE(axis.calendar);
  EXPECT_EQ(axis.calendar->origin, 1000 * kStart);
  EXPECT_EQ(axis.calendar->unit, 900000);
  EXPECT_EQ(axis.at, (std::vector<double>{0, 1, 3, 3}));
  EXPECT_EQ(place_text(axis.calendar, 3), "2025-03-01 00:45");
}

TEST(TimeAxis, HasRoundsWithoutACalendarAndWhereTimesRunBackwards) {
  Example numbers(3);
  numbers.problem.times->calendar = false;
  Example backwards(3);
  std::swap(backwards.problem.times->at[0], backwards.problem.times->at[2]);
  Example none(3, kHour, 0, false);
  for (const auto* problem : {&numbers.problem, &backwards.problem, &none.problem}) {
    const TimeAxis axis = time_axis(*problem);
    EXPECT_FALSE(axis.calendar);
    EXPECT_EQ(axis.at, (std::vector<double>{1, 2, 3}));
  }
  EXPECT_EQ(place_text({}, 3), "round 3");
}

TEST(ForecasterView, GainsEndWithTheDifferenceOfSummedLosses) {
  Example example(400);
  const auto view = example.view();
  ASSERT_EQ(view.gains.size(), 2U);
  EXPECT_EQ(view.gains[0].over, view.best_model);
  EXPECT_EQ(view.gains[1].over, "equal weights");
  const auto errors = compare::errors_of(example.problem, example.comparison);
  for (const auto& gain : view.gains) {
    for (const auto& other : errors.all) {
      if (other.name != gain.over) continue;
      const auto rounds = static_cast<double>(other.own.rounds());
      EXPECT_NEAR(gain.sum.y.back(), rounds * (other.own.loss() - other.combined.loss()), 1e-6);
    }
    EXPECT_EQ(gain.sum.x.back(), 394);  // hours after the first round
  }
}

TEST(ForecasterView, ErrorsAtAnHourAreThoseOfItsRounds) {
  Example example(1000);
  const auto view = example.view();
  ASSERT_EQ(view.bins.size(), 3U);
  EXPECT_EQ(view.best_model, "hours");
  const auto& hours = view.bins[0];
  ASSERT_EQ(hours.names.size(), 24U);
  ASSERT_EQ(hours.lines.size(), 3U);
  EXPECT_EQ(hours.lines[1].name, "best model: hours");
  for (std::size_t hour = 0; hour < 24; ++hour) {
    const double error = 0.1 * static_cast<double>(hour);
    EXPECT_NEAR(hours.lines[1].errors[hour], error, 1e-9);
    EXPECT_NEAR(hours.lines[2].errors[hour], std::abs(error - 3) / 2, 1e-9);
  }
  EXPECT_EQ(view.bins[1].names.front(), "Mon");
  EXPECT_EQ(view.bins[2].names, (std::vector<std::string>{"Mar", "Apr"}));
}

TEST(ForecasterView, HasNoHoursOfDailyValuesAndNothingOfTheKindWithoutACalendar) {
  Example daily(20, kDay), march(300), none(400, kHour, 5, false);
  const auto by_day = daily.view().bins;
  ASSERT_EQ(by_day.size(), 1U);  // all of it in March
  EXPECT_EQ(by_day[0].by, "Weekday");
  EXPECT_EQ(march.view().bins.size(), 2U);
  EXPECT_TRUE(none.view().bins.empty());
}

TEST(ForecasterView, TheLatestAreTwoWeeksAndWhatIsToCome) {
  Example example(1000);
  const auto latest = example.view().latest;
  EXPECT_TRUE(latest.two_weeks);
  EXPECT_EQ(latest.known, 14U * 24);
  EXPECT_EQ(latest.coming, 5U);
  EXPECT_EQ(latest.now, 994);
  EXPECT_EQ(latest.outcome.x.back(), 994);
  EXPECT_EQ(latest.combination.x.back(), 999);
  ASSERT_EQ(latest.bands.size(), 2U);
  EXPECT_EQ(latest.bands[0].level, 0.9);  // the widest lies below
  EXPECT_LT(latest.bands[0].low.back(), latest.bands[1].low.back());

  Example daily(100, kDay), none(1000, kHour, 5, false);
  EXPECT_EQ(daily.view().latest.known, 60U);
  EXPECT_FALSE(daily.view().latest.two_weeks);
  EXPECT_EQ(none.view().latest.known, 336U);
}

TEST(ForecasterView, SharesThatWereHeldAreThoseOfAllIntervals) {
  Example example(805);
  const auto view = example.view();
  ASSERT_EQ(view.held.size(), 2U);
  const auto scores =
      compare::interval_scores(example.problem, *example.comparison.methods[1].intervals);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(view.held[i].level, scores[i].level);
    ASSERT_EQ(view.held[i].share.y.size(), 20U);
    double sum = 0;
    for (const double share : view.held[i].share.y) sum += share / 20;
    EXPECT_NEAR(sum, scores[i].coverage, 0.01);
  }
}

TEST(ForecasterView, OfRoundsThatAllAreToComeShowsTheirForecasts) {
  Example example(6, kHour, 6);
  const auto view = example.view();
  EXPECT_TRUE(view.gains.empty());
  EXPECT_EQ(view.latest.known, 0U);
  EXPECT_EQ(view.latest.combination.x.size(), 6U);
  EXPECT_TRUE(view.latest.outcome.x.empty());
}

TEST(DepthOnACalendar, StandsWhereItsRoundsAreThoughSomeAreMissing) {
  Example example(60, kHour, 2);
  auto& at = example.problem.times->at;
  for (std::size_t t = 30; t < at.size(); ++t) at[t] += 4 * kHour;
  example.problem.missing.assign(60, 0);
  example.problem.missing[30] = 4;
  DepthObserver observer;
  example.play({&observer});
  const RunDepth run = observer.take(example.problem);
  ASSERT_TRUE(run.calendar);
  EXPECT_EQ(run.first, 0);
  EXPECT_EQ(run.last, 61);  // 58 rounds and four hours
  EXPECT_EQ(run.methods[0].regret.x[29], 29);
  EXPECT_EQ(run.methods[0].regret.x[30], 34);
}

}  // namespace
}  // namespace pcgs::report
