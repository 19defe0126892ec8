#include "pcgs/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "run/comparison.h"
#include "run/level_rows.h"
#include "run/made_up.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Three models of a wave by the hour, now and then missing, from row `first` to before `last`.
Table wave(std::size_t first, std::size_t last, std::size_t known) {
  Random random(7);
  Table table{.names = {"a", "b", "c", "y"}, .values = Matrix(last - first, 4)};
  TimeColumn times;
  times.text.name = "hour";
  times.calendar = true;
  for (std::size_t t = 0; t < last; ++t) {
    const double y = 10 + 3 * std::sin(static_cast<double>(t) / 4) + random.uniform(-1, 1);
    double forecasts[3];
    for (int k = 0; k < 3; ++k) {
      forecasts[k] = y + random.uniform(-1, 1) * (k + 1);
      if (random.chance(0.05)) forecasts[k] = kNaN;
    }
    if (t < first) continue;
    const auto row = table.values.row(t - first);
    std::copy(forecasts, forecasts + 3, row.begin());
    row[3] = t < known ? y : kNaN;
    table.rows.push_back(t + 1);
    times.at.push_back(static_cast<double>(t) * 3600);
    times.text.add(fmt::format("hour {}", t));
  }
  table.times.push_back(std::move(times));
  return table;
}

Request of_y() {
  Request request;
  request.outcome = "y";
  return request;
}

// What resumes from the first rows.
Request resumed_after(std::size_t rows) {
  Request request = of_y();
  request.save = true;
  request.state = run(request, wave(0, rows, rows)).state;
  return request;
}

const MethodResult& combination(const Outcome& outcome) {
  return outcome.series.at(0).comparison.methods.back();
}

// ---- What is meant where nothing is said --------------------------------------------------------

TEST(Run, ForecastsAreBlendedWithTheSeasonsOfTheirTimesAndIntervals) {
  const Outcome outcome = run(of_y(), wave(0, 400, 390));
  const MethodResult& method = combination(outcome);
  EXPECT_EQ(method.name, "blend");
  EXPECT_EQ(method.spec(), "blend{season=24,longer=168}");
  ASSERT_TRUE(method.intervals);
  EXPECT_EQ(method.intervals->levels, (std::vector<double>{0.8, 0.95}));
  EXPECT_FALSE(outcome.series[0].comparison.has_regret()) << "which nobody asked for";
  EXPECT_FALSE(method.total_forecast_loss);
  EXPECT_EQ(outcome.errors.all.front().name, "blend");
  EXPECT_EQ(outcome.errors.all.front().own.rounds(), 390u);
  EXPECT_TRUE(outcome.state.empty());
  std::vector<NoteKind> kinds;
  for (const Note& note : outcome.notes) kinds.push_back(note.kind);
  EXPECT_EQ(kinds, (std::vector<NoteKind>{NoteKind::kSeason, NoteKind::kComing}));

  Request losses;
  Table table = wave(0, 60, 60);
  table.times.clear();
  for (double& x : table.values.values) x = std::isnan(x) ? 0.5 : std::abs(std::sin(x));
  const Outcome of_losses = run(losses, table);
  EXPECT_EQ(combination(of_losses).name, "guard");
  EXPECT_EQ(of_losses.series[0].comparison.switches, (std::vector<std::size_t>{5, 10, 20}));
  EXPECT_FALSE(combination(of_losses).intervals);
}

TEST(Run, WhatIsSaidIsMeant) {
  Request request = of_y();
  request.methods = {"boa", "fixed-share"};
  request.season = std::vector<std::size_t>{};
  request.intervals = {0.9, 0.5};
  request.switches = {3};
  request.keep_weights = true;
  request.loss = TaskLoss("absolute");
  const Outcome outcome = run(request, wave(0, 80, 80));
  const Comparison& comparison = outcome.series[0].comparison;
  EXPECT_EQ(comparison.methods.front().spec(), "boa");
  EXPECT_EQ(combination(outcome).intervals->levels, (std::vector<double>{0.5, 0.9}));
  EXPECT_EQ(combination(outcome).weights.rows, 80u);
  EXPECT_EQ(comparison.oracle.size(), 1u);
  EXPECT_TRUE(combination(outcome).total_forecast_loss);
  EXPECT_EQ(outcome.series[0].problem.task.kind(), TaskLoss::Kind::kAbsolute);
  for (const Note& note : outcome.notes) EXPECT_NE(note.kind, NoteKind::kSeason);
}

