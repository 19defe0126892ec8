// The checker of certificates: honest ones hold, and one in which anything was changed does not, also
// if its checksum and fingerprints were made to fit.
#include "proof/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "contract/specs.h"
#include "data/whole_file.h"
#include "pcgs/registry.h"
#include "proof/path_certificates.h"
#include "research/suite.h"
#include "run/comparison.h"
#include "show/observers.h"
#include "support/data_file.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/refit.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

using nlohmann::ordered_json;
using Cells = std::vector<std::vector<std::string>>;

// A trace in cells and its certificate.
struct Pair {
  Cells trace;  // the header first
  ordered_json certificate;

  std::string text() const {
    std::string out;
    for (const auto& row : trace) out += fmt::format("{}\n", fmt::join(row, ","));
    return out;
  }

  void put_fingerprints() { refit_fingerprints(text(), certificate); }
  void seal() { refit_checksum(certificate); }

  // What is said against it; nothing if it holds.
  std::string objection() const {
    const std::string csv = text(), json = certificate.dump();
    try {
      verify::verify({csv, "t.csv"}, {json, "c.json"});
      return "";
    } catch (const Error& wrong) {
      return wrong.what();
    }
  }
};

Cells cells_of(const std::string& csv) {
  Cells out(1, std::vector<std::string>(1));
  for (const char c : csv) {
    if (c == '\n') {
      out.emplace_back(1);
    } else if (c == ',') {
      out.back().emplace_back();
    } else {
      out.back().back() += c;
    }
  }
  out.pop_back();
  return out;
}

std::string written(const std::string& path) {
  const auto bytes = read_whole_file(path);
  return {bytes.begin(), bytes.end()};
}

Pair play(const Problem& problem, const std::vector<std::string>& methods,
          const std::vector<std::size_t>& switches = {0, 2, 7}) {
  const TempDir dir;
  WholeFile file(dir / "t.csv");
  results::TraceObserver traced(file);
  results::RecordObserver recorded;
  compare::ComparisonOptions options;
  options.methods = methods;
  options.switches = switches;
  options.observers = {&traced, &recorded};
  options.certify_forecasts = true;
  compare::play_methods(problem, options);
  file.commit();
  return {cells_of(written(dir / "t.csv")),
          ordered_json::parse(to_json(recorded.certificate(switches), -1))};
}

Problem losses_of(Matrix losses) {
  Problem problem;
  problem.origin = "made up";
  for (std::size_t k = 0; k < losses.columns; ++k) problem.experts.push_back(fmt::format("e{}", k));
  problem.values = std::move(losses);
  return problem;
}

Matrix uniform_losses(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Matrix losses(rounds, experts);
  losses.values = Random(seed).losses(rounds * experts);
  return losses;
}

Problem forecasts_of(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random(seed);
  Problem problem = losses_of(Matrix(rounds, experts));
  for (std::size_t t = 0; t < rounds; ++t) {
    problem.outcomes.push_back(10 * std::sin(0.2 * static_cast<double>(t)));
    for (double& x : problem.values.row(t)) {
      x = problem.outcomes[t] + random.uniform(-2, 2);
      if (random.chance(0.1)) x = std::numeric_limits<double>::quiet_NaN();
    }
    problem.values.row(t)[t % experts] = problem.outcomes[t] + 1;  // somebody is awake
  }
  return problem;
}

std::vector<std::string> share_specs() {
  std::vector<std::string> specs;
  for (const auto& spec : contract_specs()) {
    if (make_method(spec, 2)->share() != nullptr) specs.push_back(spec);
  }
  return specs;
}

