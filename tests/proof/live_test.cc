// The live certificate is best_path() and its certificate, at every round.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/certify.h"
#include "pcgs/registry.h"
#include "proof/loss_kinds.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::error_of;
using test::mentions;
using test::Random;

class LiveSink final : public TraceSink {
 public:
  explicit LiveSink(std::size_t experts) : live(experts) {}
  void record(const TraceRow& row) override {
    const Round& round = row.round;
    live.observe(round.losses, *row.step, {round.mixture_loss, row.combined_loss(), round.scale});
  }
  LiveCertificate live;
};

LiveCertificate::Paid paid(double loss) { return {loss, loss, 1}; }

void expect_same(const LiveCertificate& live, const ShareRecord& record) {
  const BestPath best = best_path(record);
  ASSERT_EQ(live.rounds(), record.rounds());
  ASSERT_EQ(live.best().loss, best.cost.loss);
  ASSERT_EQ(live.best().weighted_loss, best.cost.weighted_loss);
  ASSERT_EQ(live.best().code, best.cost.code);
  ASSERT_EQ(live.best().switches, best.cost.switches);
  ASSERT_EQ(live.constant_eta(), record.constant_eta());
  const Certificate sharp = sharp_certificate(record, best.experts);
  const Certificate now = live.weighted();
  ASSERT_NEAR(now.regret, sharp.regret, now.rounding);
  ASSERT_NEAR(now.bound, sharp.bound, now.rounding);
  ASSERT_NEAR(now.rounding, sharp.rounding, 1e-9 * sharp.rounding);
  ASSERT_TRUE(now.holds());
}

TEST(LiveCertificate, EqualsTheBestPathAtEveryRound) {
  for (const test::LossKind kind : test::kLossKinds) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Random random(seed);
      const std::size_t experts = 1 + random.below(6);
      test::Losses losses(kind, 40, experts, seed);
      const std::vector<double> initial =
          random.chance(0.5) ? std::vector<double>() : random.simplex(experts);
      Share share(experts, initial);
      ShareRecord record(experts, initial);
      LiveCertificate live(experts, initial);
      for (std::size_t t = 0; t < 40; ++t) {
        const std::vector<double> l = losses.next(t, share.weights());
        const std::vector<double> q = random.simplex(experts);
        const double rho = random.chance(0.3) ? 0 : random.log_uniform(1e-6, 0.9);
        const Controls controls{random.log_uniform(0.1, 30), rho,
                                random.chance(0.5) ? std::span<const double>() : q};
        record.add(l, controls);
        live.observe(l, share.step(l, controls), paid(record.paid(t)));
        ASSERT_NO_FATAL_FAILURE(expect_same(live, record)) << name_of(kind) << " " << t;
      }
    }
  }
}

TEST(LiveCertificate, HoldsBesideAnAggregatorWithLateLossesAndSleepers) {
  for (const char* spec : {"hedge", "fixed-share", "genshare", "past-posteriors"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const std::size_t experts = 2 + random.below(5);
      Aggregator aggregator = make_aggregator(spec, experts);
      LiveSink sink(experts);
      aggregator.trace(&sink);
      std::vector<std::int64_t> open;
      for (int t = 0; t < 120; ++t) {
        open.push_back(aggregator.open(random.awake(experts, 0.6)));
        while (open.size() > random.below(4)) {
          const std::size_t i = random.below(open.size());
          aggregator.learn(open[i], random.losses(experts));
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
          const Certificate now = sink.live.certificate();
          ASSERT_TRUE(now.holds());
          ASSERT_NEAR(now.regret, aggregator.total_loss() - sink.live.best().loss, 1e-10);
        }
      }
    }
  }
}

TEST(LiveCertificate, HoldsUnderAFollowingScale) {
  Aggregator aggregator = make_aggregator("fixed-share", 5, test::scaled(LossScale::following()));
  LiveSink sink(5);
  aggregator.trace(&sink);
  test::ShiftingLosses losses(5, 1);
  for (int t = 0; t < 200; ++t) {
    aggregator.learn(losses.next());
    ASSERT_TRUE(sink.live.weighted().holds());
  }
  EXPECT_EQ(sink.live.rounds(), 200u);
}