// ---- What is refused ----------------------------------------------------------------------------

TEST(Run, FieldsThatContradictEachOtherAreNamed) {
  const auto field = [](const std::function<void(Request&)>& change) {
    Request request = of_y();
    change(request);
    const auto refusal = test::refusal_of([&] { run(request, wave(0, 30, 30)); });
    EXPECT_EQ(refusal.kind, ErrorKind::kRequest) << refusal.sentence;
    return refusal.place.field;
  };
  EXPECT_EQ(field([](Request& r) { r.known = "y"; }), "known");
  EXPECT_EQ(field([](Request& r) { r.drop = {"a"}; }), "drop");
  EXPECT_EQ(field([](Request& r) { r.calibrate = false; }), "calibrate");
  EXPECT_EQ(field([](Request& r) { r.season = {24, 12}; }), "season");
  EXPECT_EQ(field([](Request& r) { r.intervals = {0.8, 0.8}; }), "intervals");
  EXPECT_EQ(field([](Request& r) { r.intervals = {80}; }), "intervals");
  EXPECT_EQ(field([](Request& r) { r.switches = {3, 3}; }), "switches");
  EXPECT_EQ(field([](Request& r) { r.switch_cost = -1; }), "switch_cost");
  EXPECT_EQ(field([](Request& r) { r.block = 0; }), "block");
  EXPECT_EQ(field([](Request& r) {
              r.methods = {"hedge*"};
              r.save = true;
            }),
            "save");
  for (const auto& [name, change] : std::vector<std::pair<std::string, void (*)(Request&)>>{
           {"series", [](Request& r) { r.series = {"s"}; }},
           {"block", [](Request& r) { r.block = 2; }},
           {"delay", [](Request& r) { r.delay = 2; }},
           {"loss", [](Request& r) { r.loss = TaskLoss(); }},
           {"intervals", [](Request& r) { r.intervals = {0.5}; }}}) {
    EXPECT_EQ(field([set = change](Request& r) {
                r.outcome.clear();
                set(r);
              }),
              name)
        << "of losses";
  }
  for (const auto& [name, change] : std::vector<std::pair<std::string, void (*)(Request&)>>{
           {"methods", [](Request& r) { r.methods = {"boa"}; }},
           {"switches", [](Request& r) { r.switches = {5}; }},
           {"block", [](Request& r) { r.block = 24; }},
           {"season", [](Request& r) { r.season = {24}; }},
           {"models", [](Request& r) { r.models = {"a"}; }},
           {"model_column", [](Request&) {}}}) {
    EXPECT_EQ(field([set = change](Request& r) {
                r.quantiles = "q*";
                set(r);
              }),
              name)
        << "of quantiles";
  }
}

// Long rows of four models, one of which explodes now and then.
TEST(Run, ModelsFarOutsideAllOthersAreNamed) {
  Table table;
  table.origin = "hub";
  table.names = {"q0.1", "q0.5", "q0.9", "y"};
  table.texts = {TextColumn{}, TextColumn{}};
  table.texts[0].name = "week";
  table.texts[1].name = "model";
  const std::size_t models = 4, weeks = 12;
  table.values = Matrix(models * weeks, 4);
  for (std::size_t i = 0; i < models * weeks; ++i) {
    const std::size_t week = i / models, model = i % models;
    const double factor = model == 2 && week % 4 == 3 ? 1e9 : 1;
    for (std::size_t q = 0; q < 3; ++q) {
      table.values.row(i)[q] =
          factor * (100 + static_cast<double>(model) + 10 * static_cast<double>(q));
    }
    table.values.row(i)[3] = 110;
    table.texts[0].add(fmt::format("{}", week));
    table.texts[1].add(fmt::format("model{}", model));
  }
  Request request = of_y();
  request.time = "week";
  request.model_column = "model";
  request.quantiles = "q*";
  const Outcome outcome = run(request, std::move(table));
  const auto note = std::ranges::find(outcome.notes, NoteKind::kOutliers, &Note::kind);
  ASSERT_NE(note, outcome.notes.end());
  EXPECT_NE(note->sentence.find("model2: 3 forecasts"), std::string::npos) << note->sentence;
  EXPECT_EQ(note->sentence.find("model1"), std::string::npos) << note->sentence;
}

