// The share recursion where doubles run out: huge eta, vanishing weights, a million rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pcgs/error.h"
#include "pcgs/share.h"
#include "reference/shares.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using reference::LogShare;
using test::all_near;
using test::on_simplex;
using test::Random;
using test::same_bits;

// Losses of one hostile kind or another, changing from round to round.
std::vector<double> hostile_losses(Random& random, std::size_t experts, int t) {
  std::vector<double> losses(experts, 0);
  switch (random.below(7)) {
    case 0:
      break;  // all 0
    case 1:
      losses.assign(experts, 1);
      break;
    case 2:  // alternating in time and over the experts
      for (std::size_t k = 0; k < experts; ++k)
        losses[k] = static_cast<double>((k + static_cast<std::size_t>(t)) % 2);
      break;
    case 3:
      losses[random.below(experts)] = 1;
      break;
    case 4:  // all but one
      losses.assign(experts, 1);
      losses[random.below(experts)] = 0;
      break;
    case 5:
      losses[random.below(experts)] = std::numeric_limits<double>::denorm_min();
      break;
    default:
      losses = random.losses(experts);
  }
  return losses;
}

TEST(Share, StaysOnTheSimplexForAMillionHostileRounds) {
  for (std::size_t experts : {5u, 16u}) {
    Random random(experts);
    Share share(experts);
    const std::vector<std::vector<double>> restarts = {random.simplex(experts),
                                                       random.simplex(experts)};
    for (int t = 0; t < 1'000'000; ++t) {
      const double eta = random.log_uniform(1e-3, 1e4);
      const std::size_t regime = static_cast<std::size_t>(t) / 10'000 % 3;  // rho 0, tiny, any
      const double rho = regime == 0 ? 0 : regime == 1 ? 1e-12 : random.uniform();
      const std::size_t which = random.below(3);
      share.step(hostile_losses(random, experts, t),
                 {eta, rho, which < 2 ? restarts[which] : std::span<const double>()});
      if (t % 997 == 0 || t >= 999'990) {
        ASSERT_TRUE(on_simplex(share.weights())) << experts << " experts, round " << t;
      }
    }
  }
}

// Hedge never renormalises by a restart, so an error of normalisation would add up.
TEST(Share, StaysOnTheSimplexForAMillionRoundsOfHedge) {
  Random random(3);
  Share share(7);
  for (int t = 0; t < 1'000'000; ++t) {
    const std::vector<double> losses = random.losses(7);
    share.step(losses, {0.01, 0, {}});
    if (t % 9973 == 0) {
      ASSERT_TRUE(on_simplex(share.weights())) << "round " << t;
    }
  }
  EXPECT_TRUE(on_simplex(share.weights()));
}

TEST(Share, IsFiniteForLearningRatesUpToTenThousand) {
  for (double eta : {1.0, 100.0, 745.0, 746.0, 1000.0, 1e4}) {
    for (double rho : {0.0, 1e-12, 0.01}) {
      for (unsigned pattern = 0; pattern < 64; ++pattern) {
        Share share(3);
        LogShare slow(3);
        for (unsigned t = 0; t < 6; ++t) {
          const unsigned bits = pattern >> (t % 4);
          const std::vector<double> losses = {static_cast<double>(bits & 1),
                                              static_cast<double>(bits >> 1 & 1),
                                              static_cast<double>(bits >> 2 & 1)};
          const ShareStep& step = share.step(losses, {eta, rho, {}});
          const LogShare::Step expected = slow.step(losses, eta, rho);
          ASSERT_TRUE(on_simplex(share.weights())) << "eta " << eta << ", pattern " << pattern;
          ASSERT_TRUE(all_near(share.weights(), slow.weights(), 1e-12))
              << "eta " << eta << ", rho " << rho << ", pattern " << pattern << ", round " << t;
          // An exponent of 1e4 is known to 1e4 epsilon, and so is the weight it makes.
          ASSERT_NEAR(step.mix_loss, expected.mix_loss, 1e-12);
          ASSERT_NEAR(step.gap, expected.gap, 1e-12);
        }
      }
    }
  }
}

