// A pool holds what the library itself makes of the same losses.
#include "pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "combine/hindsight_methods.h"
#include "network/token_stream.h"
#include "own_losses.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "research/tournament.h"
#include "support/random.h"
#include "tiny.h"

namespace pcgs::train {
namespace {

constexpr std::size_t kCount = 5;

Matrix losses_of(std::size_t i) {
  return suite::generate("switch", test::kTinyRounds, test::kTinyExperts,
                         suite::training_seed(7, i))
      .losses;
}

Pool pool_with(std::size_t threads) {
  return make_pool(kCount, losses_of, test::kTinySwitches, threads, torch::kCPU);
}

bool same(const Pool& a, const Pool& b) {
  return torch::equal(a.own, b.own) && torch::equal(a.shared, b.shared) &&
         torch::equal(a.scale, b.scale) && torch::equal(a.losses, b.losses) &&
         torch::equal(a.path, b.path) && torch::equal(a.oracle, b.oracle) &&
         torch::equal(a.tuned, b.tuned) && torch::equal(a.candidates, b.candidates) &&
         torch::equal(a.unit, b.unit);
}

TEST(Pool, HoldsTheTokensInHalfPrecision) {
  const Pool pool = pool_with(1);
  ASSERT_EQ(pool.size(), static_cast<std::int64_t>(kCount));
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Matrix losses = losses_of(i);
    tokens::TokenStream stream(losses.columns);
    for (std::size_t t = 0; t < losses.rows; ++t) {
      stream.observe(losses.row(t));
      const auto round = static_cast<std::int64_t>(t);
      EXPECT_EQ(pool.scale[at][round].item<float>(), static_cast<float>(stream.scale()));
      for (std::size_t k = 0; k < losses.columns; ++k) {
        const auto token =
            torch::cat({pool.own[at][round][static_cast<std::int64_t>(k)], pool.shared[at][round]});
        const auto own =
            stream.tokens().subspan(k * tokens::kExpertFeatures, tokens::kExpertFeatures);
        std::vector<float> token_of_k(own.begin(), own.end());
        token_of_k.insert(token_of_k.end(), stream.shared().begin(), stream.shared().end());
        const auto expected = torch::tensor(token_of_k);
        ASSERT_TRUE(torch::equal(token, expected.to(torch::kHalf))) << i << ", " << t << ", " << k;
        ASSERT_EQ(pool.losses[at][round][static_cast<std::int64_t>(k)].item<float>(),
                  static_cast<float>(losses.row(t)[k]));
      }
    }
  }
}

TEST(Pool, TunedIsTheBestFixedShareOfTheGrid) {
  const Pool pool = pool_with(1);
  const auto grid = candidates_of("fixed-share*");
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    double best = 1e300;
    for (std::size_t c = 0; c < grid.size(); ++c) {
      const double paid = suite::play(grid[c], losses_of(i));
      EXPECT_EQ(pool.candidates[at][static_cast<std::int64_t>(c)].item<double>(), paid) << grid[c];
      best = std::min(best, paid);
    }
    EXPECT_EQ(pool.tuned[at].item<double>(), best);
    EXPECT_GT(pool.unit[at].item<double>(), 0);
  }
}

TEST(Pool, ThePathIsTheOracles) {
  const Pool pool = pool_with(1);
  for (std::size_t i = 0; i < kCount; ++i) {
    const SwitchingPath path = switching_path(losses_of(i), test::kTinySwitches);
    const auto found = pool.path[static_cast<std::int64_t>(i)];
    EXPECT_TRUE(
        std::equal(path.experts.begin(), path.experts.end(), found.data_ptr<std::int64_t>()));
    EXPECT_EQ(pool.oracle[static_cast<std::int64_t>(i)].item<double>(), path.loss);
  }
}

TEST(Pool, DoesNotDependOnThreads) {
  const Pool one = pool_with(1);
  EXPECT_TRUE(same(one, pool_with(2)));
  EXPECT_TRUE(same(one, pool_with(7)));
}

Matrix random_losses(std::size_t rounds, std::size_t experts) {
  test::Random random(3);
  Matrix losses(rounds, experts);
  for (double& l : losses.values) l = random.uniform();
  return losses;
}

TEST(OwnLosses, WindowsNeverReachIntoWhatIsHeldOut) {
  for (const std::size_t rounds : {150u, 151u, 400u, 1000u}) {
    const Matrix losses = random_losses(rounds, 3);
    const OwnLosses own = own_losses({losses, "losses"}, {}, 100, 2, 1, torch::kCPU);
    const std::size_t held_out = static_cast<std::size_t>(own.held_out.pool.rounds);
    EXPECT_EQ(own.held_out.pool.size(), 1);
    EXPECT_GE(held_out, rounds / 5);
    const auto all = torch::tensor(losses.values).to(torch::kFloat32).reshape({-1, 3});
    const auto past = static_cast<std::int64_t>(rounds - held_out);
    EXPECT_TRUE(torch::equal(own.held_out.pool.losses[0], all.slice(0, past)));
    const auto length = own.windows.rounds;
    EXPECT_EQ(length, std::min<std::int64_t>(100, past / 2));
    EXPECT_GE(own.windows.size(), 4);
    for (std::int64_t i = 0; i < own.windows.size(); ++i) {
      const auto end = past - i * (length / 4);
      ASSERT_TRUE(torch::equal(own.windows.losses[i], all.slice(0, end - length, end)));
    }
    EXPECT_LT(past - (own.windows.size() - 1) * (length / 4) - length, length / 4);  // all used
  }
}

TEST(OwnLosses, RefusesLossesOutsideTheUnitIntervalAndTooFewOfThem) {
  const auto make = [](const Matrix& losses) {
    own_losses({losses, "mine.npy"}, {}, 100, 2, 1, torch::kCPU);
  };
  EXPECT_THROW(make(random_losses(149, 3)), Error);
  Matrix losses = random_losses(200, 3);
  for (const double bad : {-0.1, 1.1, std::nan("")}) {
    losses.values[7] = bad;
    try {
      make(losses);
      ADD_FAILURE() << bad << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("mine.npy: row 3"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace pcgs::train