TEST(Run, ValuesAreRefusedWithTheirPlace) {
  Table table = wave(3, 40, 40);
  table.values.row(10)[1] = 7;
  Request request = of_y();
  request.loss = TaskLoss("log");
  auto refusal = test::refusal_of([&] { run(request, table); });
  EXPECT_EQ(refusal.kind, ErrorKind::kValue);
  EXPECT_EQ(refusal.place.row, 4u) << "as the table numbers its rows";
  table = wave(0, 40, 40);
  std::swap(table.times[0].at[7], table.times[0].at[8]);
  refusal = test::refusal_of([&] { run(of_y(), table); });
  EXPECT_EQ(refusal.place.row, 9u);
  EXPECT_EQ(refusal.place.column, "hour");
  Request losses;
  table = wave(0, 40, 40);
  refusal = test::refusal_of([&] { run(losses, table); });
  EXPECT_EQ(refusal.kind, ErrorKind::kValue);
  EXPECT_TRUE(test::mentions(refusal.sentence, "outcome")) << "these may be forecasts";
}

// ---- Time ---------------------------------------------------------------------------------------

// A forecast moves with an outcome if and only if that was known before it was made.
TEST(Run, AForecastDependsOnWhatWasKnownAndOnNothingElse) {
  for (const auto& [block, delay] : {std::pair<std::size_t, std::size_t>{1, 0}, {6, 0}, {4, 3}}) {
    Request request = of_y();
    request.block = block;
    request.delay = delay;
    const auto before = combination(run(request, wave(0, 60, 60))).forecasts;
    for (const std::size_t moved : {5u, 17u, 40u}) {
      Table table = wave(0, 60, 60);
      table.values.row(moved)[3] += 2;
      const auto after = combination(run(request, table)).forecasts;
      bool any = false;
      for (std::size_t t = 0; t < 60; ++t) {
        const std::size_t start = t - t % block;
        const bool may_know = moved + delay < start;
        EXPECT_TRUE(may_know || before[t] == after[t]) << "round " << t << " knew " << moved;
        any = any || before[t] != after[t];
      }
      EXPECT_TRUE(any);
    }
  }
}

// ---- States -------------------------------------------------------------------------------------

// Many requests of one method each, whose seasons do not follow from a few rows.
std::vector<Request> many_requests() {
  std::vector<Request> all(8, of_y());
  for (Request& request : all) request.season = {24, 168};
  all[1].methods = {"boa"};
  all[1].loss = TaskLoss("absolute");
  all[2].methods = {"genshare"};
  all[2].scale = "400";
  all[3].methods = {"guard"};
  all[4].methods = {"fixed-share"};
  all[4].scale = "catoni:auto";
  all[5].loss = TaskLoss("pinball", 0.3);
  all[5].season = {12};
  all[6].methods = {"pcgs-tf:combine"};
  all[6].intervals = {0.5};
  all[7].methods = {"ml-poly"};
  all[7].season = std::vector<std::size_t>{};
  return all;
}

TEST(Run, InPiecesItIsTheSameAsAtOnce) {
  for (Request request : many_requests()) {
    const std::string method = request.methods.empty() ? "" : request.methods.front();
    SCOPED_TRACE(method);
    request.save = true;
    Table all = wave(0, 160, 160);
    all.values.row(70)[3] = kNaN;  // never known
    const Outcome whole = run(request, all);
    std::vector<double> forecasts, high;
    Request next = request;
    next.skip_learned = true;
    for (const auto& [from, to] :
         {std::pair<std::size_t, std::size_t>{0, 60}, {60, 61}, {50, 100}, {100, 160}}) {
      Table rows = wave(from, to, to);
      if (from <= 70 && 70 < to) rows.values.row(70 - from)[3] = kNaN;
      const Outcome piece = run(next, rows);
      const auto& played = combination(piece);
      forecasts.insert(forecasts.end(), played.forecasts.begin(), played.forecasts.end());
      const auto& ends = played.intervals->high.values;
      high.insert(high.end(), ends.begin(), ends.end());
      next.state = piece.state;
    }
    EXPECT_TRUE(test::same_bits(forecasts, combination(whole).forecasts));
    EXPECT_TRUE(test::same_bits(high, combination(whole).intervals->high.values));
    EXPECT_EQ(next.state, whole.state);
    // Coming rounds are forecast and leave no trace.
    all = wave(0, 165, 160);
    all.values.row(70)[3] = kNaN;
    const Outcome longer = run(request, all);
    EXPECT_EQ(longer.state, whole.state);
    for (const double forecast : combination(longer).forecasts) EXPECT_FALSE(std::isnan(forecast));
  }
}

