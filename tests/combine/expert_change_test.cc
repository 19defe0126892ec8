// Experts that come and go, against the sum over all paths.
#include "pcgs/expert_change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/share.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Random;
constexpr std::size_t kNew = ExpertChange::kNew;

TEST(ExpertChange, MovesRowsAndSharesOutWeights) {
  const ExpertChange change(3, {0, 2, kNew});
  const std::vector<double> rows = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(change.moved<double>(rows, 9), (std::vector<double>{1, 3, 9, 4, 6, 9}));
  const std::vector<double> weights = {0.2, 0.5, 0.3, 0, 1, 0};
  const auto shared = change.shared_out<double>(weights);
  const double third = 1.0 / 3;
  EXPECT_TRUE(test::all_near(
      shared, std::vector<double>{0.8 * third, 1.2 * third, third, third, third, third}, 1e-15));
  EXPECT_TRUE(change.anybody_leaves());
  EXPECT_EQ(change.place_of(0), 0u);
  EXPECT_EQ(change.place_of(1), kNew);
  EXPECT_EQ(change.place_of(2), 1u);
}

TEST(ExpertChange, TakesEntriesOfItsOwn) {
  const ExpertChange change(2, {0, kNew, 1, kNew}, {0, 0.1, 0, 0.3});
  const std::vector<double> weights = {0.25, 0.75};
  EXPECT_TRUE(test::all_near(change.shared_out<double>(weights),
                             std::vector<double>{0.15, 0.1, 0.45, 0.3}, 1e-15));
}

// Explicit paths: where each was, its prior so far and what it has lost, weighted by eta.
struct Path {
  std::size_t at = 0;
  double log_prior = 0, lost = 0;
  bool certified = true;  // was never carried over from a leaver
};

// The weight of each expert: the sum over all paths that are with it.
std::vector<double> weights_of(const std::vector<Path>& paths, std::size_t experts) {
  std::vector<double> out(experts);
  double total = 0;
  for (const Path& path : paths) {
    const double mass = std::exp(path.log_prior - path.lost);
    out[path.at] += mass;
    total += mass;
  }
  for (double& w : out) w /= total;
  return out;
}

std::vector<Path> after_change(const std::vector<Path>& paths, const ExpertChange& change) {
  const auto weights = weights_of(paths, change.before());
  double left = 0;
  for (std::size_t k = 0; k < change.before(); ++k) {
    if (change.place_of(k) != kNew) left += weights[k];
  }
  std::vector<Path> out;
  for (const Path& path : paths) {
    for (std::size_t k = 0; k < change.after(); ++k) {
      Path next = path;
      next.at = k;
      double step = 0;
      if (change.is_new(k)) {
        step = change.entry(k);
      } else if (change.place_of(path.at) == kNew) {
        step = change.staying() * weights[change.from(k)] / left;  // in proportion
        next.certified = false;
      } else {
        step = change.place_of(path.at) == k ? change.staying() : 0;
      }
      if (step == 0) continue;
      next.log_prior += std::log(step);
      out.push_back(next);
    }
  }
  return out;
}

