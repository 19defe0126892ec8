// Bad input is refused with a kind and a field, and the aggregator is then as it was before.
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

// The message; and a failure unless the Error is of this kind and about this field, and the state the
// same to the last bit.
std::string refused(Aggregator& aggregator, ErrorKind kind, const std::string& field,
                    const std::function<void(Aggregator&)>& action) {
  const auto before = aggregator.save_bytes();
  const Numbers weights = test::copy(aggregator.weights());
  std::string message;
  try {
    action(aggregator);
    ADD_FAILURE() << "threw nothing";
  } catch (const Error& error) {
    message = error.what();
    EXPECT_EQ(error.kind(), kind) << message;
    EXPECT_EQ(error.place().field, field) << message;
  }
  EXPECT_EQ(aggregator.save_bytes(), before) << "changed by: " << message;
  EXPECT_TRUE(test::same_bits(aggregator.weights(), weights)) << "changed by: " << message;
  return message;
}

TEST(AggregatorErrors, ThereIsOneNumberForEachExpert) {
  Aggregator a = busy_aggregator();
  for (const std::size_t n : {0u, 1u, 2u, 4u}) {
    const auto mismatch = [&](const std::string& field, const auto& action) {
      refused(a, ErrorKind::kMismatch, field, action);
    };
    mismatch("losses", [n](Aggregator& x) { x.learn(Numbers(n, 0.5)); });
    mismatch("losses", [n](Aggregator& x) { x.learn(kWithLosses, Numbers(n, 0.5)); });
    mismatch("forecasts", [n](Aggregator& x) { x.predict(Numbers(n, 0.5)); });
    if (n > 0) mismatch("awake", [n](Aggregator& x) { x.open(Mask(n, 1)); });
  }
}

TEST(AggregatorErrors, NumbersAreFiniteAndLossesNotNegative) {
  for (const LossScale& scale : {LossScale::unit(), LossScale::fixed(10), LossScale::following()}) {
    Aggregator a = busy_aggregator(test::scaled(scale));
    const auto refuses = [&](const std::string& field, const auto& action) {
      refused(a, ErrorKind::kValue, field, action);
    };
    for (const double bad : {kNan, kInfinity, -kInfinity, -1e-300}) {
      refuses("losses", [bad](Aggregator& x) { x.learn(Numbers{0.5, 0.5, bad}); });
      refuses("losses", [bad](Aggregator& x) { x.learn(Numbers{bad, 0.5, 0.5}); });
      refuses("losses", [bad](Aggregator& x) { x.learn(kWithLosses, Numbers{0.5, 0.5, bad}); });
      if (bad == -1e-300) continue;
      refuses("outcome", [bad](Aggregator& x) { x.learn(kWithForecasts, bad); });
      if (std::isnan(bad)) continue;
      refuses("forecasts", [bad](Aggregator& x) { x.predict(Numbers{0, bad, kNan}); });
    }
  }
}

TEST(AggregatorErrors, LossesAboveOneNeedAScale) {
  Aggregator unit = busy_aggregator(test::scaled(LossScale::unit()));
  const double above = std::nextafter(1.0, 2.0);
  const std::vector<std::function<void(Aggregator&)>> actions = {
      [=](Aggregator& x) {
        x.learn(Numbers{0, above, 0});
      },
      [=](Aggregator& x) {
        x.learn(kWithLosses, Numbers{0, 0, above});
      },
      [](Aggregator& x) { x.learn(kWithForecasts, 3.0); }};  // (0.5 - 3)^2 = 6.25
  for (const auto& action : actions) refused(unit, ErrorKind::kValue, "losses", action);
  unit.learn(Numbers{1, 1, 1});
  Aggregator scaled = busy_aggregator(test::scaled(LossScale::fixed(10)));
  scaled.learn(Numbers{0, above, 100});
  scaled.learn(kWithForecasts, 3.0);
  EXPECT_EQ(scaled.rounds(), 3);
}

TEST(AggregatorErrors, LogLossTakesProbabilitiesAndBinaryOutcomes) {
  Aggregator a = share_aggregator(2, 1, 0, {.task = TaskLoss("log"), .scale = LossScale::fixed(5)});
  for (const double bad : {1.01, -0.01}) {
    refused(a, ErrorKind::kValue, "forecasts", [bad](Aggregator& x) {
      x.predict(Numbers{0.5, bad});
    });
  }
  a.predict(Numbers{0.5, 0.75});
  refused(a, ErrorKind::kValue, "outcome", [](Aggregator& x) { x.learn(0.5); });
  a.learn(1.0);
  EXPECT_EQ(a.rounds(), 1);
}

TEST(AggregatorErrors, RoundsAreOpenAndClosedAsTheyWereOpened) {
  Aggregator a = busy_aggregator();
  const auto refuses = [&](const auto& action) {
    return refused(a, ErrorKind::kCall, "round", action);
  };
  for (std::int64_t round : {kLearned, kAbandoned, std::int64_t{0}, std::int64_t{-1},
                             std::int64_t{5}, std::numeric_limits<std::int64_t>::max()}) {
    const std::string message = refuses([=](Aggregator& x) { x.learn(round, Numbers{0, 0, 0}); });
    EXPECT_TRUE(test::mentions(message, std::to_string(round)));
    refuses([=](Aggregator& x) { x.learn(round, 0.5); });
    refuses([=](Aggregator& x) { x.abandon(round); });
    refuses([=](Aggregator& x) { x.played(round); });
  }
  refuses([](Aggregator& x) { x.learn(kWithLosses, 0.5); });
  refuses([](Aggregator& x) { x.learn(kWithForecasts, Numbers{0, 0, 0}); });
  refuses([](Aggregator& x) { x.learn(0.5); });  // which of the two?
  Aggregator none = share_aggregator(3, 1, 0);
  refused(none, ErrorKind::kCall, "round", [](Aggregator& x) { x.learn(0.5); });
}

TEST(AggregatorErrors, ARefusedRoundCanStillBeClosedProperly) {
  Aggregator a = busy_aggregator();
  Aggregator b = busy_aggregator();
  const std::string message = refused(a, ErrorKind::kValue, "losses", [](Aggregator& x) {
    x.learn(kWithLosses, Numbers{0, 0, kNan});
  });
  EXPECT_TRUE(test::mentions(message, "expert 3"));
  refused(a, ErrorKind::kValue, "outcome", [](Aggregator& x) { x.learn(kWithForecasts, kNan); });
  for (Aggregator* x : {&a, &b}) {
    x->learn(kWithForecasts, 0.5);
    x->learn(kWithLosses, Numbers{kNan, 1, 0});
    EXPECT_EQ(x->open_rounds(), 0u);
  }
  EXPECT_EQ(a.save_bytes(), b.save_bytes());
}

}  // namespace
}  // namespace pcgs
