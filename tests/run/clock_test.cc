#include "run/clock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "data/times.h"
#include "run/made_up.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

using Texts = std::vector<std::string>;

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

Problem at(const Texts& texts) {
  Problem problem = test::empty_problem(texts.size(), 2);
  problem.times = test::times(texts);
  return problem;
}

// The same with outcomes of the first rounds only.
Problem at_known(const Texts& texts, std::size_t known) {
  Problem problem = at(texts);
  for (std::size_t t = known; t < texts.size(); ++t) problem.outcomes[t] = test::kAsleep;
  return problem;
}

// Dates of [first, last) steps after the first of March 2026, without those in `left_out`.
Texts dates(int first, int last, double step, const std::vector<int>& left_out = {}) {
  const double start = io::parse_date("2026-03-01").at;
  Texts out;
  for (int i = first; i < last; ++i) {
    if (std::find(left_out.begin(), left_out.end(), i) != left_out.end()) continue;
    out.push_back(io::date_text(start + i * step));
  }
  return out;
}

// Days of which every week has five.
Texts trading_days(int days) {
  Texts out;
  for (int day = 0; day < days; ++day) {
    if (day % 7 < 5) out.push_back(dates(day, day + 1, kDay)[0]);
  }
  return out;
}

struct Put {
  Problem problem;
  Texts notes;
  std::int64_t missing() const {
    return std::accumulate(problem.missing.begin(), problem.missing.end(), std::int64_t{0});
  }
};
Put put(const Texts& texts, const Clock* before = nullptr) {
  Put out{at(texts), {}};
  put_in_time(out.problem, before, true,
              [&](const Note& note) { out.notes.push_back(note.sentence); });
  return out;
}

TEST(Clock, TimesThatRunBackwardsAreRefusedWithTheRow) {
  Problem problem = at({"2026-03-01", "2026-03-03", "2026-03-02", "2026-03-04"});
  const auto refused = [&](bool several) {
    return test::refusal_of([&] { put_in_time(problem, nullptr, several, {}); });
  };
  EXPECT_EQ(refused(true).kind, ErrorKind::kValue);
  EXPECT_EQ(refused(true).place.file, "example.csv");
  EXPECT_EQ(refused(true).place.row, 3u);
  EXPECT_EQ(refused(true).place.column, "when");
  EXPECT_TRUE(test::mentions(refused(true).sentence, "series"));
  EXPECT_NE(refused(true).sentence, refused(false).sentence) << "these are told apart already";
  problem.rows = {10, 20, 30, 40};
  EXPECT_EQ(refused(true).place.row, 30u);
  problem.times = test::times({"1", "2", "2", "3"});
  EXPECT_EQ(refused(true).place.row, 30u) << "one that repeats";
}

TEST(Clock, NothingIsMissingWithoutAGap) {
  for (const double step : {1.0, 15 * kMinute, kHour, kDay, 7 * kDay}) {
    const Put found = put(dates(0, 200, step));
    EXPECT_EQ(found.missing(), 0) << step;
    EXPECT_TRUE(found.notes.empty()) << step;
  }
  EXPECT_EQ(put({"5"}).missing(), 0);
  EXPECT_EQ(put({"5", "9"}).missing(), 0);
}

TEST(Clock, RowsOfARareGapAreMissingAndTold) {
  for (const auto& [step, apart] : {std::pair{15 * kMinute, "15 minutes"},
                                    {kHour, "an hour"},
                                    {kDay, "a day"},
                                    {7 * kDay, "a week"}}) {
    const Texts texts = dates(0, 200, step, {50, 120, 121, 122});
    const Put found = put(texts);
    ASSERT_EQ(found.problem.missing.size(), texts.size());
    EXPECT_EQ(found.problem.missing[50], 1) << step;
    EXPECT_EQ(found.problem.missing[119], 3) << step;
    EXPECT_EQ(found.missing(), 4) << step;
    ASSERT_EQ(found.notes.size(), 1u);
    for (const std::string& part : {std::string(apart), std::string("4 are missing"),
                                    std::string("2 places"), texts[49], std::string("season")}) {
      EXPECT_TRUE(test::mentions(found.notes[0], part));
    }
  }
}

