#include "methods/guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "methods/methods.h"
#include "methods/side_by_side.h"
#include "network/model.h"
#include "pcgs/certificates.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "proof/loss_kinds.h"
#include "proof/path_certificates.h"
#include "reference/methods.h"
#include "research/suite.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::LossKind;
using test::Random;

constexpr const char* kFiltersOnly = "guard{learned=0}";

// Makes the library's own method a member of the reference; it is tested elsewhere.
class Played final : public reference::Learner {
 public:
  explicit Played(std::unique_ptr<Method> method) : method_(std::move(method)) {}
  std::vector<double> weights() const override { return test::copy(method_->weights()); }
  void learn(const reference::FinishedRound& round) override {
    const std::vector<double> weights = this->weights();
    Round own;
    own.losses = round.losses;
    own.weights = weights;
    own.awake = round.awake;
    own.mixture_loss = own.learner_loss = round.learner_loss;
    method_->learn(own);
  }

 private:
  std::unique_ptr<Method> method_;
};

// ---- What it plays ------------------------------------------------------------------------------

TEST(Guard, MatchesReferenceWithoutTheLearnedController) {
  test::compare(
      {.spec = kFiltersOnly,
       .reference = [](std::size_t experts) { return std::make_unique<reference::Guard>(experts); },
       .tolerance = 1e-9});
}

TEST(Guard, MatchesReferenceWithTheLearnedController) {
  for (const double share : {0.25, 0.5}) {
    test::compare_with_sleepers(
        {.spec = "guard{learned=" + std::to_string(share) + "}",
         .reference =
             [&](std::size_t experts) {
               return std::make_unique<reference::Guard>(
                   experts, std::make_unique<Played>(make_method("pcgs-tf", experts)), share);
             },
         .rounds = 40,
         // A sleeper is given the learner's loss, which differs in its last bits, and the network
         // computes in float.
         .tolerance = 1e-5});
  }
}

TEST(Guard, MatchesReferenceOnHostileLosses) {
  for (const LossKind kind : test::kLossKinds) {
    Aggregator guard = make_aggregator(kFiltersOnly, 5);
    reference::Guard slow(5);
    test::Losses losses(kind, 150, 5, 4);
    for (std::size_t t = 0; t < 150; ++t) {
      const std::vector<double> l = losses.next(t, guard.weights());
      guard.learn(l);
      reference::play_losses(slow, l, std::vector<std::uint8_t>(5, 1));
      ASSERT_TRUE(test::all_near(guard.weights(), slow.weights(), 1e-7))
          << test::name_of(kind) << ", round " << t;
    }
  }
}

// ---- What it proves -----------------------------------------------------------------------------

TEST(Guard, ProvesWhatTheReferenceProves) {
  for (const std::size_t experts : {1u, 2u, 7u, 20u}) {
    Aggregator guard = make_aggregator(kFiltersOnly, experts);
    reference::Guard slow(experts);
    test::ShiftingLosses losses(experts, experts);
    for (int t = 1; t <= 120; ++t) {
      const std::vector<double> l = losses.next();
      guard.learn(l);
      reference::play_losses(slow, l, std::vector<std::uint8_t>(experts, 1));
      if (t % 20 != 0) continue;
      for (const std::size_t s : {0u, 1u, 5u, 1000u}) {
        const double proved = guard.method().switching_bound(s);
        EXPECT_NEAR(proved, slow.switching_bound(s), 1e-7) << experts << " experts, S = " << s;
      }
    }
  }
}

// The certificate of the run so far, for every budget up to `switches`.
std::vector<Certificate> certificates(const Aggregator& aggregator, const Matrix& losses,
                                      std::size_t switches) {
  const auto oracle = switching_oracle(losses, switches);
  std::vector<double> bounds;
  std::vector<Certificate> out;
  for (std::size_t s = 0; s <= switches; ++s) {
    bounds.push_back(aggregator.method().switching_bound(s));
    out.push_back(switching_certificate(bounds, aggregator.total_loss(),
                                        std::span(oracle).first(s + 1), losses.rows,
                                        losses.columns));
  }
  return out;
}