// K and T tiny, everything else drawn: the recursion is the sum over paths, and the certificate's best
// path is the cheapest of those that it may speak of.
TEST(ExpertChange, IsAStepOfThePathsThatTheRecursionSums) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    std::size_t experts = 1 + random.below(3);
    auto share = std::make_unique<Share>(experts);
    auto live = std::make_unique<LiveCertificate>(experts);
    std::vector<Path> paths;
    for (std::size_t k = 0; k < experts; ++k) {
      paths.push_back({k, -std::log(static_cast<double>(experts)), 0});
    }
    for (int t = 0; t < 5; ++t) {
      const auto losses = random.losses(experts);
      const auto q = random.simplex(experts);
      const Controls controls{random.log_uniform(0.1, 8), random.chance(0.3) ? 0 : 0.3, q};
      ASSERT_TRUE(test::all_near(share->weights(), weights_of(paths, experts), 1e-12)) << seed;
      double mixture = 0;
      for (std::size_t k = 0; k < experts; ++k) mixture += share->weights()[k] * losses[k];
      const ShareStep step = share->step(losses, controls);
      live->observe(losses, step, {mixture, mixture, 1});
      double best = std::numeric_limits<double>::infinity();
      for (Path& path : paths) {
        path.lost += controls.eta * losses[path.at];
        if (path.certified) best = std::min(best, path.lost - path.log_prior);
      }
      ASSERT_NEAR(live->best().penalised(), best, 1e-9) << seed;
      ASSERT_TRUE(live->weighted().holds()) << seed;

      std::vector<Path> next;
      for (const Path& path : paths) {
        for (std::size_t k = 0; k < experts; ++k) {
          const double a = (path.at == k ? 1 - controls.rho : 0) + controls.rho * q[k];
          if (a == 0) continue;
          next.push_back({k, path.log_prior + std::log(a), path.lost, path.certified});
        }
      }
      paths = std::move(next);
      if (random.chance(0.5)) continue;
      std::vector<std::size_t> from;
      for (std::size_t k = 0; k < experts; ++k) {
        if (random.chance(0.7)) from.push_back(k);
      }
      if (from.empty() || (from.size() < 4 && random.chance(0.5))) from.push_back(kNew);
      const ExpertChange change(experts, from);
      ASSERT_TRUE(test::all_near(share->weights(), weights_of(paths, experts), 1e-12));
      paths = after_change(paths, change);
      share = std::make_unique<Share>(share->after(change));
      StateWriter out(&change);
      live->save(out);
      const auto bytes = out.file(0);
      StateReader in(bytes, "test");
      experts = change.after();
      live = std::make_unique<LiveCertificate>(experts);
      live->load(in);
      ASSERT_TRUE(test::all_near(share->weights(), weights_of(paths, experts), 1e-12)) << seed;
    }
  }
}

// An expert far behind comes back when the one ahead leaves: nothing was lost to underflow.
TEST(ExpertChange, ForgetsNobodyWhoIsFarBehind) {
  Share share(3);
  const std::vector<double> losses = {0, 1, 0.9};
  for (int t = 0; t < 60; ++t) share.step(losses, {10, 0, {}});
  ASSERT_EQ(share.weights()[1], 0) << "far below the range of a double";
  const Share left = share.after(ExpertChange(3, {1, 2}));
  const double odds = std::exp(-60.0);  // of 600 and 540 nats
  EXPECT_NEAR(left.weights()[0], odds / (1 + odds), 1e-12 * odds);
  const Share with = share.after(ExpertChange(3, {1, 2, kNew}));
  EXPECT_NEAR(with.weights()[2], 1.0 / 3, 1e-12);
  EXPECT_NEAR(with.weights()[1], 2.0 / 3 / (1 + odds), 1e-12);
  // And the other way round: it keeps its debt beside somebody who is ahead.
  Share beside = share.after(ExpertChange(3, {0, 1}));
  EXPECT_EQ(beside.weights()[1], 0);
  const std::vector<double> now_wrong = {1, 0};
  for (int t = 0; t < 60; ++t) beside.step(now_wrong, {10, 0, {}});
  EXPECT_NEAR(beside.weights()[1], 0.5, 1e-9) << "as good as the other, all in all";
}

TEST(ExpertChange, ChangesNothingWhereNobodyMoves) {
  Share share(4);
  Random random(1);
  for (int t = 0; t < 20; ++t) share.step(random.losses(4), {2, 0.01, {}});
  const Share same = share.after(ExpertChange(4, {0, 1, 2, 3}));
  EXPECT_TRUE(test::all_near(same.weights(), share.weights(), 1e-15));
}

}  // namespace
}  // namespace pcgs
