// A record believes the losses and the controls of a trace, and checks everything else.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
using test::Random;
using test::same_bits;

struct PlayedRun {
  Trace trace;
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
  return run;
}

Trace copy_of(const std::vector<Trace::Row>& rows) {
  Trace trace;
  for (const Trace::Row& row : rows) {
    const ShareStep step{{row.eta, row.rho, row.q}, row.mix_loss, row.gap};
    Round round;
    round.number = row.round;
    round.losses = row.losses;
    round.mixture_loss = row.mixture_loss;
    round.learner_loss = row.learner_loss;
    round.scale = row.scale;
    trace.record({round, row.weights, row.q.empty() ? nullptr : &step, row.forecast_loss});
  }
  return trace;
}

TEST(ShareRecord, ReplaysTheRunOfEveryMethodOfTheShareForm) {
  for (const MethodInfo& method : registered_methods()) {
    if (!method.traits.share_form || method.traits.needs_forecasts) continue;
    const PlayedRun run = played(std::string(method.name), 7, 300, 1);
    const ShareRecord record = ShareRecord::of(run.trace);
    ASSERT_EQ(record.rounds(), 300u);
    ASSERT_EQ(record.experts(), 7u);
    EXPECT_EQ(record.late_rounds(), 0u);
    EXPECT_EQ(record.total_paid(), run.total_loss);
    for (std::size_t t = 0; t < 300; ++t) {
      const Trace::Row& row = run.trace.rows()[t];
      EXPECT_TRUE(same_bits(record.weights(t), row.weights));
      EXPECT_TRUE(same_bits(record.losses().row(t), row.losses));
      EXPECT_EQ(record.gap(t), row.gap);
      EXPECT_EQ(record.controls(t).eta, row.eta);
      EXPECT_EQ(record.controls(t).rho, row.rho);
      const auto q = record.controls(t).q;
      EXPECT_TRUE(q.empty() || same_bits(q, row.q));
    }
  }
}

TEST(ShareRecord, RefusesATraceThatIsNotOfTheShareForm) {
  const PlayedRun run = played("adahedge", 3, 5, 1);
  EXPECT_TRUE(mentions(error_of([&] { ShareRecord::of(run.trace); }), "share form"));
  EXPECT_TRUE(mentions(error_of([] { ShareRecord::of(Trace()); }), "no rounds"));
}

// ---- Tampering ----------------------------------------------------------------------------------

// Whether the recursion itself shows that rows were changed. What it does not depend on is in the
// fingerprint of a trace (verify_test).
bool contradicts_itself(const std::vector<Trace::Row>& rows) {
  try {
    ShareRecord::of(copy_of(rows));
    return false;
  } catch (const Error&) {
    return true;
  }
}

TEST(Certificate, RejectsATamperedTrace) {
  for (const char* spec : {"hedge", "fixed-share{eta=2,rho=0.05}", "genshare", "past-posteriors"}) {
    const std::size_t rounds = 24, experts = 5;
    const PlayedRun run = played(spec, experts, rounds, 9);
    const std::vector<Trace::Row>& rows = run.trace.rows();
    ASSERT_FALSE(contradicts_itself(rows));
    // By a part in 10^6, that is 10^5 times the rounding; where it decides something.
    const auto expect_seen = [&](std::size_t t, const std::string& what, bool decides,
                                 const std::function<double&(Trace::Row&)>& number) {
      for (const double change : {1e-6, -1e-6}) {
        if (!decides) continue;
        std::vector<Trace::Row> changed = rows;
        number(changed[t]) += change;
        EXPECT_TRUE(contradicts_itself(changed))
            << spec << ", " << what << " of round " << t + 1 << " changed by " << change;
      }
    };
    for (std::size_t t = 0; t < rounds; ++t) {
      const bool last = t + 1 == rounds;
      const double rho = rows[t].rho;
      for (std::size_t k = 0; k < experts; ++k) {
        expect_seen(t, "weight", true, [&](Trace::Row& r) -> double& { return r.weights[k]; });
        expect_seen(t, "loss", rows[t].weights[k] > 1e-4,
                    [&](Trace::Row& r) -> double& { return r.losses[k]; });
        // A q that no longer sums to 1 is never one.
        expect_seen(t, "q", true, [&](Trace::Row& r) -> double& { return r.q[k]; });
      }
      expect_seen(t, "eta", true, [](Trace::Row& r) -> double& { return r.eta; });
      expect_seen(t, "rho", !last && rho > 0, [](Trace::Row& r) -> double& { return r.rho; });
      expect_seen(t, "mixture loss", true, [](Trace::Row& r) -> double& { return r.mixture_loss; });
      expect_seen(t, "mix loss", true, [](Trace::Row& r) -> double& { return r.mix_loss; });
      expect_seen(t, "gap", true, [](Trace::Row& r) -> double& { return r.gap; });
    }
  }
}