TEST(Guard, CertificateHoldsOnEveryKindOfLosses) {
  test::on_every_kind(15, 12, 300, [](test::LossCase& one) {
    auto& [seed, random, experts, rounds, losses] = one;
    Aggregator guard = make_aggregator(kFiltersOnly, experts);
    Matrix seen(rounds, experts);
    for (std::size_t t = 0; t < rounds; ++t) {
      const std::vector<double> l = losses.next(t, guard.weights());
      std::copy(l.begin(), l.end(), seen.row(t).begin());
      guard.learn(l);
    }
    for (const Certificate& c : certificates(guard, seen, 12)) {
      EXPECT_TRUE(c.holds()) << c.regret << " against " << c.bound;
      EXPECT_TRUE(std::isfinite(c.bound));
    }
  });
}

// Sleepers carry the mixture loss; what was paid late is in the bound.
TEST(Guard, CertificateHoldsWithSleepersAndLateLosses) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    constexpr std::size_t kExperts = 6, kRounds = 200;
    Random random(seed);
    Aggregator guard = make_aggregator(kFiltersOnly, kExperts);
    Trace trace;
    guard.trace(&trace);
    test::ShiftingLosses losses(kExperts, seed);
    std::vector<std::int64_t> open;
    while (guard.rounds() < static_cast<std::int64_t>(kRounds)) {
      if (open.size() < 6) open.push_back(guard.open(random.awake(kExperts, 0.8)));
      if (!random.chance(0.7)) continue;
      const std::size_t i = random.below(open.size());
      guard.learn(open[i], losses.next());
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    }
    Matrix seen(kRounds, kExperts);
    for (std::size_t t = 0; t < kRounds; ++t) {
      std::copy(trace.rows()[t].losses.begin(), trace.rows()[t].losses.end(), seen.row(t).begin());
    }
    for (const Certificate& c : certificates(guard, seen, 20)) {
      EXPECT_TRUE(c.holds()) << c.regret << " against " << c.bound << ", seed " << seed;
    }
  }
}

// It speaks about the losses that came: next to what is true, on losses that a filter suits.
TEST(Guard, CertificateIsTightOnSwitchingLosses) {
  const Matrix losses = suite::generate("switch", 600, 32, 7).losses;
  Aggregator guard = make_aggregator(kFiltersOnly, 32);
  for (std::size_t t = 0; t < losses.rows; ++t) guard.learn(losses.row(t));
  const Certificate c = certificates(guard, losses, 12).back();
  EXPECT_TRUE(c.holds());
  EXPECT_LT(c.bound, 2 * c.regret);
}

TEST(Guard, ProofIsSavedWithTheState) {
  Aggregator guard = make_aggregator(kFiltersOnly, 4);
  test::ShiftingLosses losses(4, 5);
  for (int t = 0; t < 50; ++t) guard.learn(losses.next());
  const Aggregator again = Aggregator::load_bytes(guard.save_bytes(), "memory", make_method);
  for (const std::size_t s : {0u, 3u, 20u}) {
    EXPECT_EQ(again.method().switching_bound(s), guard.method().switching_bound(s));
  }
}

TEST(Guard, OtherMethodsWithoutABoundProveNothing) {
  for (const char* name : {"ml-poly", "boa", "adahedge", "fixed-share"}) {
    EXPECT_TRUE(std::isinf(make_method(name, 3)->switching_bound(0))) << name;
  }
}

// ---- What it is for -----------------------------------------------------------------------------

double total_of(const std::string& spec, const Matrix& losses) {
  Aggregator aggregator = make_aggregator(spec, losses.columns);
  for (std::size_t t = 0; t < losses.rows; ++t) aggregator.learn(losses.row(t));
  return aggregator.total_loss();
}

double best_filter(const Matrix& losses) {
  double best = static_cast<double>(losses.rows);
  for (const double eta : kEtaGrid) {
    for (const double rho : kRhoGrid) {
      best = std::min(best, total_of("fixed-share{eta=" + std::to_string(eta) +
                                         ",rho=" + std::to_string(rho) + "}",
                                     losses));
    }
  }
  return best;
}

