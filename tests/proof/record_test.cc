// A record believes the losses and the controls of a trace, and sees that they fit each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "contract/script.h"
#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "proof/path_certificates.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::error_of;
using test::mentions;
using test::same_bits;

struct PlayedRun {
  Trace trace;
  std::vector<double> weights;  // in the end
  double total_loss = 0;
};

PlayedRun played(const std::string& spec, std::size_t experts, std::size_t rounds,
                 std::uint64_t seed, const LossScale& scale = {}) {
  PlayedRun run;
  Aggregator aggregator = make_aggregator(spec, experts, test::scaled(scale));
  test::ShiftingLosses losses(experts, seed);
  aggregator.trace(&run.trace);
  for (std::size_t t = 0; t < rounds; ++t) aggregator.learn(losses.next());
  run.total_loss = aggregator.total_loss();
  run.weights = test::copy(aggregator.weights());
  return run;
}

TEST(ShareRecord, ReplaysTheRunOfEveryMethodOfTheShareForm) {
  for (const MethodInfo& method : registered_methods()) {
    if (!method.traits.share_form || method.traits.needs_forecasts) continue;
    const PlayedRun run = played(std::string(method.name), 7, 300, 1);
    const ShareRecord record = ShareRecord::of(run.trace.rows());
    ASSERT_EQ(record.rounds(), 300u);
    ASSERT_EQ(record.experts(), 7u);
    EXPECT_EQ(record.total_paid(), run.total_loss);
    EXPECT_TRUE(same_bits(record.weights(), run.weights));
    for (std::size_t t = 0; t < 300; ++t) {
      const Trace::Row& row = run.trace.rows()[t];
      EXPECT_TRUE(same_bits(record.losses().row(t), row.losses));
      EXPECT_EQ(record.controls(t).eta, row.eta);
      EXPECT_EQ(record.controls(t).rho, row.rho);
      const auto q = record.controls(t).q;
      EXPECT_TRUE(q.empty() || same_bits(q, row.q));
    }
  }
}

TEST(ShareRecord, RefusesATraceThatIsNotOfTheShareForm) {
  const PlayedRun run = played("adahedge", 3, 5, 1);
  EXPECT_TRUE(mentions(error_of([&] { ShareRecord::of(run.trace.rows()); }), "share form"));
  EXPECT_TRUE(mentions(error_of([] { ShareRecord::of({}); }), "no rounds"));
}

// What a certificate is made from cannot be another; the rest is for the checker (verify_test).
TEST(Certificate, RejectsATamperedTrace) {
  for (const char* spec : {"hedge", "fixed-share{eta=2,rho=0.05}", "genshare", "past-posteriors"}) {
    const PlayedRun run = played(spec, 5, 24, 9);
    const auto refused = [&](std::size_t t, const auto& change) {
      std::vector<Trace::Row> rows = run.trace.rows();
      change(rows[t]);
      return !error_of([&] { ShareRecord::of(rows); }).empty();
    };
    for (std::size_t t = 0; t < 24; ++t) {
      // By a part in 10^6, that is 10^5 times the rounding; where it decides something.
      for (const double by : {1e-6, -1e-6}) {
        for (std::size_t k = 0; k < 5; ++k) {
          if (run.trace.rows()[t].weights[k] > 1e-4) {
            EXPECT_TRUE(refused(t, [&](Trace::Row& r) { r.losses[k] += by; })) << spec << t;
          }
          // A q that no longer sums to 1 is never one.
          EXPECT_TRUE(refused(t, [&](Trace::Row& r) { r.q[k] += by; })) << spec << t;
        }
        EXPECT_TRUE(refused(t, [&](Trace::Row& r) { r.eta += by; })) << spec << t;
        EXPECT_TRUE(refused(t, [&](Trace::Row& r) { r.mix_loss += by; })) << spec << t;
        if (run.trace.rows()[t].rho == 0 || t == 23) continue;
        EXPECT_TRUE(refused(t, [&](Trace::Row& r) { r.rho += by; })) << spec << t;
      }
    }
  }
}

TEST(ShareRecord, NamesTheRoundThatIsWrong) {
  const PlayedRun run = played("fixed-share", 4, 30, 2);
  const struct {
    const char* said;
    void (*change)(Trace::Row& row);
  } cases[] = {
      {"round 12", [](auto& r) { r.losses[2] = 1.5; }},
      {"the loss nan", [](auto& r) { r.losses[2] = NAN; }},
      {"3 losses", [](auto& r) { r.losses.pop_back(); }},
      {"eta 0", [](auto& r) { r.eta = 0; }},
      {"eta inf", [](auto& r) { r.eta = INFINITY; }},
      {"rho 1", [](auto& r) { r.rho = 1; }},
      {"rho -0.1", [](auto& r) { r.rho = -0.1; }},
      {"restart probabilities", [](auto& r) { r.q = {1}; }},
      {"restart",
       [](auto& r) {
         r.q = {2, -1, 0, 0};
       }},
      {"mix loss", [](auto& r) { r.mix_loss = NAN; }},
  };
  for (const auto& [said, change] : cases) {
    std::vector<Trace::Row> rows = run.trace.rows();
    change(rows[11]);
    EXPECT_TRUE(mentions(error_of([&] { ShareRecord::of(rows); }), said));
  }
  EXPECT_TRUE(mentions(error_of([] { ShareRecord record(0); }), "at least one"));
  EXPECT_TRUE(mentions(error_of([] { ShareRecord record(2, {{0.5, 0.6}}); }), "simplex"));
  EXPECT_TRUE(mentions(error_of([] { ShareRecord(2).add({{0.5, 2.0}}, {}); }), "round 1"));
}

