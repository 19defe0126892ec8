#include "run/resume.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "pcgs/registry.h"
#include "run/comparison.h"
#include "run/made_up.h"
#include "run/thrown.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

using Bytes = std::vector<std::uint8_t>;

Problem rounds_from(int first, int last) {
  test::Random random(1);
  Problem problem = test::made_up_problem(static_cast<std::size_t>(last), 3, "pinball", random);
  problem.task = TaskLoss("pinball", 0.25);
  std::vector<std::string> texts;
  for (int t = 0; t < last; ++t) texts.push_back(std::to_string(100 + t));
  problem.times = test::times(texts);
  drop_first(problem, static_cast<std::size_t>(first));
  return problem;
}

// The state of a run that has learned rounds at times 100 to 139.
Bytes saved() {
  const Problem problem = rounds_from(0, 40);
  Aggregator aggregator = make_player(problem, "ml-poly", false, IntervalOptions{{0.5, 0.9}});
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    aggregator.predict(problem.values.row(t));
    aggregator.learn(problem.outcomes[t]);
  }
  leave_note(aggregator, {"ml-poly", "load", "", clock_after(problem, nullptr)});
  return aggregator.save_bytes();
}

ResumeRules rules() {
  ResumeRules rules;
  rules.state = "a.state";
  rules.outcome = "load";
  return rules;
}

TEST(Resume, TakesTheTaskAndTheScaleOfTheState) {
  Problem problem = rounds_from(40, 50);
  problem.task = {};
  const Resumed on = resume(saved(), problem, rules());
  EXPECT_EQ(problem.task.kind(), TaskLoss::Kind::kPinball);
  EXPECT_EQ(problem.task.tau(), 0.25);
  EXPECT_EQ(problem.scale.value(LossSource::kForecasts),
            on.aggregator.scale().value(LossSource::kForecasts));
  EXPECT_EQ(on.skipped, 0u);
  ASSERT_NE(on.clock(), nullptr);
  EXPECT_EQ(on.clock()->last_text, "139");
  EXPECT_EQ(problem.rounds(), 10u);
  EXPECT_EQ(on.aggregator.rounds(), 40);
}

TEST(Resume, ChoicesThatAgreeAreAccepted) {
  Problem problem = rounds_from(40, 50);
  ResumeRules same = rules();
  same.task = TaskLoss("pinball", 0.25);
  same.levels = {0.5, 0.9};
  same.method = "ml-poly";
  EXPECT_NO_THROW(resume(saved(), problem, same));
}

TEST(Resume, RefusesWhatDoesNotBelongToTheState) {
  const Bytes state = saved();
  const auto refused = [&](const std::function<void(Problem&, ResumeRules&)>& change) {
    Problem problem = rounds_from(40, 50);
    ResumeRules changed = rules();
    change(problem, changed);
    const auto refusal = test::refusal_of([&] { resume(state, problem, changed); });
    EXPECT_EQ(refusal.place.file, "a.state");
    EXPECT_TRUE(refusal.kind == ErrorKind::kMismatch || refusal.kind == ErrorKind::kMissing);
    return refusal.place.field;
  };
  EXPECT_EQ(refused([](auto&, auto& r) { r.outcome = ""; }), "outcome");
  EXPECT_EQ(refused([](auto&, auto& r) { r.outcome = "price"; }), "outcome");
  EXPECT_EQ(refused([](auto&, auto& r) { r.task = TaskLoss("squared"); }), "loss");
  EXPECT_EQ(refused([](auto&, auto& r) { r.task = TaskLoss("pinball", 0.5); }), "loss");
  EXPECT_EQ(refused([](auto&, auto& r) { r.levels = {0.5}; }), "intervals");
  EXPECT_EQ(refused([](auto&, auto& r) { r.method = "boa"; }), "methods");
  EXPECT_EQ(refused([](auto&, auto& r) { r.scale = "3"; }), "scale");
  EXPECT_EQ(refused([](auto& p, auto&) { p.times.reset(); }), "time");
  EXPECT_EQ(refused([](auto& p, auto&) {
              p.times = test::times(std::vector<std::string>(10, "2026-03-01"));
            }),
            "time");
  // Experts in another order, and one more.
  refused([](auto& p, auto&) { std::swap(p.experts[0], p.experts[1]); });
  refused([](auto& p, auto&) {
    p.experts.push_back("e4");
    p.values = Matrix(10, 4);
  });
}

