// The live certificate is best_path() and its certificate, at every round.
#include "proof/live_certificates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "combine/draws.h"
#include "combine/quantile_levels.h"
#include "combine/score_filters.h"
#include "contract/script.h"
#include "pcgs/aggregator.h"
#include "pcgs/certificates.h"
#include "pcgs/registry.h"
#include "proof/loss_kinds.h"
#include "proof/path_certificates.h"
#include "reference/levels.h"
#include "reference/paths.h"
#include "support/expect.h"
#include "support/forge.h"
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
        const double mixture = std::inner_product(l.begin(), l.end(), share.weights().begin(), 0.0);
        record.add(l, controls);
        live.observe(l, share.step(l, controls), paid(mixture));
        ASSERT_NO_FATAL_FAILURE(expect_same(live, record)) << name_of(kind) << " " << t;
      }
    }
  }
}

TEST(LiveCertificate, HoldsBesideAnAggregatorWithLateLossesAndSleepers) {
  test::on_runs_with_sleepers([](Aggregator& aggregator, const auto& play) {
    LiveSink sink(aggregator.experts());
    aggregator.trace(&sink);
    play([&] {
      const Certificate now = sink.live.certificate();
      ASSERT_TRUE(now.holds());
      ASSERT_NEAR(now.regret, aggregator.total_loss() - sink.live.best().loss, 1e-10);
    });
  });
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
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // Rounds and seven sums; then the best path and two ways: loss, weighted loss, code, switches.
  constexpr std::size_t kSums = 8, kFields = kSums + 3 * 4;
  const auto said_of = [&](std::initializer_list<std::size_t> fields, double number) {
    auto file = saved(live);
    for (const std::size_t i : fields) {
      const bool is_count = i == 0 || (i >= kSums && (i - kSums) % 4 == 3);
      test::put_u64(file, test::kStateHeader + 8 * i,
                    is_count ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(number));
    }
    test::seal(file);
    LiveCertificate fresh(2);
    return error_of([&] { load(fresh, file); });
  };
  for (std::size_t i = 0; i < kFields; ++i) {
    for (const double bad : {std::nan(""), -1e301, kInfinity}) {
      const bool is_way_code = i >= kSums + 4 && (i - kSums) % 4 == 2;
      if (is_way_code && bad > 0) continue;  // one way may be ruled out
      said_of({i}, bad);
    }
  }
  EXPECT_TRUE(mentions(said_of({kSums + 4 + 2, kSums + 8 + 2}, kInfinity), "every path"));
}

// Claims about published forecasts, against every path there is.

using reference::ExpertPath;
using reference::PathRound;

std::vector<double> positive_simplex(Random& random, std::size_t n) {
  std::vector<double> out = random.simplex(n);
  for (double& x : out) x = 0.9 * x + 0.1 / static_cast<double>(n);
  return out;
}

// What one recursion was given, and what was published.
struct Played {
  std::vector<double> initial;
  std::vector<PathRound> rounds;
  std::vector<std::vector<double>> raw;   // [T][N] raw losses, of which `rounds` has capped ones
  std::vector<double> published, scales;  // [T] raw loss; raw losses for each unit
};

// Of the path with the lowest raw loss and code, or with the lowest raw loss, among those that
// `counts` lets through.
template <class Counts>
Certificate by_enumeration(const Played& run, bool with_code, const Counts& counts) {
  long double total = 0, paid = 0;
  for (std::size_t t = 0; t < run.rounds.size(); ++t) {
    const long double rate = run.rounds[t].eta / run.scales[t];
    total += rate;
    paid += rate * run.published[t];
  }
  const long double phi = -std::log(reference::partition(run.initial, run.rounds));
  Certificate best;
  long double least = std::numeric_limits<long double>::infinity();
  reference::for_each_path(run.initial.size(), run.rounds.size(), [&](const ExpertPath& path) {
    if (!counts(path)) return;
    const long double code = -std::log(reference::prior(run.initial, run.rounds, path));
    const long double seen = reference::weighted_loss(run.rounds, path);
    long double loss = 0;
    for (std::size_t t = 0; t < path.size(); ++t) {
      loss += run.rounds[t].eta / run.scales[t] * run.raw[t][path[t]];
    }
    const long double price = loss + (with_code ? code : 0);
    if (price >= least) return;
    least = price;
    best.regret = static_cast<double>((paid - loss) / total);
    best.bound = static_cast<double>((code + paid - phi - (loss - seen)) / total);
  });
  return best;
}

