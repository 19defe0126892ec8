// Opening, publishing and learning allocate nothing once the panel is warm.
#include <gtest/gtest.h>

#include <cmath>

#include "pcgs/quantiles.h"
#include "support/allocations.h"
#include "support/random.h"

namespace pcgs::test {
namespace {

constexpr std::size_t kExperts = 12, kSeries = 4, kLevels = 7;

// [K x P] somebody asleep, somebody who gives a few levels, somebody who is wild.
std::vector<double> draw(Random& random) {
  std::vector<double> out(kExperts * kLevels);
  for (double& x : out) x = random.uniform();
  for (std::size_t i = 0; i < kLevels; ++i) {
    out[i] = NAN;
    if (i % 3 != 0) out[kLevels + i] = NAN;
    out[2 * kLevels + i] *= 1e9;
  }
  return out;
}

QuantilePanel panel_of_many() {
  QuantilePanel panel({.levels = {0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95}, .certify = true});
  for (std::size_t k = 0; k < kExperts; ++k) panel.add_expert(std::to_string(k));
  for (std::size_t s = 0; s < kSeries; ++s) panel.add_series(std::to_string(s));
  return panel;
}

TEST(QuantilePanelAllocation, NothingIsAllocatedPerRoundOnceAsManyHaveBeenOpen) {
  QuantilePanel panel = panel_of_many();
  Random random(1);
  std::vector<std::vector<double>> quantiles;
  for (int t = 0; t < 100; ++t) quantiles.push_back(draw(random));
  constexpr std::size_t kTogether = 6;
  std::size_t before = 0;
  double sum = 0;
  std::int64_t oldest = 1;
  for (std::size_t t = 0; t < quantiles.size(); ++t) {
    if (t == kTogether + 1) before = allocations.count;
    const std::int64_t round = panel.open(t % kSeries, quantiles[t]);
    sum += panel.forecast(round)[3];
    if (t >= kTogether - 1) panel.learn(oldest++, 0.5);
  }
  EXPECT_EQ(allocations.count, before);
  EXPECT_TRUE(std::isfinite(sum));
}

// Outcomes that all come at once, after as many rounds were open as ever will be.
TEST(QuantilePanelAllocation, NothingIsAllocatedWhenManyRoundsCloseTogether) {
  QuantilePanel panel = panel_of_many();
  Random random(2);
  const auto quantiles = draw(random);
  panel.open(0, quantiles);
  panel.learn(1, 0.5);
  for (int t = 0; t < 9; ++t) panel.open(0, quantiles);
  const std::size_t before = allocations.count;
  for (std::int64_t round = 2; round <= 10; ++round) panel.learn(round, 0.5);
  EXPECT_EQ(allocations.count, before);
}

// A file must not be able to ask for much more memory than it has bytes. Rounds in which nobody says
// anything are short in a file, whatever the number of levels.
TEST(QuantilePanelAllocation, LoadingTakesMemoryInProportionToTheFile) {
  std::vector<double> levels;
  for (int i = 1; i < 400; ++i) levels.push_back(i / 400.0);
  QuantilePanel panel({levels, QuantileScale::kRaw});
  panel.add_series("north");
  for (int t = 0; t < 400; ++t) panel.open(0, {});
  const auto file = panel.save_bytes();
  const std::size_t before = allocations.most_held = allocations.held;
  QuantilePanel::load_bytes(file, "some.state");
  EXPECT_LT(allocations.most_held - before, 100 * file.size());
}

}  // namespace
}  // namespace pcgs::test