TEST(Run, AStateThatHasLearnedNothingIsResumedAsIfItWereNotThere) {
  Request request = of_y();
  request.season = {24};
  request.save = true;
  const Outcome whole = run(request, wave(5, 80, 80));
  request.state = run(request, wave(0, 5, 0)).state;
  const Outcome resumed = run(request, wave(5, 80, 80));
  EXPECT_EQ(combination(resumed).forecasts, combination(whole).forecasts);
  EXPECT_EQ(resumed.state, whole.state);
}

TEST(Run, RowsThatWereLearnedAreRefusedSkippedOrAllThereIs) {
  Request request = resumed_after(50);
  EXPECT_EQ(test::refusal_of([&] { run(request, wave(30, 70, 70)); }).place.row, 31u);
  request.skip_learned = true;
  const Outcome second = run(request, wave(30, 70, 70));
  EXPECT_EQ(second.series[0].skipped, 20u);
  EXPECT_EQ(second.series[0].problem.rounds(), 20u);
  EXPECT_EQ(second.last_learned, "hour 49");
  const Outcome third = run(request, wave(20, 50, 50));
  EXPECT_TRUE(third.nothing_new());
  EXPECT_EQ(third.last_learned, "hour 49");
}

TEST(Run, ModelsAreFollowedByTheirNames) {
  Request request = resumed_after(50);
  const Outcome straight = run(request, wave(50, 90, 90));
  request.models = {"c", "a", "b"};
  const Outcome turned = run(request, wave(50, 90, 90));
  EXPECT_EQ(combination(turned).forecasts, combination(straight).forecasts);
  EXPECT_EQ(turned.state, straight.state);
}

TEST(Run, ModelsComeAndGo) {
  Request request = resumed_after(50);
  Table table = wave(50, 90, 90);
  table.names = {"new", "b", "c", "y"};
  const Outcome without = run(request, table);
  EXPECT_EQ(without.series[0].problem.experts, (std::vector<std::string>{"a", "b", "c", "new"}));
  EXPECT_EQ(without.series[0].came, (std::vector<std::string>{"new"}));
  EXPECT_EQ(without.series[0].missing, (std::vector<std::string>{"a"}));
  request.drop = {"a"};
  const Outcome dropped = run(request, table);
  EXPECT_EQ(dropped.series[0].left, (std::vector<std::string>{"a"}));
  EXPECT_EQ(dropped.series[0].problem.experts, (std::vector<std::string>{"b", "c", "new"}));
  request.drop = {"nobody"};
  EXPECT_EQ(test::refusal_of([&] { run(request, table); }).place.field, "drop");
}

// ---- Several series -----------------------------------------------------------------------------

Table several(std::size_t first, std::size_t last) {
  Table out;
  TextColumn names;
  names.name = "s";
  TimeColumn times;
  for (const char* name : {"x", "y2", "z"}) {
    const Table one = wave(first, last, last);
    out.names = one.names;
    out.values.columns = one.values.columns;
    out.values.rows += one.values.rows;
    const double size = 1 + static_cast<double>(names.size());
    for (const double x : one.values.values) out.values.values.push_back(x * size);
    times.text.name = one.times[0].text.name;
    times.calendar = true;
    for (std::size_t t = 0; t < one.values.rows; ++t) {
      names.add(name);
      times.text.add(one.times[0].text[t]);
      times.at.push_back(one.times[0].at[t]);
    }
  }
  out.texts.push_back(std::move(names));
  out.times.push_back(std::move(times));
  return out;
}

TEST(Run, SeriesAreWhatTheyWouldBeAlone) {
  Request request = of_y();
  const auto alone = combination(run(request, wave(0, 80, 80))).forecasts;
  request.series = {"s"};
  const Outcome all = run(request, several(0, 80));
  ASSERT_EQ(all.series.size(), 3u);
  EXPECT_EQ(all.series[1].key, (std::vector<std::string>{"y2"}));
  EXPECT_EQ(all.series[0].comparison.methods.back().forecasts, alone);
  EXPECT_EQ(all.errors.all.front().own.rounds(), 240u);
  EXPECT_EQ(all.series[0].errors.all.front().own.rounds(), 80u);
}