// After these three rounds all the weight of experts 1 and 2 comes from restarts: one of rho/K for
// the one, three for the other.
TEST(Share, KeepsARestartHoweverSmall) {
  const std::vector<std::vector<double>> losses = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  for (double rho : {1e-10, 1e-50, 1e-100, 1e-140, 1e-180, 1e-250, 1e-300}) {
    Share share(3);
    LogShare slow(3);
    for (const std::vector<double>& l : losses) {
      share.step(l, {5000, rho, {}});
      slow.step(l, 5000, rho);
      ASSERT_TRUE(all_near(share.weights(), slow.weights(), 1e-12)) << "rho " << rho;
    }
    EXPECT_TRUE(all_near(share.weights(), std::vector<double>{0, 0.25, 0.75}, 1e-9)) << rho;
  }
}

// With q = 0 an expert gets nothing from a restart but pays for it: each round its weight shrinks
// by 1 - rho, whether or not the weight is a double.
TEST(Share, ChargesRestartsToAnExpertThatGetsNoneOfThem) {
  const std::vector<double> q = {1, 0, 0};
  const std::vector<double> down = {0, 1, 1};
  const std::vector<double> up = {1, 0, 0.25};
  Share share(3);
  LogShare slow(3);
  for (int t = 0; t < 250; ++t) {
    const std::vector<double>& losses = t < 100 ? down : up;
    share.step(losses, {8, 0.5, q});
    slow.step(losses, 8, 0.5, q);
    ASSERT_TRUE(all_near(share.weights(), slow.weights(), 1e-11)) << "round " << t;
  }
  EXPECT_LT(slow.log_weights()[2], -100);
  EXPECT_GT(share.weights()[1], 0.4) << "it has come back from exp(-869)";
}

// Subtracting the smallest loss of all experts leaves exp(-1000) = 0 for the two that carry weight
// and divides 0 by 0.
TEST(Share, SurvivesWhenTheBestExpertCarriesNoWeight) {
  const std::vector<double> initial = {0, 0.25, 0.75};
  Share share(3, initial);
  const std::vector<double> losses = {0, 1, 1};
  const ShareStep& step = share.step(losses, {1000, 0, {}});
  EXPECT_TRUE(all_near(share.weights(), initial, 1e-15));
  EXPECT_NEAR(step.mix_loss, 1, 1e-15);
  EXPECT_NEAR(step.gap, 0, 1e-15);
}

// The same with a weight that has underflowed instead of one that never was.
TEST(Share, SurvivesWhenTheBestExpertHasUnderflowed) {
  Share share(3);
  const std::vector<double> sinking = {1, 0, 0};
  const std::vector<double> rising = {0, 1, 1};
  for (int t = 0; t < 5; ++t) share.step(sinking, {1000, 0, {}});
  ASSERT_EQ(share.weights()[0], 0) << "exp(-5000) is no double";
  for (int t = 0; t < 4; ++t) {
    share.step(rising, {1000, 0, {}});
    ASSERT_TRUE(all_near(share.weights(), std::vector<double>{0, 0.5, 0.5}, 1e-15)) << t;
  }
  share.step(rising, {1000, 0, {}});
  EXPECT_TRUE(all_near(share.weights(), std::vector<double>(3, 1.0 / 3), 1e-12));
  share.step(rising, {1000, 0, {}});
  EXPECT_TRUE(all_near(share.weights(), std::vector<double>{1, 0, 0}, 1e-15));
}

