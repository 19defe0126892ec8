// The table of docs/certificates.md: how far the bounds are from what happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/certify.h"
#include "pcgs/registry.h"
#include "research/suite.h"

namespace pcgs {
namespace {

constexpr std::size_t kRounds = 600, kExperts = 32, kSwitches = 12;
constexpr std::uint64_t kSeeds = 20;

struct Ratios {
  void add(const Certificate& certificate) {
    const double ratio = certificate.bound / certificate.regret;
    bound += certificate.bound / kSeeds;
    mean += ratio / kSeeds;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  double bound = 0, mean = 0, least = 1e300, most = 0;
};

TEST(CertificateTable, SharpIsTheTighterEverywhere) {
  std::printf("T = %zu, K = %zu, S = %zu, switching sequences of seeds 0..%d\n", kRounds, kExperts,
              kSwitches, static_cast<int>(kSeeds) - 1);
  std::printf("%-24s %8s | %8s %22s | %8s %22s\n", "method", "regret", "sharp", "ratio (range)",
              "eta/8", "ratio (range)");
  for (const char* spec :
       {"hedge", "fixed-share", "genshare", "past-posteriors", "hedge{eta=0.5}",
        "fixed-share{eta=0.5}", "genshare{eta=0.5}", "past-posteriors{eta=0.5}"}) {
    double regret = 0;
    Ratios sharp, plain;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto sequence = suite::generate("switch", kRounds, kExperts, seed);
      Aggregator aggregator = make_aggregator(spec, kExperts);
      Trace trace;
      aggregator.trace(&trace);
      for (std::size_t t = 0; t < kRounds; ++t) aggregator.learn(sequence.losses.row(t));
      const auto s = switching_certificates(ShareRecord::of(trace), kSwitches).back();
      ASSERT_TRUE(s.sharp.holds() && s.plain.holds());
      ASSERT_GT(s.sharp.regret, 0);
      ASSERT_LT(s.sharp.bound, s.plain.bound) << spec << ", seed " << seed;
      regret += s.sharp.regret / kSeeds;
      sharp.add(s.sharp);
      plain.add(s.plain);
    }
    std::printf("%-24s %8.2f | %8.2f %6.3f (%6.3f to %6.3f) | %8.2f %6.3f (%6.3f to %6.3f)\n", spec,
                regret, sharp.bound, sharp.mean, sharp.least, sharp.most, plain.bound, plain.mean,
                plain.least, plain.most);
  }
}

}  // namespace
}  // namespace pcgs