TEST(Certificate, RejectsWeightsThatWereNeverHeldThoughTheyCostTheSame) {
  const PlayedRun run = played("fixed-share", 3, 20, 6);
  for (std::size_t t = 0; t < 20; ++t) {
    std::vector<Trace::Row> rows = run.trace.rows();
    Trace::Row& row = rows[t];
    row.weights[0] += 1e-6;
    row.weights[1] -= 1e-6 * row.losses[0] / row.losses[1];
    EXPECT_TRUE(mentions(error_of([&] { ShareRecord::of(copy_of(rows)); }), "never had"));
  }
}

TEST(Certificate, RejectsRoundsThatAreMissingRepeatedOrMoved) {
  const PlayedRun run = played("fixed-share", 4, 30, 2);
  const auto& rows = run.trace.rows();
  for (std::size_t t = 0; t < 30; ++t) {
    std::vector<Trace::Row> changed = rows;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(t));
    EXPECT_EQ(contradicts_itself(changed), t < 29) << "round " << t + 1 << " is missing";

    changed = rows;
    changed.push_back(rows[t]);
    EXPECT_TRUE(contradicts_itself(changed)) << "round " << t + 1 << " is there twice";

    if (t + 1 == 30) continue;
    changed = rows;
    std::swap(changed[t], changed[t + 1]);
    EXPECT_TRUE(contradicts_itself(changed)) << "round " << t + 1 << " is moved";
  }
}

TEST(ShareRecord, NamesTheRoundThatIsWrong) {
  const PlayedRun run = played("fixed-share", 4, 30, 2);
  const auto message_after = [&](const std::function<void(Trace::Row&)>& change) {
    std::vector<Trace::Row> rows = run.trace.rows();
    change(rows[11]);
    return error_of([&] { ShareRecord::of(copy_of(rows)); });
  };
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.losses[2] = 1.5; }), "round 12"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.losses[2] = NAN; }), "the loss nan"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.losses.pop_back(); }), "3 losses"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.eta = 0; }), "eta 0"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.eta = INFINITY; }), "eta inf"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.rho = 1; }), "rho 1"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.rho = -0.1; }), "rho -0.1"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.q = {1}; }), "restart probabilities"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.q = {2, -1, 0, 0}; }), "restart"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.weights[0] = NAN; }), "weights"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.weights.pop_back(); }), "experts"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.mix_loss = NAN; }), "mix loss"));
  EXPECT_TRUE(mentions(message_after([](auto& r) { r.round = 3; }), "round 3 of the trace is"));
  EXPECT_TRUE(mentions(error_of([] { ShareRecord record(0); }), "at least one"));
  EXPECT_TRUE(mentions(error_of([] { ShareRecord record(2, {{0.5, 0.6}}); }), "simplex"));
  EXPECT_TRUE(mentions(error_of([] { ShareRecord(2).add({{0.5, 2.0}}, {}); }), "round 1"));
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
    const ShareRecord record = ShareRecord::of(run.trace);
    EXPECT_EQ(record.late_rounds(), 0u);
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
  const ShareRecord record = ShareRecord::of(trace);
  EXPECT_EQ(record.late_rounds(), 1u);
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
  for (const char* spec : {"hedge", "fixed-share", "genshare{eta=30}", "past-posteriors"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const std::size_t experts = 2 + random.below(5);
      Aggregator aggregator = make_aggregator(spec, experts);
      Trace trace;
      aggregator.trace(&trace);
      std::vector<std::int64_t> open;
      const bool late = seed % 2 == 0;
      for (int t = 0; t < 120; ++t) {
        open.push_back(aggregator.open(random.awake(experts, 0.6)));
        while (open.size() > (late ? random.below(5) : 0u)) {
          const std::size_t i = random.below(open.size());
          aggregator.learn(open[i], random.losses(experts));
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      const ShareRecord record = ShareRecord::of(trace);
      EXPECT_EQ(record.late_rounds() > 0, late);
      expect_certified(record, aggregator.total_loss());
    }
  }
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
  const ShareRecord record = ShareRecord::of(trace);
  EXPECT_EQ(record.late_rounds(), 0u);
  EXPECT_EQ(record.paid(5), 0.5);
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
  EXPECT_TRUE(mentions(error_of([&] { ShareRecord::of(trace); }), "round 51"));
  expect_certified(ShareRecord::of(trace, initial), aggregator.total_loss() - before);
}

}  // namespace
}  // namespace pcgs