// Losses are multiples of 1/64 and eta a power of two, so that every exponent is exact and only the
// weights themselves are rounded.
TEST(Share, BringsBackAnExpertFarBelowTheSmallestDouble) {
  Random random(5);
  Share share(6);
  LogShare slow(6);
  double lowest = 0;
  for (int t = 0; t < 4000; ++t) {
    // For 1,000 rounds each, another third of the experts does badly.
    const std::size_t bad = static_cast<std::size_t>(t) / 1000 % 3;
    std::vector<double> losses(6);
    for (std::size_t k = 0; k < 6; ++k) {
      losses[k] = (static_cast<double>(random.below(16)) + (k % 3 == bad ? 48 : 0)) / 64;
    }
    share.step(losses, {8, 0, {}});
    slow.step(losses, 8, 0);
    for (long double w : slow.log_weights()) lowest = std::min(lowest, static_cast<double>(w));
    ASSERT_TRUE(all_near(share.weights(), slow.weights(), 1e-11)) << "round " << t;
    ASSERT_TRUE(on_simplex(share.weights()));
  }
  EXPECT_LT(lowest, -5000) << "the test is about weights below exp(-745)";
}

// Weights fall out of the range of doubles and come back, by losses or by a restart, for every
// number of experts; and a copy that is saved and loaded over and over stays the same to the bit.
TEST(Share, CrossesTheEdgeOfDoublesForEveryNumberOfExpertsUpTo40) {
  for (std::size_t experts = 1; experts <= 40; ++experts) {
    Random random(500 + experts);
    Share share(experts);
    Share reloaded(experts);
    LogShare slow(experts);
    std::size_t vanished = 0;
    for (std::size_t t = 0; t < 400; ++t) {
      const std::size_t bad = t / 50 % 2;  // every second expert, turn and turn about
      std::vector<double> losses(experts);
      for (std::size_t k = 0; k < experts; ++k) {
        losses[k] = (static_cast<double>(random.below(16)) + (k % 2 == bad ? 48 : 0)) / 64;
      }
      const std::vector<double> q = random.simplex(experts);
      const double rho = t % 130 != 129 ? 0 : t % 260 == 129 ? 0.3 : 1e-200;
      share.step(losses, {32, rho, q});
      reloaded.step(losses, {32, rho, q});
      slow.step(losses, 32, rho, q);
      ASSERT_TRUE(all_near(share.weights(), slow.weights(), 1e-11)) << experts << ", " << t;
      ASSERT_TRUE(on_simplex(share.weights()));
      ASSERT_TRUE(same_bits(reloaded.weights(), share.weights())) << experts << ", " << t;
      for (long double w : slow.log_weights()) vanished += w < -745;
      if (t % 7 == 0) {
        StateWriter out;
        reloaded.save(out);
        const std::vector<std::uint8_t> file = out.file(1);
        StateReader in(file, "memory");
        reloaded = Share(experts);
        reloaded.load(in);
        in.finish();
      }
    }
    EXPECT_TRUE(experts == 1 || vanished > 20) << "the test is about weights below exp(-745)";
  }
}

TEST(Share, BringsBackAnExpertFromTheRangeOfDenormals) {
  for (int rounds = 70; rounds <= 80; ++rounds) {  // 10 nats a round: exp(-700) ... exp(-800)
    Share share(2);
    const std::vector<double> down = {1, 0};
    const std::vector<double> up = {0, 1};
    for (int t = 0; t < rounds; ++t) share.step(down, {10, 0, {}});
    for (int t = 0; t < rounds; ++t) share.step(up, {10, 0, {}});
    EXPECT_TRUE(all_near(share.weights(), std::vector<double>{0.5, 0.5}, 1e-12)) << rounds;
  }
}

