#include "run/resume.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "pcgs/registry.h"
#include "run/comparison.h"
#include "run/made_up.h"
#include "run/rounds.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

using Bytes = std::vector<std::uint8_t>;

// ---- Notes --------------------------------------------------------------------------------------

Aggregator some() { return make_aggregator("ml-poly", 3); }

RunNote full_note() {
  return {"blend{season=24}",
          "load, in MW",
          "auto",
          Clock{1772323200.5, "2026-03-01 00:00", 3600, true, true},
          "week",
          "published",
          {"place", "horizon"},
          {{7, 1.5, 2.5}, {9, 3, 4}}};
}
RunNote bare_note() { return {"ml-poly", "", "", {}}; }

std::vector<RunNote> notes() {
  RunNote numbers = full_note();
  numbers.clock = Clock{-3, "-3", 0, false, false};
  return {full_note(), bare_note(), numbers, {}};
}

TEST(RunNote, IsFoundAsItWasLeft) {
  for (const RunNote& note : notes()) {
    Aggregator aggregator = some();
    leave_note(aggregator, note);
    EXPECT_EQ(find_note(aggregator, "state"), note);
    const auto loaded = Aggregator::load_bytes(aggregator.save_bytes(), "state", make_method);
    EXPECT_EQ(find_note(loaded, "state"), note) << "after a round trip through a file";
  }
}

TEST(RunNote, ThereIsNoneWhereSomebodyElseLeftOne) {
  Aggregator aggregator = some();
  EXPECT_FALSE(find_note(aggregator, "state"));
  for (const char* text : {"last round: 2026-03-01", "", "PCGS"}) {
    aggregator.set_note(text);
    EXPECT_FALSE(find_note(aggregator, "state")) << text;
  }
}

