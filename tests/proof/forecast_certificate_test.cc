// Claims about published forecasts, against every path there is.
#include "pcgs/forecast_certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/paths.h"
#include "support/random.h"

namespace pcgs {
namespace {

using reference::ExpertPath;
using reference::PathRound;
using test::Random;

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
