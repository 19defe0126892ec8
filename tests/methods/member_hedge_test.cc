#include "methods/member_hedge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "proof/loss_kinds.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

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