TEST(Verify, WhatWasWrittenHoldsForEveryMethodOfTheShareForm) {
  Matrix ties(40, 3);
  for (std::size_t i = 0; i < ties.values.size(); ++i)
    ties.values[i] = static_cast<double>(i % 7 % 2);
  std::vector<Problem> problems = {losses_of(uniform_losses(60, 4, 1)),
                                   losses_of(uniform_losses(1, 3, 2)),
                                   losses_of(uniform_losses(20, 1, 3)),
                                   losses_of(ties),
                                   losses_of(Matrix(30, 2)),  // nobody ever loses
                                   losses_of(suite::generate("switch", 300, 6, 4).losses)};
  for (auto [block, delay] : {std::pair{1, 0}, {1, 3}, {12, 0}, {5, 2}}) {
    problems.push_back(forecasts_of(80, 4, 5));
    problems.back().block = static_cast<std::size_t>(block);
    problems.back().delay = static_cast<std::size_t>(delay);
  }
  for (const auto& spec : share_specs()) {
    for (const auto& problem : problems) EXPECT_EQ(play(problem, {spec}).objection(), "") << spec;
  }
}

TEST(Verify, SaysWhatWasCheckedAndWhatWasNot) {
  const Pair pair = play(forecasts_of(30, 3, 1), {"hedge", "boa", "pcgs-tf", "blend"});
  const std::string csv = pair.text(), json = pair.certificate.dump();
  const std::string said = sentences(verify::verify({csv, "t"}, {json, "c"}));
  EXPECT_TRUE(mentions(said, "hedge: proved over 30 rounds: its loss of "));
  EXPECT_TRUE(
      mentions(said, "pcgs-tf: proved over 30 rounds: losses weighted by eta, which changed"));
  EXPECT_TRUE(mentions(said, "boa: its 30 rows are as they were"));
  EXPECT_TRUE(mentions(said, "blend: what it says about the forecasts"));
  EXPECT_TRUE(mentions(said, "was not checked"));
}

// The run of one method, as the library keeps it.
ShareRecord record_of(const Problem& problem, const std::string& spec) {
  Aggregator aggregator = make_aggregator(spec, problem.experts.size());
  Trace trace;
  aggregator.trace(&trace);
  for (std::size_t t = 0; t < problem.values.rows; ++t) aggregator.learn(problem.values.row(t));
  return ShareRecord::of(trace.rows());
}

std::vector<verify::BoundParts> made_of(const Pair& pair) {
  const std::string csv = pair.text(), json = pair.certificate.dump();
  return verify::verify({csv, "t.csv"}, {json, "c.json"}).made_of;
}

void expect_near(double ours, double other) {
  EXPECT_NEAR(ours, other, 1e-9 * (1 + std::abs(other)));
}

TEST(BoundParts, AreThoseThatTheLibraryFinds) {
  const auto problem = losses_of(suite::generate("switch", 300, 6, 4).losses);
  std::size_t switching = 0, aligned = 0, weighted = 0;
  for (const auto& spec : share_specs()) {
    SCOPED_TRACE(spec);
    const auto parts = made_of(play(problem, {spec})).at(0);
    const ShareRecord record = record_of(problem, spec);
    const BestPath best = best_path(record);
    const CodeParts code = code_parts(record, best.experts);
    EXPECT_EQ(parts.switches, code.switches);
    expect_near(parts.start, code.start);
    expect_near(parts.stays, code.stays);
    expect_near(parts.restarts, code.restarts);
    expect_near(parts.where_to, code.where_to);
    expect_near(parts.uniform_stays, code.uniform_stays);
    expect_near(parts.uniform_where_to, code.uniform_where_to);
    expect_near(parts.gaps, record.realised_gaps());
    switching += parts.switches > 0 ? 1 : 0;

    const double eta = record.constant_eta(), unit = eta > 0 ? eta : 1;
    EXPECT_EQ(parts.weighted, eta == 0);
    const Certificate sharp = sharp_certificate(record, best.experts);
    expect_near(parts.regret, sharp.regret / unit);
    expect_near(parts.sharp_bound, sharp.bound / unit);
    expect_near(parts.plain_bound, weighted_certificate(record, best.experts).bound / unit);
    weighted += parts.weighted ? 1 : 0;
    // Theorem 2 asks for a constant eta and rho <= 1/2, and says nothing where rho = 1/2 and a path stays.
    bool low = eta > 0;
    for (std::size_t t = 0; t + 1 < record.rounds(); ++t) low &= record.controls(t).rho <= 0.5;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const double aligned_bound =
        low ? training_aligned_certificate(record, best.experts, 0.5).bound : kNone;
    ASSERT_EQ(parts.training_aligned_bound.has_value(), std::isfinite(aligned_bound));
    if (!parts.training_aligned_bound) continue;
    ++aligned;
    expect_near(*parts.training_aligned_bound, aligned_bound);
    EXPECT_GE(*parts.training_aligned_bound, parts.plain_bound * (1 - 1e-12));
  }
  // Of each there was something to see.
  EXPECT_GT(switching, 3u);
  EXPECT_GT(aligned, 3u);
  EXPECT_GT(weighted, 0u);
}