// Losses made against the learned controller alone, which plays beside and is looked at.
template <class Against>
Matrix fooling(std::size_t rounds, std::size_t experts, const Against& against) {
  Aggregator victim = make_aggregator("pcgs-tf", experts);
  Matrix losses(rounds, experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    against(victim.weights(), t, losses.row(t));
    victim.learn(losses.row(t));
  }
  return losses;
}

std::size_t favourite(std::span<const double> weights) {
  return static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) -
                                  weights.begin());
}

// Whoever it trusts most fails.
void fail_the_favourite(std::span<const double> weights, std::size_t, std::span<double> losses) {
  std::fill(losses.begin(), losses.end(), 0.3);
  losses[favourite(weights)] = 1;
}

// Whoever it trusts more than average fails, and the others cannot be told from perfect; only the
// first expert is what it seems.
void fail_the_trusted(std::span<const double> weights, std::size_t, std::span<double> losses) {
  for (std::size_t k = 0; k < losses.size(); ++k) {
    losses[k] = weights[k] * static_cast<double>(losses.size()) > 1 ? 1 : 0;
  }
  losses[0] = 0.5;
}

// Noise, and whoever it trusts most fails more often.
void bait_with_noise(std::span<const double> weights, std::size_t t, std::span<double> losses) {
  Random random(t);
  for (double& l : losses) l = random.chance(0.5) ? 1 : 0;
  losses[favourite(weights)] = random.chance(0.7) ? 1 : 0;
}

TEST(Guard, StaysWithTheBestFilterWhereTheLearnedControllerIsFooled) {
  const std::size_t kRounds = 800, kExperts = 8;
  for (const auto against : {fail_the_favourite, fail_the_trusted, bait_with_noise}) {
    const Matrix losses = fooling(kRounds, kExperts, against);
    const double filter = best_filter(losses);
    const double fooled = total_of("pcgs-tf", losses);
    Aggregator guard = make_aggregator("guard", kExperts);
    for (std::size_t t = 0; t < kRounds; ++t) guard.learn(losses.row(t));
    ASSERT_GT(fooled, filter + 30) << "the losses fool it";
    // Made against the shipped weights: how much it costs to find out differs from one to the next.
    EXPECT_LT(guard.total_loss(), filter + 0.2 * (fooled - filter))
        << "fooled " << fooled << ", best filter " << filter;
    EXPECT_TRUE(certificates(guard, losses, 20).back().holds());
  }
}

// Where the controller is at home guard is with it, ahead of every filter.
TEST(Guard, FollowsTheLearnedControllerWhereThatIsBetter) {
  double guarded = 0, filter = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Matrix losses = suite::generate("adversarial", 600, 16, seed).losses;
    filter += best_filter(losses);
    guarded += total_of("guard", losses);
  }
  EXPECT_LT(guarded, filter);
}

// Losses of any size: the bank ends at eta = 256, adahedge inside does not.
TEST(Guard, LearnsFromTinyLosses) {
  Aggregator guard = make_aggregator(kFiltersOnly, 4);
  for (int t = 0; t < 200; ++t) guard.learn(std::vector<double>{2e-5, 1e-5, 2e-5, 3e-5});
  EXPECT_GT(guard.weights()[1], 0.9);
}

// ---- Its name -----------------------------------------------------------------------------------

TEST(Guard, TakesTheWeightsOfAFile) {
  const test::TempDir dir;
  const std::string path = dir / "m.safetensors";
  infer::write_model_file(infer::read_model(infer::shipped_model("regret"), "regret"), path);
  const std::string spec = "guard{model=" + path + "}";
  EXPECT_EQ(make_method(spec, 3)->name(), "guard{learned=0.25,model=" + path + "}");
  Aggregator built_in = make_aggregator("guard", 6), read = make_aggregator(spec, 6);
  test::ShiftingLosses losses(6, 1);
  for (int t = 0; t < 40; ++t) {
    const std::vector<double> l = losses.next();
    built_in.learn(l);
    read.learn(l);
    ASSERT_TRUE(test::same_bits(built_in.weights(), read.weights()));
  }
  read.save(dir / "a.state");
  EXPECT_EQ(load_aggregator(dir / "a.state").save_bytes(), read.save_bytes());
  EXPECT_TRUE(test::mentions(
      test::error_of([&] { make_method("guard{model=" + path + ".not}", 3); }), path));
}