// An expert that starts with nothing has only what a restart gives it, though that be no double.
TEST(Share, BringsInAnExpertThatStartsWithNothing) {
  const std::vector<double> initial = {0.75, 0.25, 0};
  for (const double q : {1e-3, 1e-70, 1e-100, 1e-300}) {
    Share share(3, initial);
    LogShare slow(initial);
    const std::vector<double> restart = {1 - q, 0, q};
    for (int t = 0; t < 400; ++t) {
      const std::vector<double> losses = {1, 1, 0};
      const double rho = t % 3 == 0 ? 1e-80 : 0;
      share.step(losses, {4, rho, restart});
      slow.step(losses, 4, rho, restart);
      ASSERT_TRUE(all_near(share.weights(), slow.weights(), 1e-11)) << "round " << t << ", q " << q;
    }
    EXPECT_GT(share.weights()[2], 0.99) << q;
  }
}

// What load() makes of three arrays: weights, mantissas, debts.
std::string refusal_of(const std::vector<double>& weights, const std::vector<double>& mantissas,
                       const std::vector<double>& debts) {
  StateWriter out;
  for (const auto* values : {&weights, &mantissas, &debts}) out.f64s(*values);
  const std::vector<std::uint8_t> file = out.file(1);
  try {
    StateReader in(file, "memory");
    Share share(weights.size());
    share.load(in);
    return "";
  } catch (const Error& wrong) {
    return wrong.what();
  }
}

TEST(Share, LoadsWhatItCanHaveSavedAndNothingElse) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    double weight, mantissa, debt;  // of one expert; the other carries the rest
    bool good;
  } cases[] = {
      {0.5, 0.5, 0, true},    {0.5, 0.25, 0, false},    {0.5, 0.5, 1, false},
      {0, 0, 0, true},        {0, 0, 1, false},         {0, 0.5, 800, true},
      {0, 0.5, -1, false},    {0, 0.5, kNan, false},    {0, 0.5, kInfinity, false},
      {0, 3, 800, false},     {0, 1e-200, 10, false},   {0, -0.5, 800, false},
      {1e-200, 1, 460, true}, {-1e-200, 1, 460, false}, {-0.5, 1, 1, false},
      {kNan, kNan, 0, false}, {1.5, 1.5, 0, false},     {0, kNan, 0, false},
  };
  for (const auto& [weight, mantissa, debt, good] : cases) {
    for (const bool first : {true, false}) {
      const double rest = weight == weight ? 1 - weight : 1;
      const auto both = [&](double one, double other) {
        return first ? std::vector<double>{one, other} : std::vector<double>{other, one};
      };
      const std::string said = refusal_of(both(weight, rest), both(mantissa, rest), both(debt, 0));
      EXPECT_EQ(said.empty(), good) << weight << ' ' << mantissa << ' ' << debt << ": " << said;
    }
  }
}

TEST(Share, ResumesToTheBit) {
  Random random(6);
  Share share(9);
  for (int t = 0; t < 500; ++t) {
    std::vector<double> losses = random.losses(9);
    losses[4] = 1;  // sinks below the smallest double
    share.step(losses, {t % 2 == 0 ? 20.0 : 0.5, 0, {}});
  }
  ASSERT_EQ(share.weights()[4], 0);
  StateWriter out;
  share.save(out);
  const std::vector<std::uint8_t> file = out.file(1);
  StateReader in(file, "memory");
  Share loaded(9);
  loaded.load(in);
  in.finish();
  EXPECT_TRUE(same_bits(loaded.weights(), share.weights()));
  for (int t = 0; t < 2000; ++t) {
    std::vector<double> losses = random.losses(9);
    losses[4] = 0;  // and comes back
    const double rho = t % 5 == 0 ? 1e-9 : 0;
    const ShareStep a = share.step(losses, {6, rho, {}});
    const ShareStep b = loaded.step(losses, {6, rho, {}});
    ASSERT_TRUE(same_bits(loaded.weights(), share.weights())) << "round " << t;
    ASSERT_TRUE(same_bits(a.mix_loss, b.mix_loss));
    ASSERT_TRUE(same_bits(a.gap, b.gap));
  }
  EXPECT_GT(share.weights()[4], 0.9);
}

}  // namespace
}  // namespace pcgs