// Two experts, each the only one to lose in half of the rounds. eta is so large that the path follows the
// winner, and rho and q are known, so that everything can be written down.
TEST(BoundParts, AreTheirFormulasByHand) {
  Matrix losses(20, 2);
  for (std::size_t t = 0; t < 20; ++t) losses.row(t)[t < 10 ? 1 : 0] = 1;
  const auto parts = made_of(play(losses_of(losses), {"fixed-share{eta=60,rho=0.25}"})).at(0);
  EXPECT_EQ(parts.name, "fixed-share{eta=60,rho=0.25}");
  EXPECT_EQ(parts.switches, 1u);
  EXPECT_FALSE(parts.weighted);
  EXPECT_NEAR(parts.start, std::log(2.0), 1e-12);
  EXPECT_NEAR(parts.stays, -18 * std::log(0.875), 1e-12);
  EXPECT_NEAR(parts.restarts, std::log(4.0), 1e-12);
  EXPECT_NEAR(parts.where_to, std::log(2.0), 1e-12);
  EXPECT_NEAR(parts.uniform_stays, parts.stays, 1e-12);
  EXPECT_NEAR(parts.uniform_where_to, std::log(2.0), 1e-12);
  EXPECT_NEAR(parts.cross_entropy.value(), 19 * std::log(2.0), 1e-12);
  const double switches = std::log(2.0) + std::log(8.0);
  EXPECT_NEAR(parts.plain_bound, (switches + parts.stays) / 60 + 60 * 20 / 8.0, 1e-10);
  EXPECT_NEAR(parts.training_aligned_bound.value(),
              (switches + 18 * std::log(2.0)) / 60 + 60 * 20 / 8.0, 1e-10);
}

// Staying is impossible to describe with Theorem 2 where rho = rho_max, and above it does not apply.
TEST(BoundParts, SayNothingOfTheoremTwoWhereItSaysNothing) {
  const auto problem = losses_of(uniform_losses(30, 3, 2));
  for (const char* spec : {"fixed-share{rho=0.5}", "fixed-share{rho=0.7}"}) {
    EXPECT_FALSE(made_of(play(problem, {spec})).at(0).training_aligned_bound) << spec;
  }
  EXPECT_TRUE(made_of(play(problem, {"fixed-share{rho=0.499}"})).at(0).training_aligned_bound);
}

TEST(BoundParts, AreThereForEachMethodThatWasProvedInTheirOrder) {
  const auto pair =
      play(losses_of(uniform_losses(30, 3, 2)), {"genshare", "boa", "pcgs-tf:oracle", "hedge"});
  const auto parts = made_of(pair);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].name, "genshare");
  EXPECT_EQ(parts[1].name, "pcgs-tf:oracle");
  EXPECT_EQ(parts[2].name, "hedge");
  EXPECT_EQ(parts[2].stays, 0);  // Hedge never restarts
  const std::string said = verify::tables(parts);
  EXPECT_TRUE(mentions(said, "What the bounds are made of"));
  EXPECT_TRUE(mentions(said, "Theorem 2"));
  EXPECT_TRUE(mentions(said, "pcgs-tf:oracle"));
  EXPECT_FALSE(mentions(said, "boa"));
}