TEST(Clock, PlainNumbersAreCountedInTheirOwnStep) {
  Texts texts;
  for (int i = 0; i < 120; ++i) {
    if (i != 60) texts.push_back(fmt::format("{}", 10 + 0.5 * i));
  }
  const Put found = put(texts);
  EXPECT_EQ(found.missing(), 1);
  EXPECT_EQ(found.problem.missing[60], 1);
  EXPECT_TRUE(test::mentions(found.notes.at(0), "0.5 apart, and 1 is missing in 1 place"));
}

TEST(Clock, MonthsAndYearsMayHaveAnyLength) {
  Texts months, years;
  for (int i = 0; i < 240; ++i)
    months.push_back(fmt::format("{}-{:02}-01", 2000 + i / 12, 1 + i % 12));
  for (int i = 0; i < 120; ++i) years.push_back(fmt::format("{}-01-01", 1900 + i));
  EXPECT_EQ(put(months).missing(), 0);
  EXPECT_EQ(put(years).missing(), 0);
  for (std::size_t gone = 1; gone + 1 < months.size(); ++gone) {
    Texts texts = months;
    texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(gone));
    const Put found = put(texts);
    ASSERT_EQ(found.missing(), 1) << months[gone];
    ASSERT_EQ(found.problem.missing[gone], 1) << months[gone];
  }
}

// Nobody ever forecast them.
TEST(Clock, WeekendsAndNightsAreNoRounds) {
  Texts hours;
  for (int day = 0; day < 300; ++day) {
    for (int hour = 8; hour < 18; ++hour)
      hours.push_back(dates(24 * day + hour, 24 * day + hour + 1, kHour)[0]);
  }
  for (const auto& [texts, apart] : {std::pair{trading_days(300), "a day"}, {hours, "an hour"}}) {
    const Put found = put(texts);
    EXPECT_EQ(found.missing(), 0);
    ASSERT_EQ(found.notes.size(), 1u) << "it is told all the same";
    EXPECT_TRUE(test::mentions(found.notes[0], apart));
    EXPECT_EQ(found.notes[0].find("season"), std::string::npos) << found.notes[0];
    EXPECT_FALSE(clock_after(found.problem, nullptr).keeps);
  }
}

TEST(Clock, RemembersTheLastKnownRoundTheStepAndWhetherItKeeps) {
  Put found = put(dates(0, 100, kHour, {50}));
  for (std::size_t t = 95; t < found.problem.rounds(); ++t)
    found.problem.outcomes[t] = test::kAsleep;
  const Clock clock = clock_after(found.problem, nullptr);
  EXPECT_EQ(clock.last_text, "2026-03-04 23:00");  // 95 rows and one that is missing
  EXPECT_EQ(clock.last, io::parse_date("2026-03-04 23:00").at);
  EXPECT_EQ(clock.step, kHour);
  EXPECT_TRUE(clock.keeps);
  EXPECT_TRUE(clock.calendar);
  EXPECT_FALSE(clock_after(put({"3", "4", "5"}).problem, nullptr).calendar);
  EXPECT_TRUE(clock_after(put({"3", "4", "5"}).problem, nullptr).keeps);
}

TEST(Clock, StaysWhereItIsWithoutANewOutcome) {
  const Clock before = clock_after(put(dates(0, 60, kHour)).problem, nullptr);
  Put found = put(dates(60, 65, kHour), &before);
  for (double& y : found.problem.outcomes) y = test::kAsleep;
  EXPECT_EQ(clock_after(found.problem, &before), before);
}

TEST(Clock, WhatIsMissingBetweenTwoRunsIsCounted) {
  const Clock before = clock_after(put(dates(0, 60, kHour)).problem, nullptr);
  const Put next = put(dates(60, 70, kHour), &before);
  EXPECT_EQ(next.missing(), 0);
  EXPECT_TRUE(next.notes.empty());
  const Put later = put(dates(63, 70, kHour), &before);
  ASSERT_EQ(later.problem.missing.size(), 7u);
  EXPECT_EQ(later.problem.missing[0], 3);
  EXPECT_EQ(later.missing(), 3);
  EXPECT_TRUE(test::mentions(later.notes.at(0), before.last_text));
  // One row alone has no step of its own.
  EXPECT_EQ(put(dates(65, 66, kHour), &before).missing(), 5);
}