// Anything inside, and a checksum that fits: refused, or a note of which every number is one.
TEST(RunNote, AForgedOneIsRefusedOrHarmless) {
  Aggregator aggregator = some();
  leave_note(aggregator, full_note());
  const std::vector<std::uint8_t> whole(aggregator.note().begin(), aggregator.note().end());
  test::Random random(1);
  std::size_t refused = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    auto forged = whole;
    for (std::size_t n = 1 + random.below(8); n > 0; --n) {
      const std::size_t at =
          test::kStateHeader + random.below(whole.size() - test::kStateHeader - 4);
      forged[at] = static_cast<std::uint8_t>(random.chance(0.5) ? 0xff : random.below(256));
    }
    test::seal(forged);
    aggregator.set_note(std::string(forged.begin(), forged.end()));
    try {
      const auto note = find_note(aggregator, "forged");
      ASSERT_TRUE(note);
      if (note->clock) {
        EXPECT_TRUE(std::isfinite(note->clock->last));
        EXPECT_TRUE(std::isfinite(note->clock->step) && note->clock->step >= 0);
      }
      for (const auto& one : note->open) {
        EXPECT_TRUE(std::isfinite(one.time) && std::isfinite(one.known));
      }
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

// ---- Several series -----------------------------------------------------------------------------

using Key = SeriesStates::Key;

SeriesStates load(const Bytes& bytes) { return SeriesStates::parse(bytes, "states"); }

SeriesStates some_states() {
  SeriesStates states({"store", "item"});
  for (const Key& key : {Key{"Köln", "milk"}, {"Köln", ""}, {"", ""}, {"a,b", "milk \"fresh\""}}) {
    Aggregator aggregator = make_aggregator("ml-poly", 2 + key[0].size());
    states.put(key, aggregator.save_bytes());
  }
  return states;
}

TEST(SeriesStates, HoldsWhatWasPut) {
  const SeriesStates before = some_states(), after = load(before.file());
  EXPECT_EQ(after.by(), before.by());
  EXPECT_EQ(after.all(), before.all());
  EXPECT_EQ(after.file(), before.file());
  ASSERT_NE(after.find({"Köln", "milk"}), nullptr);
  EXPECT_EQ(*after.find({"Köln", "milk"}), *before.find({"Köln", "milk"}));
  EXPECT_EQ(after.find({"Köln", "bread"}), nullptr);
}

TEST(SeriesStates, DoesNotDependOnTheOrderInWhichSeriesCame) {
  SeriesStates one({"k"}), other({"k"});
  const Bytes a = make_aggregator("boa", 2).save_bytes(),
              b = make_aggregator("boa", 3).save_bytes();
  one.put({"a"}, a);
  one.put({"b"}, b);
  other.put({"b"}, a);
  other.put({"a"}, a);
  other.put({"b"}, b);  // in the place of the first
  EXPECT_EQ(one.file(), other.file());
  EXPECT_EQ(other.size(), 2u);
}

TEST(SeriesStates, OfOneSeriesIsWhatAnAggregatorSaves) {
  const Bytes state = make_aggregator("boa", 4).save_bytes();
  SeriesStates one;
  one.put({}, state);
  EXPECT_EQ(one.file(), state);
  const SeriesStates loaded = load(state);
  EXPECT_TRUE(loaded.by().empty());
  ASSERT_NE(loaded.find({}), nullptr);
  EXPECT_EQ(*loaded.find({}), state);
}

TEST(SeriesStates, IsNoAggregatorAndSaysSo) {
  const auto message = test::error_of(
      [&] { Aggregator::load_bytes(some_states().file(), "many.state", make_method); });
  EXPECT_TRUE(test::mentions(message, "many.state"));
  EXPECT_TRUE(test::mentions(message, "several series"));
}

TEST(SeriesStates, TruncatedOrFlippedIsRefused) {
  const Bytes whole = some_states().file();
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 50) {
    EXPECT_TRUE(
        test::mentions(test::error_of([&] {
                         load({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
                       }),
                       "states"));
  }
  test::Random random(2);
  for (int repeat = 0; repeat < 500; ++repeat) {
    Bytes flipped = whole;
    flipped[random.below(whole.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
    EXPECT_THROW(load(flipped), Error);
  }
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_THROW(load(longer), Error);
}

// Anything inside, and a checksum that fits: refused, or loaded as something that saves itself.
TEST(SeriesStates, ForgedIsRefusedOrHarmless) {
  const Bytes whole = some_states().file();
  test::Random random(3);
  std::size_t refused = 0;
  for (int repeat = 0; repeat < 3000; ++repeat) {
    Bytes forged = whole;
    for (std::size_t n = 1 + random.below(4); n > 0; --n) {
      const std::size_t span = random.chance(0.5) ? 120 : whole.size() - test::kStateHeader - 4;
      forged[test::kStateHeader + random.below(span)] =
          static_cast<std::uint8_t>(random.chance(0.5) ? 0xff : random.below(256));
    }
    test::seal(forged);
    try {
      const SeriesStates loaded = load(forged);
      EXPECT_EQ(load(loaded.file()).all(), loaded.all());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100u);
}

// ---- Resuming -----------------------------------------------------------------------------------

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

Request of_load() {
  Request request;
  request.state_name = "a.state";
  request.outcome = "load";
  return request;
}

Resumed resume(const Bytes& state, Problem& problem, const Request& request) {
  return resume(state, problem, request, Experts::kSame);
}

TEST(Resume, TakesTheTaskAndTheScaleOfTheState) {
  Problem problem = rounds_from(40, 50);
  problem.task = {};
  const Resumed on = resume(saved(), problem, of_load());
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
  Request same = of_load();
  same.loss = TaskLoss("pinball", 0.25);
  same.intervals = {0.9, 0.5};
  same.methods = {"ml-poly"};
  EXPECT_NO_THROW(resume(saved(), problem, same));
}

TEST(Resume, RefusesWhatDoesNotBelongToTheState) {
  const Bytes state = saved();
  const auto refused = [&](const std::function<void(Problem&, Request&)>& change) {
    Problem problem = rounds_from(40, 50);
    Request changed = of_load();
    change(problem, changed);
    const auto refusal = test::refusal_of([&] { resume(state, problem, changed); });
    EXPECT_EQ(refusal.place.file, "a.state");
    EXPECT_TRUE(refusal.kind == ErrorKind::kMismatch || refusal.kind == ErrorKind::kMissing);
    return refusal.place.field;
  };
  EXPECT_EQ(refused([](auto&, auto& r) { r.outcome = ""; }), "outcome");
  EXPECT_EQ(refused([](auto&, auto& r) { r.outcome = "price"; }), "outcome");
  EXPECT_EQ(refused([](auto&, auto& r) { r.loss = TaskLoss("squared"); }), "loss");
  EXPECT_EQ(refused([](auto&, auto& r) { r.loss = TaskLoss("pinball", 0.5); }), "loss");
  EXPECT_EQ(refused([](auto&, auto& r) { r.intervals = {0.5}; }), "intervals");
  EXPECT_EQ(refused([](auto&, auto& r) { r.methods = {"boa"}; }), "methods");
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
    Request changed = of_load();
    changed.methods = {"blend"};
    changed.season = std::move(seasons);
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
  Request without = of_load();
  without.outcome = "";
  EXPECT_EQ(test::refusal_of([&] { resume(saved(), losses, without); }).place.field, "outcome");
  Aggregator learned = make_aggregator("hedge", 3);
  learned.learn(std::vector<double>{0.1, 0.5, 0.9});
  leave_note(learned, {"hedge", "", "", {}});
  Problem forecasts = rounds_from(40, 50);
  EXPECT_EQ(
      test::refusal_of([&] { resume(learned.save_bytes(), forecasts, of_load()); }).place.field,
      "outcome");
}

TEST(Resume, LearnedRoundsAreRefusedOrSkipped) {
  const Bytes state = saved();
  for (const int first : {0, 20, 39}) {
    Problem problem = rounds_from(first, 50);
    const auto refusal = test::refusal_of([&] { resume(state, problem, of_load()); });
    EXPECT_EQ(refusal.place.row, static_cast<std::size_t>(first + 1));
    EXPECT_TRUE(test::mentions(refusal.sentence, "skip_learned"));
    Request skipping = of_load();
    skipping.skip_learned = true;
    const Resumed on = resume(state, problem, skipping);
    EXPECT_EQ(on.skipped, static_cast<std::size_t>(40 - first));
    EXPECT_EQ(problem.rounds(), 10u);
    EXPECT_EQ(problem.times->text[0], "140");
    EXPECT_EQ(problem.file_row(0), 41u);
  }
}

}  // namespace
}  // namespace pcgs::compare