TEST(BoundParts, StandBehindTheCertificateInJson) {
  const Pair pair = play(losses_of(uniform_losses(30, 3, 2)), {"fixed-share", "pcgs-tf"});
  const std::string csv = pair.text(), json = pair.certificate.dump();
  auto printed = ordered_json::parse(to_json(verify::verify({csv, "t.csv"}, {json, "c.json"})));
  ASSERT_EQ(printed["made_of"].size(), 2u);
  const auto& fixed = printed["made_of"][0];
  EXPECT_NEAR(fixed["start"].get<double>() + fixed["stays"].get<double>() +
                  fixed["restarts"].get<double>() + fixed["where_to"].get<double>(),
              pair.certificate["methods"][0]["best_path"]["code"].get<double>(), 1e-12);
  EXPECT_TRUE(fixed.contains("training_aligned_bound"));
  EXPECT_FALSE(printed["made_of"][1].contains("training_aligned_bound"));  // eta changes
  printed.erase("made_of");
  EXPECT_EQ(printed, pair.certificate);
}

// Calls `visit` with every leaf of a JSON value and where it is.
void visit_leaves(ordered_json& value, const std::string& at,
                  const std::function<void(ordered_json&, const std::string&)>& visit) {
  if (!value.is_structured()) {
    visit(value, at);
    return;
  }
  for (auto& [key, below] : value.items()) visit_leaves(below, at + "/" + key, visit);
}

ordered_json changed(const ordered_json& leaf) {
  if (leaf.is_boolean()) return !leaf.get<bool>();
  if (leaf.is_string()) return leaf.get<std::string>() + "x";
  if (leaf.is_number_integer()) return leaf.get<std::int64_t>() + 1;
  // A part in 10^8: a thousand times what rounding does here.
  return leaf.get<double>() * (1 + 1e-8) + 1e-8;
}

// No trace holds what these follow from.
bool cannot_be_checked(const std::string& at) {
  if (!at.starts_with("/published/")) return false;
  return at.ends_with("/regret") || at.ends_with("switches");
}

TEST(Verify, NoFieldOfACertificateCanBeAnother) {
  for (const auto& problem : {losses_of(uniform_losses(25, 3, 8)), forecasts_of(25, 3, 9)}) {
    Pair pair = play(
        problem, {"fixed-share", "pcgs-tf", "boa", problem.has_forecasts() ? "blend" : "squint"});
    ASSERT_EQ(pair.objection(), "");
    std::size_t tried = 0;
    visit_leaves(pair.certificate, "", [&](ordered_json& leaf, const std::string& at) {
      const ordered_json kept = leaf;
      leaf = changed(kept);
      EXPECT_NE(pair.objection(), "") << at;  // its checksum is another
      Pair sealed = pair;
      sealed.seal();
      if (at != "/checksum" && !cannot_be_checked(at)) {
        EXPECT_NE(sealed.objection(), "") << at;
      }
      leaf = kept;
      ++tried;
    });
    EXPECT_GT(tried, 60u);
    EXPECT_EQ(pair.objection(), "");
  }
}

TEST(Verify, NoKeyOfACertificateIsMissingOrTooMuch) {
  const Pair pair = play(forecasts_of(12, 2, 9), {"fixed-share", "boa"});
  const std::function<void(const ordered_json&, const ordered_json::json_pointer&)> visit =
      [&](const ordered_json& value, const ordered_json::json_pointer& at) {
        if (value.is_array() && !value.empty()) visit(value[0], at / 0);
        if (!value.is_object()) return;
        for (const auto& [key, below] : value.items()) {
          Pair without = pair;
          without.certificate[at].erase(key);
          if (key != "checksum") without.seal();
          EXPECT_NE(without.objection(), "") << at << ' ' << key;
          visit(below, at / key);
        }
        Pair more = pair;
        more.certificate[at]["note"] = "x";
        more.seal();
        EXPECT_NE(more.objection(), "") << at;
      };
  visit(pair.certificate, ordered_json::json_pointer());
  Pair longer = pair;
  longer.certificate["methods"].push_back(longer.certificate["methods"][0]);
  longer.seal();
  EXPECT_NE(longer.objection(), "");
}