TEST(LiveCertificate, BeforeTheFirstRoundSaysNothing) {
  const LiveCertificate live(3);
  EXPECT_EQ(live.rounds(), 0u);
  EXPECT_EQ(live.certificate().regret, 0);
  EXPECT_EQ(live.certificate().bound, 0);
  EXPECT_TRUE(live.certificate().holds());
}

TEST(LiveCertificate, InUnitsOfLossNeedsAConstantEta) {
  Share share(2);
  LiveCertificate live(2);
  const std::vector<double> l{0.25, 1};
  live.observe(l, share.step(l, {2, 0.1, {}}), paid(0.625));
  const Certificate weighted = live.weighted();
  EXPECT_DOUBLE_EQ(live.certificate().bound, weighted.bound / 2);
  EXPECT_DOUBLE_EQ(live.certificate().regret, 0.625 - 0.25);
  live.observe(l, share.step(l, {3, 0.1, {}}), paid(0.5));
  live.observe(l, share.step(l, {3, 0.1, {}}), paid(0.5));
  EXPECT_EQ(live.constant_eta(), 0);
  EXPECT_TRUE(mentions(error_of([&] { live.certificate(); }), "eta"));
}

// ---- Saving -------------------------------------------------------------------------------------

std::vector<std::uint8_t> saved(const LiveCertificate& live) {
  StateWriter out;
  live.save(out);
  return out.file(7);
}

void load(LiveCertificate& live, const std::vector<std::uint8_t>& file) {
  StateReader in(file, "a file");
  live.load(in);
  in.finish();
}

TEST(LiveCertificate, RunSaveLoadRunIsRunRun) {
  Random random(1);
  Share share(4);
  LiveCertificate through(4, {{0.0, 0.5, 0.25, 0.25}});  // one way of infinite price
  LiveCertificate resumed = through;
  for (int t = 0; t < 100; ++t) {
    const std::vector<double> l = random.losses(4);
    const std::vector<double> q = random.simplex(4);
    const ShareStep& step = share.step(l, {3, t < 50 ? 0 : 0.1, q});
    through.observe(l, step, paid(0.5));
    resumed.observe(l, step, paid(0.5));
    LiveCertificate fresh(4);
    load(fresh, saved(resumed));
    resumed = fresh;
    ASSERT_EQ(saved(resumed), saved(through));
  }
}

TEST(LiveCertificate, RefusesAForgedState) {
  Share share(2);
  LiveCertificate live(2);
  const std::vector<double> l{0.25, 1};
  live.observe(l, share.step(l, {2, 0.1, {}}), paid(0.6));
  const std::size_t fields = 1 + 8 + 3 * 4;
  constexpr std::size_t kHeader = 32;  // see pcgs/state.h
  for (std::size_t i = 0; i < fields; ++i) {
    const bool is_count = i == 0 || (i >= 9 && (i - 9) % 4 == 3);
    for (const double bad : {std::nan(""), -1e301, std::numeric_limits<double>::infinity()}) {
      const bool is_way_code = i >= 13 && (i - 13) % 4 == 2;
      if (is_way_code && bad > 0) continue;  // one way may be ruled out; see below
      StateWriter out;
      StateWriter original;
      live.save(original);
      const std::vector<std::uint8_t> file = original.file(7);
      for (std::size_t f = 0; f < fields; ++f) {
        std::uint64_t word = 0;
        for (std::size_t b = 0; b < 8; ++b) {
          word |= std::uint64_t{file[kHeader + 8 * f + b]} << (8 * b);
        }
        if (f == i && !is_count) {
          out.f64(bad);
        } else {
          out.u64(f == i ? ~std::uint64_t{0} : word);
        }
      }
      LiveCertificate fresh(2);
      error_of([&] { load(fresh, out.file(7)); });
    }
  }
  // Every way ruled out.
  StateWriter out;
  out.u64(1);
  for (const double x : {2.0, 2.0, 1.0, 0.1, 2.0, 2.0, 1.0, 0.1}) out.f64(x);
  for (const double code : {1.0, HUGE_VAL, HUGE_VAL}) {
    out.f64(0.5);
    out.f64(1);
    out.f64(code);
    out.u64(0);
  }
  LiveCertificate fresh(2);
  EXPECT_TRUE(mentions(error_of([&] { load(fresh, out.file(7)); }), "every path"));
}

}  // namespace
}  // namespace pcgs