void expect_same(const Certificate& claimed, const Certificate& expected) {
  EXPECT_NEAR(claimed.regret, expected.regret, 1e-9 * (1 + std::abs(expected.regret)));
  EXPECT_NEAR(claimed.bound, expected.bound, 1e-9 * (1 + std::abs(expected.bound)));
  EXPECT_TRUE(claimed.holds());
}

TEST(ForecastCertificate, IsThatOfTheBestOfAllPaths) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t all = 2 + random.below(3), raw = 1 + random.below(all);
    Played run;
    run.initial = positive_simplex(random, all);
    Share share(all, run.initial);
    ForecastCertificate proved(raw, run.initial, 1);
    for (std::size_t t = 0; t < 6; ++t) {
      const PathRound round = {random.losses(all), random.log_uniform(0.05, 3),
                               random.log_uniform(1e-3, 0.5), positive_simplex(random, all)};
      run.rounds.push_back(round);
      run.scales.push_back(random.log_uniform(0.1, 10));
      run.published.push_back(run.scales.back() * random.uniform(0, 1.5));
      run.raw.emplace_back();
      for (const double l : round.losses) {
        const double uncapped = random.chance(0.2) ? 3 * l : l;
        run.raw.back().push_back(run.scales.back() * uncapped);
      }
      const Controls controls = {round.eta, round.rho, round.q};
      proved.observe(0, {run.raw.back(), run.published.back()}, round.losses, run.scales.back(),
                     share.step(round.losses, controls));
      const auto anything = [](const ExpertPath&) { return true; };
      const auto over_raw = [&](const ExpertPath& path) {
        return std::all_of(path.begin(), path.end(), [&](auto k) { return k < raw; });
      };
      const auto stays = [&](const ExpertPath& path) {
        return over_raw(path) && reference::switches_of(path) == 0;
      };
      expect_same(proved.against_path().certificate, by_enumeration(run, true, anything));
      expect_same(proved.against_raw_path().certificate, by_enumeration(run, true, over_raw));
      expect_same(proved.against_expert().certificate, by_enumeration(run, false, stays));
    }
  }
}

// Every recursion's claim holds, and the strongest is shown.
TEST(ForecastCertificate, ShowsTheRecursionThatProvesMost) {
  Random random(1);
  const std::vector<double> initial = {0.5, 0.5};
  Share slow(2, initial), fast(2, initial);
  ForecastCertificate both(2, initial, 2), first(2, initial, 1), second(2, initial, 1);
  for (std::size_t t = 0; t < 50; ++t) {
    const std::vector<double> losses = {0.1 * random.uniform(), 0.5 + 0.5 * random.uniform()};
    const ForecastCertificate::Lost lost = {losses, 0.2};
    const ShareStep& a = slow.step(losses, {0.01, 0.01, initial});
    both.observe(0, lost, losses, 1, a);
    first.observe(0, lost, losses, 1, a);
    const ShareStep& b = fast.step(losses, {2, 0.01, initial});
    both.observe(1, lost, losses, 1, b);
    second.observe(0, lost, losses, 1, b);
  }
  const double slow_bound = first.against_path().certificate.bound;
  const double fast_bound = second.against_path().certificate.bound;
  EXPECT_LT(fast_bound, slow_bound);
  EXPECT_EQ(both.against_path().certificate.bound, fast_bound);
  EXPECT_EQ(both.against_expert().expert, 0u);
}

}  // namespace

}  // namespace pcgs