TEST(Verify, AKeyThatIsThereTwiceIsRefused) {
  const Pair pair = play(losses_of(uniform_losses(5, 2, 1)), {"hedge"});
  std::string json = pair.certificate.dump();
  json.replace(json.find("\"rounds\""), 0, "\"rounds\":5,");
  const std::string csv = pair.text();
  const std::string message = error_of([&] { verify::verify({csv, "t.csv"}, {json, "c.json"}); });
  EXPECT_TRUE(mentions(message, "the key rounds stands twice"));
}

// Columns whose numbers decide nothing: what the learner's own decision lost, and, without forecasts, the
// scale.
bool decides_nothing(const std::string& column, bool forecasts) {
  return column == "learner_loss" || (!forecasts && column == "scale");
}

TEST(Verify, NoCellOfATraceCanBeAnother) {
  Random random(3);
  for (const auto& problem : {losses_of(uniform_losses(25, 3, 8)), forecasts_of(25, 3, 9)}) {
    const Pair pair = play(problem, {"fixed-share", "boa", "pcgs-tf"});
    for (std::size_t r = 1; r < pair.trace.size(); ++r) {
      for (std::size_t c = 0; c < pair.trace[r].size(); ++c) {
        if (random.chance(0.8)) continue;
        const std::string& cell = pair.trace[r][c];
        const std::string column = pair.trace[0][c];
        Pair other = pair;
        std::string& to = other.trace[r][c];
        to = c == 0         ? cell + "x"
             : cell.empty() ? "0.25"
                            : fmt::format("{}", std::stod(cell) + 1e-6);
        const std::string where = fmt::format("row {}, {}: {} for {}", r, column, to, cell);
        EXPECT_NE(other.objection(), "") << where;  // its fingerprint is another
        // And somebody who makes it fit: only methods of the share form can be replayed, and the
        // restart after the last round, what sleeps and what has no weight decide nothing.
        const bool last = r + 1 == pair.trace.size() || pair.trace[r + 1][0] != pair.trace[r][0];
        const bool replayed = pair.trace[r][0] != "boa";
        const bool weightless = column.starts_with("loss:") &&
                                std::stod(pair.trace[r][c - problem.experts.size()]) < 1e-6;
        if (c == 0 || !replayed || last || cell.empty() || weightless ||
            decides_nothing(column, problem.has_forecasts())) {
          continue;
        }
        try {
          other.put_fingerprints();
        } catch (const Error&) {
          continue;  // not even a trace
        }
        other.seal();
        EXPECT_NE(other.objection(), "") << where;
      }
    }
  }
}

TEST(Verify, RowsAreNeitherMovedNorMissingNorRepeated) {
  const Pair pair = play(losses_of(uniform_losses(12, 3, 4)), {"fixed-share", "boa"});
  for (std::size_t r = 1; r < pair.trace.size(); ++r) {
    Pair without = pair, twice = pair, moved = pair;
    without.trace.erase(without.trace.begin() + static_cast<std::ptrdiff_t>(r));
    twice.trace.insert(twice.trace.begin() + static_cast<std::ptrdiff_t>(r), pair.trace[r]);
    std::swap(moved.trace[r], moved.trace[r == 1 ? 2 : r - 1]);
    for (Pair* other : {&without, &twice, &moved}) {
      EXPECT_NE(other->objection(), "") << r;
      if (r > 12) continue;  // boa cannot be replayed
      other->put_fingerprints();
      other->seal();
      EXPECT_NE(other->objection(), "") << r;
    }
  }
}