TEST(Clock, AnEarlierRunDecidesWhetherGapsAreRounds) {
  const Clock frequent = clock_after(put(trading_days(100)).problem, nullptr);
  EXPECT_EQ(put(dates(110, 120, kDay), &frequent).missing(), 0);
  const Clock rare = clock_after(put(dates(0, 100, kDay)).problem, nullptr);
  EXPECT_EQ(put(dates(100, 110, kDay, {101, 103, 105}), &rare).missing(), 3);
}

// Rows of a series, however they are cut into runs, have the same rounds missing before them.
TEST(Clock, PiecesCountWhatTheWholeCounts) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    test::Random random(seed);
    std::vector<int> left_out;
    for (int i = 0; i < 4; ++i) left_out.push_back(10 + static_cast<int>(random.below(300)));
    const Texts texts = dates(0, 320, kHour, left_out);
    Put whole = put(texts);
    whole.problem.missing.resize(whole.problem.rounds());
    std::vector<std::int64_t> pieces;
    std::optional<Clock> clock;
    for (std::size_t from = 0; from < texts.size();) {
      // The first has no gap, or enough rows to see that it is rare.
      const std::size_t to = from == 0 ? (seed % 2 == 0 ? 5 : 250)
                                       : std::min(texts.size(), from + 1 + random.below(60));
      Put piece = put({texts.begin() + static_cast<std::ptrdiff_t>(from),
                       texts.begin() + static_cast<std::ptrdiff_t>(to)},
                      clock ? &*clock : nullptr);
      piece.problem.missing.resize(to - from);
      pieces.insert(pieces.end(), piece.problem.missing.begin(), piece.problem.missing.end());
      clock = clock_after(piece.problem, clock ? &*clock : nullptr);
      from = to;
    }
    EXPECT_EQ(pieces, whole.problem.missing) << "seed " << seed;
    EXPECT_EQ(*clock, clock_after(whole.problem, nullptr)) << "seed " << seed;
  }
}

// Whatever is coming, and whenever: the rounds that are learned are numbered as they were, and the
// clock stands where it stood.
TEST(Clock, RowsThatAreComingChangeNothing) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    test::Random random(seed);
    const int known = 1 + static_cast<int>(random.below(120));
    Texts texts = dates(0, known, kHour, {57, 80});
    Put without = put(texts);
    without.problem.missing.resize(texts.size());
    const std::size_t learned = texts.size();
    int coming = known;
    for (std::size_t n = 1 + random.below(100); n > 0; --n) {
      coming += 1 + static_cast<int>(random.below(seed % 2 == 0 ? 1 : 30));
      texts.push_back(dates(coming, coming + 1, kHour)[0]);
    }
    Problem with = at_known(texts, learned);
    put_in_time(with, nullptr, true, {});
    with.missing.resize(texts.size());
    EXPECT_EQ(std::vector(with.missing.begin(),
                          with.missing.begin() + static_cast<std::ptrdiff_t>(learned)),
              without.problem.missing)
        << "seed " << seed;
    EXPECT_EQ(clock_after(with, nullptr), clock_after(without.problem, nullptr)) << "seed " << seed;
  }
}

TEST(Clock, TheUsualStepIsThatOfKnownRoundsOfAnEarlierRunOrOfAllRows) {
  EXPECT_EQ(usual_step(at(dates(0, 5, kHour)), nullptr), kHour);
  EXPECT_EQ(usual_step(at(dates(0, 1, kHour)), nullptr), 0);
  EXPECT_EQ(usual_step(at_known(dates(0, 5, kDay), 1), nullptr), kDay);
  Clock before;
  before.last = io::parse_date("2026-02-28").at;
  EXPECT_EQ(usual_step(at(dates(0, 1, kHour)), &before), kDay);
  before.step = kMinute;
  EXPECT_EQ(usual_step(at(dates(0, 5, kHour)), &before), kMinute);
}

