#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "reference/shares.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

// Members with eta = 256 carry exponents up to 256, hence errors of 256 epsilon a round in their
// evidence: 60 * 256 * 1.1e-16 = 2e-12, before the sums over experts.
TEST(LearnAlpha, MatchesReference) {
  test::compare({.spec = "learn-alpha",
                 .reference = test::reference_of<reference::LearnAlpha>(),
                 .rounds = 60,
                 .tolerance = 5e-12});
}

TEST(LearnAlpha, MatchesReferenceOnALongRun) {
  test::ShiftingLosses losses(4, 1, 60);
  test::compare_on({.spec = "learn-alpha",
                    .reference = test::reference_of<reference::LearnAlpha>(),
                    .rounds = 600,
                    .tolerance = 1e-11},
                   4, [&] { return losses.next(); });
}

// Losses of exactly 0 and 1 make members of large eta and rho = 0 as sure and as wrong as can be.
TEST(LearnAlpha, MatchesReferenceOnExtremeLosses) {
  std::size_t t = 0;
  test::compare_on({.spec = "learn-alpha",
                    .reference = test::reference_of<reference::LearnAlpha>(),
                    .rounds = 120,
                    .tolerance = 1e-11},
                   3, [&] {
                     std::vector<double> l(3, 1);
                     l[t++ / 40] = 0;
                     return l;
                   });
}

}  // namespace
}  // namespace pcgs