TEST(Verify, NamesBelongToTheirColumns) {
  const Pair pair = play(losses_of(uniform_losses(12, 3, 4)), {"fixed-share"});
  Pair swapped = pair;
  std::swap(swapped.trace[0][10], swapped.trace[0][11]);  // weights alone
  EXPECT_TRUE(mentions(swapped.objection(), "is not a trace"));
  for (const std::size_t kind : {1u, 2u}) {  // losses and restarts, too
    std::swap(swapped.trace[0][10 + 3 * kind], swapped.trace[0][11 + 3 * kind]);
  }
  EXPECT_TRUE(mentions(swapped.objection(), "experts are e0, e1, e2"));
}

// Who is awake has no weight that can be seen, so they share evenly, and nothing else is agreed with.
TEST(Verify, WhereNobodyAwakeHasAWeightTheyShareEvenly) {
  Problem problem = losses_of(Matrix(8, 3));
  for (std::size_t t = 0; t < 8; ++t) {
    problem.outcomes.push_back(0);
    problem.values.row(t)[0] = 10;
    problem.values.row(t)[1] = t < 6 ? 0 : std::numeric_limits<double>::quiet_NaN();
    problem.values.row(t)[2] = 9;
  }
  Pair pair = play(problem, {"hedge{eta=10000}"});
  ASSERT_EQ(pair.trace[7][10], "0.5");  // a weight, in the round in which the good one sleeps
  EXPECT_EQ(pair.objection(), "");
  for (const auto& [first, last] : {std::pair{"0", "1"}, {"1", "0"}, {"-1", "2"}, {"0.4", "0.6"}}) {
    Pair other = pair;
    other.trace[7][10] = first;
    other.trace[7][12] = last;
    const double a = std::stod(first), c = std::stod(last);
    other.trace[7][2] =
        fmt::format("{}", a * std::stod(other.trace[7][13]) + c * std::stod(other.trace[7][15]));
    other.put_fingerprints();
    other.seal();
    EXPECT_TRUE(mentions(other.objection(), "round 7 has "));
  }
}

TEST(Verify, WhetherABoundIsWeightedIsCheckedWithoutBudgetsToo) {
  Pair pair = play(losses_of(uniform_losses(9, 2, 1)), {"hedge"});
  pair.certificate["switches"] = ordered_json::array();
  pair.certificate["methods"][0]["switching"] = ordered_json::array();
  pair.seal();
  ASSERT_EQ(pair.objection(), "");
  pair.certificate["methods"][0]["weighted"] = true;
  pair.seal();
  EXPECT_TRUE(mentions(pair.objection(), "weighted is true"));
}

// A rate so large or small that rounding explains everything after it must not make the checker agree
// with everything: the trace is that of a run with this eta, up to one changed weight.
TEST(Verify, TolerancesDoNotGrowWithTheData) {
  const Pair pair = play(losses_of(uniform_losses(12, 3, 4)), {"hedge"});
  for (const char* eta : {"1e300", "1e12", "1e-300", "1e-12", "inf", "nan", "-1", "0"}) {
    Pair other = pair;
    other.trace[3][4] = eta;
    EXPECT_NE(other.objection(), "") << eta;
  }
}

TEST(Verify, ACertificateThatClaimsMoreThanThereIsTakesNoMemory) {
  Pair pair = play(losses_of(uniform_losses(12, 3, 4)), {"hedge"}, {2});
  pair.certificate["switches"][0] = 1000000;
  pair.certificate["methods"][0]["switching"][0]["switches"] = 1000000;
  pair.certificate["methods"][0]["rounds"] = 1000000000000u;
  pair.seal();
  EXPECT_TRUE(mentions(pair.objection(), "rounds is 1000000000000"));
}

