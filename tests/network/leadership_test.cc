// A history small enough to count by hand; token_stream_test.cc has long ones.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "network/token_stream.h"

namespace pcgs::tokens {
namespace {

constexpr std::size_t kExperts = 3;

// One round with this leader, or with nobody above the threshold.
void observe(Leadership& leadership, std::optional<std::size_t> leader) {
  std::vector<float> weights(kExperts, leader ? 0.15f : 1.0f / 3);
  if (leader) weights[*leader] = 0.7f;
  leadership.observe(weights);
}

void expect_expert(const Leadership& leadership, std::size_t k, bool leads, double share,
                   double took_over, double since, double in_a_row) {
  std::array<float, 5> out{};
  leadership.describe(k, out.data());
  EXPECT_EQ(out[0], leads ? 1 : 0) << k;
  EXPECT_FLOAT_EQ(out[1], static_cast<float>(std::log1p(kExperts * share))) << k;
  EXPECT_FLOAT_EQ(out[2], static_cast<float>(std::log1p(took_over))) << k;
  EXPECT_FLOAT_EQ(out[3], static_cast<float>(std::log1p(since))) << k;
  EXPECT_FLOAT_EQ(out[4], static_cast<float>(std::log1p(in_a_row))) << k;
}

void expect_reign(const Leadership& leadership, double age, double usual, double reigns) {
  std::array<float, 4> out{};
  leadership.describe_reign(out.data());
  EXPECT_FLOAT_EQ(out[0], static_cast<float>(std::log1p(age)));
  EXPECT_FLOAT_EQ(out[1], static_cast<float>(std::log1p(usual)));
  EXPECT_NEAR(out[2], std::log1p(age) - std::log1p(usual), 1e-6);
  EXPECT_FLOAT_EQ(out[3], static_cast<float>(std::log1p(reigns)));
}

TEST(Leadership, NobodyLeadsUntilSomebodyTakesOver) {
  Leadership leadership(kExperts);
  for (int t = 0; t < 4; ++t) observe(leadership, std::nullopt);
  for (std::size_t k = 0; k < kExperts; ++k) expect_expert(leadership, k, false, 0, 0, 4, 0);
  expect_reign(leadership, 4, 4, 0);
}

TEST(Leadership, LastsUntilAnotherTakesOver) {
  Leadership leadership(kExperts);
  observe(leadership, 1);
  observe(leadership, std::nullopt);
  observe(leadership, std::nullopt);
  expect_expert(leadership, 1, true, 1, 1, 0, 0);
  expect_expert(leadership, 0, false, 0, 0, 3, 0);
  expect_reign(leadership, 2, 2, 1);
}

TEST(Leadership, TakesMoreThanTheThreshold) {
  Leadership leadership(2);
  leadership.observe(std::vector<float>{1 - kTakesOver, kTakesOver});
  std::array<float, 5> out{};
  leadership.describe(1, out.data());
  EXPECT_EQ(out[0], 0);
  leadership.observe(std::vector<float>{0.39f, std::nextafter(kTakesOver, 1.0f)});
  leadership.describe(1, out.data());
  EXPECT_EQ(out[0], 1);
}

// 0 0 1 0 0 0 1 0: expert 1 has followed expert 0 twice in a row, expert 0 expert 1 as well.
TEST(Leadership, CountsReignsAndWhoFollowedWhom) {
  Leadership leadership(kExperts);
  for (const std::size_t leader : {0u, 0u, 1u, 0u, 0u, 0u, 1u, 0u}) observe(leadership, leader);
  expect_expert(leadership, 0, true, 6.0 / 8, 3, 0, 0);
  expect_expert(leadership, 1, false, 2.0 / 8, 2, 1, 2);
  expect_expert(leadership, 2, false, 0, 0, 8, 0);
  expect_reign(leadership, 0, (2 + 1 + 3 + 1) / 4.0, 5);
  // Another follows: the row of expert 1 is over, and the first of expert 2 shows when 0 leads.
  observe(leadership, 2);
  expect_expert(leadership, 0, false, 6.0 / 9, 3, 1, 0);
  observe(leadership, 0);
  expect_expert(leadership, 1, false, 2.0 / 10, 2, 3, 0);
  expect_expert(leadership, 2, false, 1.0 / 10, 1, 1, 1);
}

}  // namespace
}  // namespace pcgs::tokens