// 2026-10-25 is a Sunday, and the end of summer time in Europe.
TEST(Clock, AnHourMayComeTwiceWhenSummerTimeEnds) {
  const auto on = [](const char* day, const Texts& clocks) {
    Texts texts;
    for (const auto& clock : clocks) texts.push_back(std::string(day) + " " + clock);
    return texts;
  };
  for (const Texts& clocks :
       {Texts{"00:00", "01:00", "02:00", "02:00", "03:00", "04:00"},
        Texts{"01:00", "01:30", "02:00", "02:30", "02:00", "02:30", "03:00"}}) {
    const Put found = put(on("2026-10-25", clocks));
    EXPECT_EQ(found.missing(), 0);
    ASSERT_EQ(found.notes.size(), 1u);
    EXPECT_TRUE(test::mentions(found.notes[0], "summer time"));
    EXPECT_TRUE(test::mentions(found.notes[0], "02:00"));
    EXPECT_TRUE(clock_after(found.problem, nullptr).keeps);
  }
  for (const auto& [day, clocks] :
       {std::pair{"2026-10-26", Texts{"01:00", "02:00", "02:00", "03:00"}},  // a Monday
        {"2026-10-25", {"01:00", "02:00", "02:00", "02:00"}},                // three times
        {"2026-10-25", {"11:00", "12:00", "12:00"}},                         // at noon
        {"2026-10-25", {"01:00", "03:30", "01:30"}}}) {                      // too far
    const Texts texts = on(day, clocks);
    test::error_of([&] { put(texts); });
  }
  // And again in half a year at the earliest.
  Texts twice = on("2026-10-25", {"01:00", "02:00", "02:00"});
  for (const auto& text : on("2026-11-01", {"02:00", "02:00"})) twice.push_back(text);
  test::error_of([&] { put(twice); });
}

TEST(Clock, StepsAreAboveZeroWhateverComesTwice) {
  for (const Texts& texts : {Texts{"2026-10-25 02:00", "2026-10-25 02:00"},
                             Texts{"2026-10-25 02:45", "2026-10-25 02:00"}}) {
    EXPECT_EQ(clock_after(put(texts).problem, nullptr).step, 0) << "not known";
  }
}

TEST(Clock, TimesSuggestTheSeasonsThatTheyUsuallyHave) {
  using Seasons = std::vector<std::size_t>;
  for (const auto& [step, seasons] : {std::pair{15 * kMinute, Seasons{96, 672}},
                                      {kHour, {24, 168}},
                                      {6 * kHour, {4, 28}},
                                      {kDay, {7}},
                                      {2 * kDay, {}},
                                      {7 * kDay, {}},
                                      {7 * kHour, {24}}}) {
    EXPECT_EQ(usual_seasons(at(dates(0, 100, step))), seasons) << step;
    EXPECT_EQ(usual_seasons(at(dates(0, 100, step, {50}))), seasons) << step << " with a gap";
    EXPECT_EQ(usual_seasons(at_known(dates(0, 100, step), 30)), seasons) << step;
  }
  Texts months, quarters;
  for (int i = 0; i < 48; ++i) {
    months.push_back(fmt::format("{}-{:02}-01", 2000 + i / 12, 1 + i % 12));
    quarters.push_back(fmt::format("{}-{:02}-01", 2000 + i / 4, 1 + 3 * (i % 4)));
  }
  EXPECT_EQ(usual_seasons(at(months)), Seasons{12});
  EXPECT_EQ(usual_seasons(at(quarters)), Seasons{4});
  EXPECT_TRUE(usual_seasons(at(trading_days(100))).empty()) << "rounds do not keep to the clock";
  EXPECT_TRUE(usual_seasons(at({"1", "2", "3"})).empty()) << "no dates";
  EXPECT_TRUE(usual_seasons(at({"2026-03-01"})).empty());
  EXPECT_TRUE(usual_seasons(test::empty_problem(3, 2)).empty()) << "no times";
}

}  // namespace
}  // namespace pcgs::compare