namespace pcgs::levels {
namespace {

using Numbers = std::vector<double>;

// Whatever was published, whoever comes and goes, however large the scores.
TEST(ScoreCertificate, HoldsWhileExpertsComeAndGo) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    std::vector<ExpertWeights> recursions;
    for (const double eta : {0.1, 1.0, 3.0}) recursions.emplace_back(eta, 0.01);
    ScoreCertificate certificate(recursions.size());
    std::size_t experts = 0;
    const auto add = [&] {
      for (ExpertWeights& one : recursions) one.add();
      certificate.add_expert();
      ++experts;
    };
    for (std::size_t k = 0; k <= random.below(4); ++k) add();
    for (int t = 0; t < 120; ++t) {
      if (random.chance(0.1)) add();
      if (experts > 1 && random.chance(0.1)) {
        const std::size_t leaver = random.below(experts--);
        for (ExpertWeights& one : recursions) one.remove(leaver);
        certificate.remove_expert(leaver);
      }
      Numbers scores(experts), seen;
      for (double& s : scores) s = random.log_uniform(0.05, random.chance(0.05) ? 1e6 : 5);
      for (const double s : scores) seen.push_back(std::min(s, 20.0));
      const double published = random.log_uniform(0.05, 5);
      for (std::size_t i = 0; i < recursions.size(); ++i) {
        certificate.observe(i, {scores, seen, published}, recursions[i].learn(seen));
      }
      const ForecastClaim path = certificate.against_path(), one = certificate.against_expert();
      ASSERT_TRUE(path.certificate.holds()) << seed << ", round " << t;
      ASSERT_TRUE(one.certificate.holds()) << seed << ", round " << t;
      ASSERT_LT(one.expert, experts);
      ASSERT_GT(path.loss, 0);
    }
    EXPECT_EQ(certificate.rounds(), 120u);
  }
}

// Experts that are there from the start, one by one or together, cost ln K.
TEST(ScoreCertificate, ChargesTheStartOnce) {
  ExpertWeights weights(1, 0);
  ScoreCertificate certificate(1);
  for (int k = 0; k < 8; ++k) {
    weights.add();
    certificate.add_expert();
  }
  const Numbers scores = {1, 2, 2, 2, 2, 2, 2, 0.5};
  const ShareStep& step = weights.learn(scores);
  certificate.observe(0, {scores, scores, step.mix_loss}, step);
  const ForecastClaim claim = certificate.against_expert();
  EXPECT_EQ(claim.expert, 7u);
  EXPECT_NEAR(claim.certificate.bound, std::log(8.0), 1e-12) << "the mix loss was paid, no more";
}

// The CRPS of a combined distribution on [0,1] is within ln K / eta of every expert's: eta = 1/2 for the
// linear pool and 2 for the substitution, whatever happens. And the certificate says so.
TEST(ScoreCertificate, BoundsTheCrpsOfMixableCombinations) {
  struct Way {
    reference::Mixed mixed;
    double eta;
  };
  for (const Way way : {Way{reference::pooled, 0.5}, Way{reference::substituted, 2}}) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Random random(seed);
      const std::size_t experts = 2 + random.below(4), count = 1 + random.below(6);
      const Levels levels(test::draw_levels(random, count));
      ExpertWeights weights(way.eta, 0);
      ScoreCertificate certificate(1);
      for (std::size_t k = 0; k < experts; ++k) {
        weights.add();
        certificate.add_expert();
      }
      const std::size_t good = random.below(experts);
      Numbers total(experts);
      double paid = 0;
      constexpr int kRounds = 60;
      for (int t = 0; t < kRounds; ++t) {
        const Numbers quantiles = test::draw_experts(random, experts, count);
        const double y =
            random.chance(0.7) ? quantiles[good * count + count / 2] : random.uniform();
        const double published =
            reference::mixed_crps(levels.values(), quantiles, weights.weights(), y, way.mixed);
        Numbers scores;
        for (std::size_t k = 0; k < experts; ++k) {
          scores.push_back(test::crps(levels, {quantiles.data() + k * count, count}, y));
          total[k] += scores.back();
        }
        paid += published;
        const ShareStep& step = weights.learn(scores);
        constexpr double kOfTheIntegral = 1e-4;
        ASSERT_LE(published, step.mix_loss + kOfTheIntegral) << seed << ", round " << t;
        certificate.observe(0, {scores, scores, published}, step);
        const double bound =
            std::log(static_cast<double>(experts)) / way.eta + (t + 1) * kOfTheIntegral;
        ASSERT_LE(paid - *std::ranges::min_element(total), bound);
        const Certificate proved = certificate.against_expert().certificate;
        ASSERT_TRUE(proved.holds());
        ASSERT_LE(proved.bound * (t + 1), bound + 1e-9) << seed << ", round " << t;
      }
    }
  }
}

}  // namespace
}  // namespace pcgs::levels