// Another path than the best, and everything that follows from it reckoned right: the certificate would
// hold, and say less than it could.
TEST(Verify, AWorsePathIsRefused) {
  const Pair pair = play(losses_of(uniform_losses(20, 3, 4)), {"hedge"});
  ASSERT_EQ(pair.certificate["methods"][0]["best_path"]["path"].size(), 1u);
  std::size_t refused = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double eta = 0, loss = 0, paid = 0, gaps = 0;
    for (std::size_t r = 1; r < pair.trace.size(); ++r) {
      const auto number = [&](std::size_t c) { return std::stod(pair.trace[r][c]); };
      eta = number(4);
      paid += number(2);
      gaps += number(7);
      loss += number(13 + k);
    }
    Pair other = pair;
    auto& path = other.certificate["methods"][0]["best_path"];
    const bool best = path["path"][0]["expert"] == fmt::format("e{}", k);
    path["path"][0]["expert"] = fmt::format("e{}", k);
    path["loss"] = loss;
    path["regret"] = paid - loss;
    path["bound"] = std::log(3.0) / eta + gaps;
    other.seal();
    EXPECT_EQ(other.objection() == "", best) << other.objection();
    if (mentions(other.objection(), "best_path/path costs")) ++refused;
  }
  EXPECT_EQ(refused, 2u);
}

TEST(Verify, SaysWhatIsWrong) {
  const auto problem = losses_of(uniform_losses(4, 2, 4));
  const auto forecasts = forecasts_of(6, 2, 4);
  const Pair one = play(problem, {"hedge"}, {0}), two = play(problem, {"hedge", "boa"}, {0}),
             published = play(forecasts, {"hedge", "blend"}, {0});
  const auto last_but = [](Pair& pair, std::size_t rows) -> std::vector<std::string>& {
    return pair.trace[pair.trace.size() - 1 - rows];
  };
  const struct {
    const char* said;
    const Pair& pair;
    std::function<void(Pair&)> change;
  } cases[] = {
      {"the rows of hedge are not together", two,
       [&](Pair& p) { p.trace.push_back(last_but(p, 4)); }},
      {"it says nothing about boa", one, [&](Pair& p) { p.trace.push_back(two.trace.back()); }},
      {"the trace has no rows of boa", two, [](Pair& p) { p.trace.resize(5); }},
      {"the trace has no rows of hedge", one, [](Pair& p) { p.trace.resize(1); }},
      {"is of another form than the rows of its method before it", one,
       [](Pair& p) {
         for (const std::size_t column : {4u, 5u, 6u, 7u, 14u, 15u}) p.trace[4][column].clear();
       }},
      {"has rho 1; it must be in [0, 1)", one, [](Pair& p) { p.trace[2][5] = "1"; }},
      {"switches has a budget that cannot be", one,
       [](Pair& p) { p.certificate["switches"][0] = 1000001; }},
      {"which cannot be", two, [&](Pair& p) { last_but(p, 0)[10] = "-0.5"; }},
      {"has weights that sum to", two, [&](Pair& p) { last_but(p, 0)[10] = "0.99"; }},
      {"lost less than nothing", published, [](Pair& p) { p.trace[2][9] = "-1"; }},
      {"not squared, or lacks one", published,
       [](Pair& p) {
         auto& claim = p.certificate["published"][0]["path"];
         claim.erase("rmse");
         claim.erase("rmse_bound");
       }},
      {"does not name two paths and an expert", published,
       [](Pair& p) { p.certificate["published"][0]["expert"]["expert"] = "nobody"; }},
      {"exceeds its bound", published,
       [](Pair& p) { p.certificate["published"][0]["path"]["regret"] = 1e6; }},
  };
  // What was reached exactly was not exceeded.
  Pair exact = published;
  auto& claim = exact.certificate["published"][0]["path"];
  claim["regret"] = claim["bound"];
  exact.seal();
  EXPECT_EQ(exact.objection(), "");
  for (const auto& [said, pair, change] : cases) {
    Pair other = pair;
    ASSERT_EQ(other.objection(), "");
    change(other);
    other.seal();
    EXPECT_TRUE(mentions(other.objection(), said));
  }
}

}  // namespace
}  // namespace pcgs::test
