// What the charts of a page on forecasts show is what the rounds say.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/times.h"
#include "run/errors.h"
#include "show/forecast_answer.h"
#include "show/sections.h"

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
  RoundCharts charts() {
    if (comparison.methods.empty()) play();
    const auto errors = compare::errors_of(problem, comparison);
    return forecast_charts(problem, comparison,
                           results::forecast_answer(problem, comparison, errors));
  }

  Problem problem;
  Comparison comparison;
};

const Chart& chart_in(const std::vector<Block>& blocks) { return std::get<Chart>(blocks.at(0)); }

std::vector<std::string> binned_by(const RoundCharts& charts) {
  std::vector<std::string> names;
  if (charts.errors_by.empty()) return names;
  for (const auto& option : std::get<Choice>(charts.errors_by.at(0)).options) {
    names.push_back(option.name);
  }
  return names;
}

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

TEST(ForecasterCharts, GainsEndWithTheDifferenceOfSummedLosses) {
  Example example(400);
  const RoundCharts charts = example.charts();
  const Chart& chart = chart_in(charts.gains);
  EXPECT_EQ(chart.values["series"], ordered_json({"over hours", "over equal weights"}));
  const auto errors = compare::errors_of(example.problem, example.comparison);
  for (const auto& gain : chart.groups) {
    for (const auto& other : errors.all) {
      if (gain["series"] != "over " + other.name) continue;
      const auto rounds = static_cast<double>(other.own.rounds());
      const double saved = rounds * (other.own.loss() - other.combined.loss());
      EXPECT_NEAR(gain["value"].back().get<double>(), saved, 1e-4 * std::abs(saved));
    }
    EXPECT_EQ(gain["round"].back(), 394);  // hours after the first round
  }
}

TEST(ForecasterCharts, ErrorsAtAnHourAreThoseOfItsRounds) {
  Example example(1000);
  const RoundCharts charts = example.charts();
  EXPECT_EQ(binned_by(charts), (std::vector<std::string>{"Hour of day", "Weekday", "Month"}));
  const auto& options = std::get<Choice>(charts.errors_by.at(0)).options;
  const Chart& hours = chart_in(options[0].blocks);
  ASSERT_EQ(hours.values["names"].size(), 24U);
  ASSERT_EQ(hours.groups.size(), 3U);
  EXPECT_EQ(hours.groups[1]["series"], "best model: hours");
  for (std::size_t hour = 0; hour < 24; ++hour) {
    const double error = 0.1 * static_cast<double>(hour);
    EXPECT_NEAR(hours.groups[1]["value"][hour].get<double>(), error, 1e-4);
    EXPECT_NEAR(hours.groups[2]["value"][hour].get<double>(), std::abs(error - 3) / 2, 1e-4);
  }
  EXPECT_EQ(chart_in(options[1].blocks).values["names"][0], "Mon");
  EXPECT_EQ(chart_in(options[2].blocks).values["names"], ordered_json({"Mar", "Apr"}));
}

TEST(ForecasterCharts, HaveNoHoursOfDailyValuesAndNothingOfTheKindWithoutACalendar) {
  Example daily(20, kDay), march(300), none(400, kHour, 5, false);
  EXPECT_EQ(binned_by(daily.charts()), std::vector<std::string>{"Weekday"});  // all of it in March
  EXPECT_EQ(binned_by(march.charts()), (std::vector<std::string>{"Hour of day", "Weekday"}));
  EXPECT_TRUE(none.charts().errors_by.empty());
}

TEST(ForecasterCharts, TheLatestAreTwoWeeksAndWhatIsToCome) {
  Example example(1000);
  const RoundCharts charts = example.charts();
  const Chart& latest = chart_in(charts.latest);
  EXPECT_EQ(latest.title, "The last two weeks, and what is to come");
  const auto& outcomes = latest.datasets["outcomes"][0]["round"];
  EXPECT_EQ(outcomes.size(), 14U * 24);
  EXPECT_EQ(outcomes.back(), 994);
  EXPECT_EQ(latest.datasets["now"][0]["round"][0], 994);
  for (const auto& line : latest.groups) {
    EXPECT_EQ(line["round"].back(), line["series"] == "what came" ? 994 : 999);
  }
  const auto& bands = latest.datasets["bands"];
  ASSERT_EQ(bands.size(), 2U);
  EXPECT_EQ(bands[0]["level"], "90 %");  // the widest lies below
  EXPECT_LT(bands[0]["low"].back(), bands[1]["low"].back());

  Example daily(100, kDay), none(1000, kHour, 5, false);
  EXPECT_EQ(chart_in(daily.charts().latest).title, "The last 60 rounds, and what is to come");
  EXPECT_EQ(chart_in(none.charts().latest).title, "The last 336 rounds, and what is to come");
}

TEST(ForecasterCharts, SharesThatWereHeldAreThoseOfAllIntervals) {
  Example example(805);
  const RoundCharts charts = example.charts();
  const Chart& chart = chart_in(charts.held);
  const auto scores =
      compare::interval_scores(example.problem, *example.comparison.methods[1].intervals);
  ASSERT_EQ(chart.groups.size(), scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(chart.datasets["asked"][0]["level"][i], scores[i].level);
    const auto shares = chart.groups[i]["value"].get<std::vector<double>>();
    ASSERT_EQ(shares.size(), 20U);
    double sum = 0;
    for (const double share : shares) sum += share / 20;
    EXPECT_NEAR(sum, scores[i].coverage, 0.01);
  }
}

TEST(ForecasterCharts, OfRoundsThatAllAreToComeShowTheirForecasts) {
  Example example(6, kHour, 6);
  const RoundCharts charts = example.charts();
  EXPECT_TRUE(charts.gains.empty() && charts.forecasts.empty());
  const Chart& latest = chart_in(charts.latest);
  EXPECT_EQ(latest.title, "What is to come");
  for (const auto& line : latest.groups) {
    EXPECT_EQ(line["round"].size(), line["series"] == "what came" ? 0U : 6U);
  }
}

TEST(DepthOnACalendar, StandsWhereItsRoundsAreThoughSomeAreMissing) {
  Example example(60, kHour, 2);
  auto& at = example.problem.times->at;
  for (std::size_t t = 30; t < at.size(); ++t) at[t] += 4 * kHour;
  example.problem.missing.assign(60, 0);
  example.problem.missing[30] = 4;
  DepthObserver observer;
  example.play({&observer});
  const RunDepth run = observer.take();
  ASSERT_TRUE(run.range.calendar);
  EXPECT_EQ(run.range.first, 0);
  EXPECT_EQ(run.range.last, 61);  // 58 rounds and four hours
  EXPECT_EQ(run.methods[0].regret.x[29], 29);
  EXPECT_EQ(run.methods[0].regret.x[30], 34);
}

}  // namespace
}  // namespace pcgs::report
