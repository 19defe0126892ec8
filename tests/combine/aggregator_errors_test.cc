// Bad input is refused, and the aggregator is then as it was before.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/recording_controller.h"

namespace pcgs {
namespace {

using test::error_of;
using test::share_aggregator;

using Numbers = std::vector<double>;
using Mask = std::vector<std::uint8_t>;

const double kNan = std::nan("");
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Round 1 is learned, 2 open for losses with expert 0 asleep, 3 open for an outcome, 4 abandoned.
constexpr std::int64_t kLearned = 1, kWithLosses = 2, kWithForecasts = 3, kAbandoned = 4;

Aggregator busy_aggregator(Aggregator::Options options = {}) {
  Aggregator aggregator = share_aggregator(3, 2, 0.1, options);
  aggregator.learn(Numbers{0.25, 0.5, 0.125});
  aggregator.open(Mask{0, 1, 1});
  aggregator.predict(Numbers{0.5, 0.25, 1});
  aggregator.open();
  aggregator.abandon(kAbandoned);
  return aggregator;
}

// The message; and a failure unless the state is the same to the last bit.
std::string refused(Aggregator& aggregator, const std::function<void(Aggregator&)>& action) {
  const auto before = aggregator.save_bytes();
  const Numbers weights = test::copy(aggregator.weights());
  std::string message = error_of([&] { action(aggregator); });
  EXPECT_EQ(aggregator.save_bytes(), before) << "changed by: " << message;
  EXPECT_TRUE(test::same_bits(aggregator.weights(), weights)) << "changed by: " << message;
  return message;
}

TEST(AggregatorErrors, LossesMustBeOnePerExpert) {
  Aggregator a = busy_aggregator();
  for (std::size_t n : {0u, 2u, 4u}) {
    refused(a, [n](Aggregator& x) { x.learn(Numbers(n, 0.5)); });
    refused(a, [n](Aggregator& x) { x.learn(kWithLosses, Numbers(n, 0.5)); });
  }
}

TEST(AggregatorErrors, LossesMustBeFiniteAndNonNegative) {
  for (const LossScale& scale : {LossScale::unit(), LossScale::fixed(10), LossScale::following()}) {
    Aggregator a = busy_aggregator(test::scaled(scale));
    for (double bad : {kNan, kInfinity, -kInfinity, -1e-300}) {
      refused(a, [bad](Aggregator& x) { x.learn(Numbers{0.5, 0.5, bad}); });
      refused(a, [bad](Aggregator& x) { x.learn(Numbers{bad, 0.5, 0.5}); });
      refused(a, [bad](Aggregator& x) { x.learn(kWithLosses, Numbers{0.5, 0.5, bad}); });
    }
  }
}

TEST(AggregatorErrors, LossesAboveOneNeedAScale) {
  Aggregator unit = busy_aggregator(test::scaled(LossScale::unit()));
  const double above = std::nextafter(1.0, 2.0);
  refused(unit, [=](Aggregator& x) { x.learn(Numbers{0, above, 0}); });
  refused(unit, [=](Aggregator& x) { x.learn(kWithLosses, Numbers{0, 0, above}); });
  refused(unit, [](Aggregator& x) { x.learn(kWithForecasts, 3.0); });  // (0.5 - 3)^2 = 6.25
  unit.learn(Numbers{1, 1, 1});
  Aggregator scaled = busy_aggregator(test::scaled(LossScale::fixed(10)));
  scaled.learn(Numbers{0, above, 100});
  scaled.learn(kWithForecasts, 3.0);
  EXPECT_EQ(scaled.rounds(), 3);
}

TEST(AggregatorErrors, ForecastsMustBeOnePerExpert) {
  Aggregator a = busy_aggregator();
  for (std::size_t n : {0u, 2u, 4u}) {
    refused(a, [n](Aggregator& x) { x.predict(Numbers(n, 0.5)); });
  }
}

TEST(AggregatorErrors, ForecastsMustNotBeInfinite) {
  Aggregator a = busy_aggregator();
  refused(a, [](Aggregator& x) { x.predict(Numbers{0, kInfinity, 0}); });
  refused(a, [](Aggregator& x) { x.predict(Numbers{-kInfinity, kNan, kNan}); });
}

TEST(AggregatorErrors, OutcomesMustBeFinite) {
  Aggregator a = busy_aggregator();
  for (double bad : {kNan, kInfinity, -kInfinity}) {
    refused(a, [bad](Aggregator& x) { x.learn(kWithForecasts, bad); });
  }
}

TEST(AggregatorErrors, LogLossTakesProbabilitiesAndBinaryOutcomes) {
  Aggregator a = share_aggregator(2, 1, 0, {.task = TaskLoss("log"), .scale = LossScale::fixed(5)});
  refused(a, [](Aggregator& x) { x.predict(Numbers{0.5, 1.01}); });
  refused(a, [](Aggregator& x) { x.predict(Numbers{-0.01, 0.5}); });
  a.predict(Numbers{0.5, 0.75});
  refused(a, [](Aggregator& x) { x.learn(0.5); });
  a.learn(1.0);
  EXPECT_EQ(a.rounds(), 1);
}

TEST(AggregatorErrors, RoundsMustBeOpen) {
  Aggregator a = busy_aggregator();
  for (std::int64_t round : {kLearned, kAbandoned, std::int64_t{0}, std::int64_t{-1},
                             std::int64_t{5}, std::numeric_limits<std::int64_t>::max()}) {
    const std::string message = refused(a, [=](Aggregator& x) {
      x.learn(round, Numbers{0, 0, 0});
    });
    EXPECT_TRUE(test::mentions(message, std::to_string(round)));
    refused(a, [=](Aggregator& x) { x.learn(round, 0.5); });
    refused(a, [=](Aggregator& x) { x.abandon(round); });
    refused(a, [=](Aggregator& x) { x.played(round); });
  }
}

TEST(AggregatorErrors, AnOutcomeNeedsForecasts) {
  Aggregator a = busy_aggregator();
  refused(a, [](Aggregator& x) { x.learn(kWithLosses, 0.5); });
}

TEST(AggregatorErrors, AnOutcomeWithoutNumberNeedsExactlyOneOpenRound) {
  Aggregator several = busy_aggregator();
  refused(several, [](Aggregator& x) { x.learn(0.5); });
  Aggregator none = share_aggregator(3, 1, 0);
  refused(none, [](Aggregator& x) { x.learn(0.5); });
}

TEST(AggregatorErrors, TheMaskMustBeOnePerExpert) {
  Aggregator a = busy_aggregator();
  for (std::size_t n : {1u, 2u, 4u}) {
    refused(a, [n](Aggregator& x) { x.open(Mask(n, 1)); });
  }
}

TEST(AggregatorErrors, NamesTheExpertWhoseLossIsBad) {
  Aggregator a = share_aggregator(40, 1, 0);
  Numbers losses(40, 0.5);
  losses[36] = kNan;
  const std::string message = refused(a, [&](Aggregator& x) { x.learn(losses); });
  EXPECT_TRUE(test::mentions(message, "36") || test::mentions(message, "37"));
}

TEST(AggregatorErrors, ARefusedRoundCanStillBeClosedProperly) {
  Aggregator a = busy_aggregator();
  Aggregator b = busy_aggregator();
  refused(a, [](Aggregator& x) { x.learn(kWithLosses, Numbers{0, 0, kNan}); });
  refused(a, [](Aggregator& x) { x.learn(kWithForecasts, kNan); });
  for (Aggregator* x : {&a, &b}) {
    x->learn(kWithForecasts, 0.5);
    x->learn(kWithLosses, Numbers{kNan, 1, 0});
    EXPECT_EQ(x->open_rounds(), 0u);
  }
  EXPECT_EQ(a.save_bytes(), b.save_bytes());
}

}  // namespace
}  // namespace pcgs
