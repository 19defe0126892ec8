#include "made_sequences.h"

#include <gtest/gtest.h>

#include <numeric>

#include "research/suite.h"

namespace pcgs::train {
namespace {

MadeSequences few(std::vector<Favoured> favoured) {
  MadeSequences made;
  made.count = 20;
  made.seed = 5;
  made.switches = 3;
  made.favoured = std::move(favoured);
  return made;
}

TrainingPools made_with(const MadeSequences& made) {
  return made_pools(made, 0, torch::kCPU, [] {});
}

double sum(const std::vector<double>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

TEST(MadeSequences, FavouredFamiliesHaveTheirShareAndTheOthersWhatIsLeft) {
  const TrainingPools plain = made_with(few({}));
  const TrainingPools favoured = made_with(few({{"predictive", 0.3}, {"switch", 0.1}}));
  ASSERT_EQ(favoured.pools.size(), plain.pools.size() + 2);
  EXPECT_NEAR(sum(plain.shares), 1, 1e-12);
  EXPECT_NEAR(sum(favoured.shares), 1, 1e-12);
  EXPECT_EQ(favoured.shares[0], 0.3);
  EXPECT_EQ(favoured.shares[1], 0.1);
  EXPECT_EQ(favoured.pools[0].size(), 6);
  EXPECT_EQ(favoured.pools[1].size(), 2);
  for (std::size_t p = 0; p < plain.pools.size(); ++p) {
    EXPECT_NEAR(favoured.shares[p + 2], 0.6 * plain.shares[p], 1e-12) << p;
    EXPECT_LE(favoured.pools[p + 2].size(), plain.pools[p].size()) << p;
  }
}

TEST(MadeSequences, AFavouredFamilyIsThatOfTheSuite) {
  MadeSequences made = few({{"predictive", 0.1}});
  const TrainingPools pools = made_with(made);
  ASSERT_EQ(pools.pools[0].size(), 2);
  for (const std::int64_t i : {0, 1}) {
    const Matrix expected =
        suite::generate("predictive", 600, 32,
                        suite::training_seed(made.seed, static_cast<std::uint64_t>(i)))
            .losses;
    const auto losses = pools.pools[0].losses.select(0, i).contiguous();
    for (std::size_t at = 0; at < expected.values.size(); ++at) {
      ASSERT_EQ(losses.data_ptr<float>()[at], static_cast<float>(expected.values[at])) << at;
    }
  }
}

}  // namespace
}  // namespace pcgs::train
