#include "pcgs/trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/recording_controller.h"
#include "support/uniform_method.h"

namespace pcgs {
namespace {

using test::copy;
using test::same_bits;
using test::share_aggregator;

TEST(Trace, KeepsEveryRoundAsItWasPlayed) {
  Aggregator aggregator = share_aggregator(2, 3, 0.125);
  Trace trace;
  aggregator.trace(&trace);
  const std::int64_t early = aggregator.open();
  const std::vector<double> played = copy(aggregator.played(early));
  aggregator.learn(std::vector<double>{0, 1});
  const ShareStep first = aggregator.method().share()->last();
  aggregator.learn(early, std::vector<double>{1, 0.5});
  aggregator.trace(nullptr);
  aggregator.learn(std::vector<double>{0, 1});

  ASSERT_EQ(trace.rows().size(), 2u);
  EXPECT_EQ(trace.rows()[0].round, 2);
  EXPECT_TRUE(same_bits(trace.rows()[0].losses, std::vector<double>{0, 1}));
  EXPECT_EQ(trace.rows()[0].eta, 3);
  EXPECT_EQ(trace.rows()[0].rho, 0.125);
  EXPECT_EQ(trace.rows()[0].q, (std::vector<double>{0.5, 0.5})) << "uniform is written out";
  EXPECT_TRUE(same_bits(trace.rows()[0].mix_loss, first.mix_loss));
  EXPECT_TRUE(same_bits(trace.rows()[0].gap, first.gap));
  EXPECT_EQ(trace.rows()[1].round, 1);
  EXPECT_TRUE(same_bits(trace.rows()[1].weights, played)) << "not the weights of today";
  EXPECT_NEAR(trace.rows()[1].mixture_loss, 0.75, 1e-15);
  EXPECT_NEAR(trace.rows()[1].learner_loss, 0.75, 1e-15);
}

TEST(Trace, SaysNothingAboutStepsOfOtherMethods) {
  Aggregator aggregator(std::make_unique<test::Uniform>(2), {});
  Trace trace;
  aggregator.trace(&trace);
  aggregator.learn(std::vector<double>{0, 1});
  ASSERT_EQ(trace.rows().size(), 1u);
  EXPECT_TRUE(trace.rows()[0].q.empty());
  EXPECT_EQ(trace.rows()[0].mixture_loss, 0.5);
}

TEST(Trace, SaysTheScaleAndTheLossOfTheCombinedForecast) {
  Aggregator aggregator = share_aggregator(2, 3, 0);
  Trace trace;
  aggregator.trace(&trace);
  aggregator.predict(std::vector<double>{0, 4});
  aggregator.learn(10.0);
  aggregator.learn(std::vector<double>{0, 1});
  ASSERT_EQ(trace.rows().size(), 2u);
  EXPECT_EQ(trace.rows()[0].scale, 20 * 100.0) << "twenty times the upper of two losses";
  EXPECT_EQ(trace.rows()[0].losses, (std::vector<double>{100 / 2000.0, 36 / 2000.0}));
  EXPECT_EQ(trace.rows()[0].forecast_loss, 64);
  EXPECT_EQ(trace.rows()[1].scale, 1);
  EXPECT_TRUE(std::isnan(trace.rows()[1].forecast_loss)) << "there is none";
}

}  // namespace
}  // namespace pcgs