// A method is called as the user wrote it; its seasons are given beside.
TEST(Resume, SeasonsMustBeThoseOfTheState) {
  const Problem begun = rounds_from(0, 40);
  Aggregator aggregator = make_player(begun, "blend{season=24,longer=168}");
  leave_note(aggregator, {"blend", "load", "", clock_after(begun, nullptr)});
  const auto with = [&](std::optional<std::vector<std::size_t>> seasons) {
    Problem problem = rounds_from(40, 50);
    ResumeRules changed = rules();
    changed.method = "blend";
    changed.seasons = std::move(seasons);
    resume(aggregator.save_bytes(), problem, changed);
  };
  EXPECT_NO_THROW(with({}));
  EXPECT_NO_THROW(with({{24, 168}}));
  for (const auto& seasons : {std::vector<std::size_t>{}, {24}, {12, 168}}) {
    EXPECT_EQ(test::refusal_of([&] { with(seasons); }).place.field, "season");
  }
}

TEST(Resume, RefusesAStateOfLossesForForecastsAndOfForecastsForLosses) {
  Problem losses = rounds_from(40, 50);
  losses.outcomes.clear();
  ResumeRules without = rules();
  without.outcome = "";
  EXPECT_EQ(test::refusal_of([&] { resume(saved(), losses, without); }).place.field, "outcome");
  Aggregator learned = make_aggregator("hedge", 3);
  learned.learn(std::vector<double>{0.1, 0.5, 0.9});
  leave_note(learned, {"hedge", "", "", {}});
  Problem forecasts = rounds_from(40, 50);
  EXPECT_EQ(test::refusal_of([&] { resume(learned.save_bytes(), forecasts, rules()); }).place.field,
            "outcome");
}

TEST(Resume, LearnedRoundsAreRefusedOrSkipped) {
  const Bytes state = saved();
  for (const int first : {0, 20, 39}) {
    Problem problem = rounds_from(first, 50);
    const auto refusal = test::refusal_of([&] { resume(state, problem, rules()); });
    EXPECT_EQ(refusal.place.row, static_cast<std::size_t>(first + 1));
    EXPECT_TRUE(test::mentions(refusal.sentence, "skip_learned"));
    ResumeRules skipping = rules();
    skipping.skip_learned = true;
    const Resumed on = resume(state, problem, skipping);
    EXPECT_EQ(on.skipped, static_cast<std::size_t>(40 - first));
    EXPECT_EQ(problem.rounds(), 10u);
    EXPECT_EQ(problem.times->text[0], "140");
    EXPECT_EQ(problem.file_row(0), 41u);
  }
}

TEST(Resume, ADamagedStateIsRefused) {
  const Bytes whole = saved();
  test::Random random(2);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Bytes damaged = whole;
    if (repeat % 2 == 0) {
      damaged.resize(random.below(whole.size()));
    } else {
      damaged[random.below(whole.size())] ^= 8;
    }
    Problem problem = rounds_from(40, 50);
    EXPECT_TRUE(
        test::mentions(test::error_of([&] { resume(damaged, problem, rules()); }), "a.state"));
  }
}

// In pieces, through states: the bits of one run.
TEST(Resume, EqualsOneRun) {
  for (const char* method : {"ml-poly", "blend{season=5}", "genshare"}) {
    Problem whole = rounds_from(0, 60);
    ComparisonOptions options;
    options.methods = {method};
    options.switches = {3};
    options.intervals = IntervalOptions{};
    Aggregator at_once = make_player(whole, method, false, options.intervals);
    const auto all = play_methods(whole, options, &at_once).methods[0];
    Bytes state;
    std::vector<double> forecasts, low;
    for (const auto& [from, to] : {std::pair{0, 1}, {1, 13}, {13, 14}, {14, 60}}) {
      Problem piece = rounds_from(from, to);
      std::optional<Aggregator> aggregator;
      if (from == 0) {
        aggregator = make_player(piece, method, false, options.intervals);
      } else {
        aggregator = resume(state, piece, rules()).aggregator;
      }
      const auto played = play_methods(piece, options, &*aggregator).methods[0];
      forecasts.insert(forecasts.end(), played.forecasts.begin(), played.forecasts.end());
      const auto& values = played.intervals->low.values;
      low.insert(low.end(), values.begin(), values.end());
      leave_note(*aggregator, {method, "load", "", clock_after(piece, nullptr)});
      state = aggregator->save_bytes();
    }
    EXPECT_TRUE(test::same_bits(forecasts, all.forecasts)) << method;
    EXPECT_TRUE(test::same_bits(low, all.intervals->low.values)) << method;
    leave_note(at_once, {method, "load", "", clock_after(rounds_from(14, 60), nullptr)});
    EXPECT_EQ(state, at_once.save_bytes()) << method;
  }
}

}  // namespace
}  // namespace pcgs::compare
