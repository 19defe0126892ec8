// Heuristic Generalized Share has no outside reference: src/core/controllers.cc says what it must
// do.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pcgs/registry.h"
#include "pcgs/trace.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using Losses = std::vector<double>;

TEST(GenShare, RestartsAreDistributionsAndRhoIsARestartIntensity) {
  Aggregator aggregator = make_aggregator("genshare{eta=4,rho=0.01}", 6);
  Trace trace;
  aggregator.trace(&trace);
  test::ShiftingLosses losses(6, 1);
  for (int t = 0; t < 300; ++t) aggregator.learn(losses.next());
  for (const Trace::Row& row : trace.rows()) {
    ASSERT_TRUE(test::on_simplex(row.q));
    ASSERT_GT(*std::min_element(row.q.begin(), row.q.end()), 0) << "eps/K for everybody";
    ASSERT_GT(row.rho, 0);
    ASSERT_LT(row.rho, 1);
    ASSERT_EQ(row.eta, 4);
  }
}

// Bias correction: after one round the mean loss is that round's, whatever the span, so that equal
// first losses give equal chances and a constant expert's mean is its loss from the start.
TEST(GenShare, MeansAreBiasCorrected) {
  Aggregator aggregator = make_aggregator("genshare", 3);
  Trace trace;
  aggregator.trace(&trace);
  const Losses losses = {0.1, 0.2, 0.4};
  for (int t = 0; t < 40; ++t) aggregator.learn(losses);
  for (const Trace::Row& row : trace.rows()) {
    ASSERT_TRUE(test::all_near(row.q, trace.rows()[0].q, 1e-12)) << "round " << row.round;
  }
  EXPECT_GT(trace.rows()[0].q[0], trace.rows()[0].q[1]);
  EXPECT_GT(trace.rows()[0].q[1], trace.rows()[0].q[2]);
}

TEST(GenShare, RestartsTowardsTheRecentlyGood) {
  Aggregator aggregator = make_aggregator("genshare", 3);
  Trace trace;
  aggregator.trace(&trace);
  for (int t = 0; t < 100; ++t) aggregator.learn(Losses{0, 1, 1});
  for (int t = 0; t < 50; ++t) aggregator.learn(Losses{1, 0, 1});
  const std::vector<double>& q = trace.rows().back().q;
  EXPECT_GT(q[1], 2 * q[0]) << "although expert 0 has the smaller total loss";
  EXPECT_GT(q[1], 2 * q[2]);
}

TEST(GenShare, RestartsMoreAfterASurprise) {
  Aggregator aggregator = make_aggregator("genshare{eta=4,rho=0.01}", 4);
  Trace trace;
  aggregator.trace(&trace);
  for (int t = 0; t < 300; ++t) aggregator.learn(Losses{0, 1, 1, 1});
  const double calm = trace.rows().back().rho;
  EXPECT_NEAR(calm, 0.01, 0.002) << "without surprise, rho_0";
  aggregator.learn(Losses{1, 0, 1, 1});
  EXPECT_GT(trace.rows().back().rho, 1.5 * calm);
}

}  // namespace
}  // namespace pcgs