TEST(ShareRecord, EndsWhereARateLeavesNoDigits) {
  const PlayedRun run = played("hedge{eta=10000}", 2, 3, 2);
  std::vector<Trace::Row> rows = run.trace.rows();
  rows[0].eta = 1e16;
  rows[0].mix_loss = *std::ranges::min_element(rows[0].losses) + 1e-16;
  EXPECT_TRUE(mentions(error_of([&] { ShareRecord::of(rows); }), "leave no digits"));
}

// ---- Late losses, sleepers, other first weights -------------------------------------------------

void expect_certified(const ShareRecord& record, double total_loss) {
  EXPECT_NEAR(record.total_paid(), total_loss, 1e-11 * total_loss);
  const BestPath best = best_path(record);
  const Certificate sharp = sharp_certificate(record, best.experts);
  const Certificate plain = weighted_certificate(record, best.experts);
  EXPECT_TRUE(sharp.holds()) << sharp.regret << " > " << sharp.bound;
  EXPECT_TRUE(plain.holds());
  EXPECT_LE(sharp.bound, plain.bound);
  for (const SwitchingCertificate& s : switching_certificates(record, 8)) {
    EXPECT_TRUE(s.sharp.holds() && s.plain.holds());
  }
}

TEST(ShareRecord, LossesUnderAFollowingScaleAreCertified) {
  for (const char* spec : {"hedge", "fixed-share", "genshare", "past-posteriors"}) {
    const PlayedRun run = played(spec, 6, 200, 4, LossScale::following());
    const ShareRecord record = ShareRecord::of(run.trace.rows());
    expect_certified(record, run.total_loss);
  }
}

TEST(ShareRecord, LatenessIsPartOfTheBoundAndNothingElseIs) {
  // The second round is played before the first is learned.
  Aggregator aggregator = make_aggregator("hedge{eta=50}", 2);
  Trace trace;
  aggregator.trace(&trace);
  const std::vector<double> losses{0, 1};
  const std::int64_t first = aggregator.open();
  const std::int64_t second = aggregator.open();
  aggregator.learn(first, losses);
  aggregator.learn(second, losses);
  const ShareRecord record = ShareRecord::of(trace.rows());
  EXPECT_EQ(record.total_paid(), 1);  // a half each time; on time it would have been 1/2 in all
  const Certificate sharp =
      unweighted(record, sharp_certificate(record, std::vector<std::uint32_t>{0, 0}));
  EXPECT_TRUE(sharp.holds());
  EXPECT_NEAR(sharp.bound, 1, 1e-12);
  ShareRecord on_time(2);
  on_time.add(losses, {50, 0, {}});
  on_time.add(losses, {50, 0, {}});
  EXPECT_NEAR(on_time.realised_gaps() + 50 * 0.5, record.realised_gaps(), 1e-9);
  EXPECT_NEAR(on_time.worst_gaps() + 50 * 0.5, record.worst_gaps(), 1e-9);
}

TEST(ShareRecord, CertifiesLateLossesInAnyOrderAndSleepers) {
  test::on_runs_with_sleepers([](Aggregator& aggregator, const auto& play) {
    Trace trace;
    aggregator.trace(&trace);
    play([] {});
    expect_certified(ShareRecord::of(trace.rows()), aggregator.total_loss());
  });
}

// An expert at weight 0 that everybody awake has is played evenly.
TEST(ShareRecord, CertifiesARoundInWhichOnlyHopelessExpertsAreAwake) {
  Aggregator aggregator = make_aggregator("hedge{eta=1000}", 3);
  Trace trace;
  aggregator.trace(&trace);
  for (int t = 0; t < 5; ++t) aggregator.learn(std::vector<double>{0, 1, 1});
  aggregator.learn(aggregator.open(std::vector<std::uint8_t>{0, 1, 1}),
                   std::vector<double>{0, 0.25, 0.75});
  aggregator.learn(std::vector<double>{1, 0, 1});
  const ShareRecord record = ShareRecord::of(trace.rows());
  expect_certified(record, aggregator.total_loss());
}

TEST(ShareRecord, TakesUpARunFromItsWeights) {
  Aggregator aggregator = make_aggregator("fixed-share", 4);
  test::ShiftingLosses losses(4, 3);
  for (int t = 0; t < 50; ++t) aggregator.learn(losses.next());
  const std::vector<double> initial = test::copy(aggregator.weights());
  const double before = aggregator.total_loss();
  Trace trace;
  aggregator.trace(&trace);
  for (int t = 0; t < 50; ++t) aggregator.learn(losses.next());
  EXPECT_TRUE(mentions(error_of([&] { ShareRecord::of(trace.rows()); }), "round 51"));
  expect_certified(ShareRecord::of(trace.rows(), initial), aggregator.total_loss() - before);
}

}  // namespace
}  // namespace pcgs