constexpr double kNothing = std::numeric_limits<double>::infinity();

std::vector<double> some_prior(std::size_t members, test::Random& random) {
  std::vector<double> prior;
  for (std::size_t m = 0; m < members; ++m) prior.push_back(random.log_uniform(1e-4, 1));
  const double total = std::accumulate(prior.begin(), prior.end(), 0.0);
  for (double& p : prior) p /= total;
  return prior;
}

struct Outcome {
  double lost = 0;
  std::vector<double> members;  // [M] what they lost
};

Outcome play(MemberHedge& hedge, test::LossKind kind, std::size_t rounds, std::uint64_t seed) {
  test::Losses losses(kind, rounds, hedge.members(), seed);
  Outcome out{0, std::vector<double>(hedge.members(), 0.0)};
  for (std::size_t t = 0; t < rounds; ++t) {
    const std::vector<double> l = losses.next(t, hedge.shares());
    for (std::size_t m = 0; m < l.size(); ++m) {
      out.lost += hedge.shares()[m] * l[m];
      out.members[m] += l[m];
    }
    hedge.learn(l);
    EXPECT_TRUE(test::on_simplex(hedge.shares()));
  }
  return out;
}

TEST(MemberHedge, StartsAtItsPrior) {
  test::Random random(1);
  const std::vector<double> prior = some_prior(9, random);
  EXPECT_TRUE(test::all_near(MemberHedge(prior).shares(), prior, 1e-15));
}

// With eta = ln M / Delta the bound against one member is Delta (1 + ln(1/prior) / ln M); Delta
// itself is bounded, whatever happens.
TEST(MemberHedge, IsWithinItsBoundOfEveryMember) {
  for (const test::LossKind kind : test::kLossKinds) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      test::Random random(seed);
      const std::size_t members = 2 + random.below(20);
      const std::size_t rounds = 1 + random.below(400);
      const std::vector<double> prior = some_prior(members, random);
      MemberHedge hedge(prior);
      const Outcome out = play(hedge, kind, rounds, seed);
      const double log_m = std::log(static_cast<double>(members));
      const double most_delta =
          std::sqrt(static_cast<double>(rounds) * log_m) / 2 + log_m * 2 / 3 + 1;
      for (std::size_t m = 0; m < members; ++m) {
        std::vector<double> only(members, kNothing);
        only[m] = 0;  // C(m) <= C(m) + 0
        const double bound = hedge.bound(only);
        EXPECT_LE(out.lost - out.members[m], bound + 1e-9) << test::name_of(kind) << ' ' << seed;
        EXPECT_LE(bound, most_delta * (1 + std::log(1 / prior[m]) / log_m) + 1e-6)
            << test::name_of(kind) << ' ' << seed;
      }
      // All members together prove at least as much as the best of them.
      const double least = *std::min_element(out.members.begin(), out.members.end());
      std::vector<double> excess = out.members;
      for (double& e : excess) e -= least;
      const double together = hedge.bound(excess);
      EXPECT_LE(out.lost - least, together + 1e-9) << test::name_of(kind) << ' ' << seed;
      for (std::size_t m = 0; m < members; ++m) {
        std::vector<double> only(members, kNothing);
        only[m] = excess[m];
        EXPECT_LE(together, hedge.bound(only) + 1e-12);
      }
    }
  }
}

TEST(MemberHedge, ProvesNothingFromNothing) {
  const MemberHedge hedge({0.5, 0.5});
  EXPECT_EQ(hedge.bound(std::vector<double>{kNothing, kNothing}), kNothing);
}

TEST(MemberHedge, TreatsShiftedLossesAlike) {
  test::Random random(3);
  MemberHedge plain({0.2, 0.3, 0.5}), shifted({0.2, 0.3, 0.5});
  for (int t = 0; t < 60; ++t) {
    std::vector<double> l = random.losses(3);
    plain.learn(l);
    for (double& x : l) x += 0.5;
    shifted.learn(l);
    ASSERT_TRUE(test::all_near(plain.shares(), shifted.shares(), 1e-11)) << "round " << t;
  }
}

}  // namespace

}  // namespace pcgs