TEST(RunThreads, ChangeNoBit) {
  for (const char* method : {"blend", "guard", "boa"}) {
    Request request = of_y();
    request.series = {"s"};
    request.methods = {method};
    request.save = true;
    const auto played = [&](std::size_t threads) {
      request.threads = threads;
      request.state.clear();
      request.state = run(request, several(0, 20)).state;
      return run(request, several(20, 45));
    };
    const Outcome one = played(1);
    for (const std::size_t threads : {2u, 7u}) {
      const Outcome other = played(threads);
      EXPECT_EQ(other.state, one.state) << method << " on " << threads << " threads";
      for (std::size_t s = 0; s < 3; ++s) {
        EXPECT_EQ(other.series[s].comparison.methods[0].forecasts,
                  one.series[s].comparison.methods[0].forecasts);
      }
    }
  }
}

// ---- Who is told --------------------------------------------------------------------------------

TEST(Run, ProgressReachesTheEndAndMayEndIt) {
  Request request = of_y();
  request.methods = {"hedge*", "boa"};
  std::size_t last = 0, all = 0;
  request.progress = [&](std::size_t played, std::size_t of) {
    EXPECT_GE(played, last);
    last = played;
    all = of;
  };
  run(request, wave(0, 200, 200));
  EXPECT_EQ(last, all);
  EXPECT_GT(all, 200u);
  request.progress = [](std::size_t played, std::size_t) {
    if (played > 100) throw std::runtime_error("stop");
  };
  EXPECT_THROW(run(request, wave(0, 200, 200)), std::runtime_error);
}

TEST(Run, NotesAreToldAndKept) {
  Request request = of_y();
  std::vector<std::string> told;
  request.tell = [&](const Note& note) { told.push_back(note.sentence); };
  Table table = wave(0, 100, 100);
  table.notes = {{NoteKind::kReading, "read"}};
  const Outcome outcome = run(request, table);
  ASSERT_EQ(told.size(), outcome.notes.size());
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], outcome.notes[i].sentence);
  EXPECT_EQ(told.front(), "read");
}

// ---- Quantiles ----------------------------------------------------------------------------------

Table level_table(const std::vector<test::LevelRow>& rows) {
  Table table;
  table.names = {"q0.1", "q0.25", "q0.5", "q0.75", "q0.9", "cases"};
  table.values.columns = 6;
  table.texts.resize(4);
  const char* const names[] = {"week", "place", "known", "model"};
  for (std::size_t i = 0; i < 4; ++i) table.texts[i].name = names[i];
  for (const auto& row : rows) {
    ++table.values.rows;
    table.values.values.insert(table.values.values.end(), row.quantiles.begin(),
                               row.quantiles.end());
    table.values.values.push_back(row.cases);
    table.texts[0].add(test::date_of(row.week));
    table.texts[1].add(row.place);
    table.texts[2].add(test::date_of(row.week + row.ahead));
    table.texts[3].add(row.model);
  }
  return table;
}

TEST(Run, QuantilesInPiecesAreTheSameAsAtOnce) {
  Request request = test::request_of_levels();
  request.save = true;
  const auto rows = test::made_up_rows(5, 30, 3, 4);
  const Outcome whole = run(request, level_table(rows));
  ASSERT_TRUE(whole.quantiles);
  EXPECT_TRUE(whole.series.empty());
  std::vector<double> published;
  for (const int week : {7, 19, 30}) {
    auto until = rows;
    std::erase_if(until, [&](const auto& row) { return row.week >= week; });
    const Outcome piece = run(request, level_table(until));
    const auto& values = piece.quantiles->published.values;
    published.insert(published.end(), values.begin(), values.end());
    request.state = piece.state;
  }
  EXPECT_TRUE(test::same_bits(published, whole.quantiles->published.values));
  EXPECT_EQ(request.state, whole.state);
  EXPECT_TRUE(run(request, level_table(rows)).nothing_new());
  request.transform = QuantileScale::kLog1p;
  EXPECT_EQ(test::refusal_of([&] { run(request, level_table(rows)); }).place.field, "transform");
}

}  // namespace
}  // namespace pcgs
