#include "show/curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace pcgs::report {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

std::vector<double> walk(std::size_t rounds, unsigned seed) {
  boost::random::mt19937 generator(seed);
  boost::random::normal_distribution<> step;
  std::vector<double> out;
  double at = 0;
  for (std::size_t t = 0; t < rounds; ++t) out.push_back(at += step(generator));
  return out;
}

Points thinned(const std::vector<double>& values, std::size_t buckets) {
  Points all;
  for (std::size_t t = 0; t < values.size(); ++t) all.add(static_cast<double>(t), values[t]);
  return thin(all, values.size(), buckets);
}

TEST(Thin, KeepsEveryPointOfAShortCurve) {
  for (const std::size_t rounds : {1U, 2U, 7U, 50U}) {
    const auto values = walk(rounds, 1);
    const Points points = thinned(values, 50);
    EXPECT_EQ(points.y, values);
  }
}

TEST(Thin, KeepsFirstLastLowestAndHighestOfEveryStretch) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::size_t rounds = 900 + 37 * seed, buckets = 10 + seed;
    const auto values = walk(rounds, seed);
    const Points points = thinned(values, buckets);
    EXPECT_LE(points.y.size(), 4 * buckets);
    EXPECT_TRUE(std::is_sorted(points.x.begin(), points.x.end()));
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      EXPECT_EQ(points.y[i], values[static_cast<std::size_t>(points.x[i])]);
    }
    for (std::size_t b = 0; b < buckets; ++b) {
      std::vector<double> all, kept;
      for (std::size_t t = 0; t < rounds; ++t) {
        if (t * buckets / rounds == b) all.push_back(values[t]);
      }
      for (std::size_t i = 0; i < points.x.size(); ++i) {
        if (static_cast<std::size_t>(points.x[i]) * buckets / rounds == b) {
          kept.push_back(points.y[i]);
        }
      }
      ASSERT_FALSE(kept.empty());
      EXPECT_EQ(kept.front(), all.front());
      EXPECT_EQ(kept.back(), all.back());
      EXPECT_EQ(*std::min_element(kept.begin(), kept.end()),
                *std::min_element(all.begin(), all.end()));
      EXPECT_EQ(*std::max_element(kept.begin(), kept.end()),
                *std::max_element(all.begin(), all.end()));
    }
  }
}

TEST(Thin, SeesASpikeBesideGaps) {
  std::vector<double> values(100, kGap);
  values[57] = 3;
  const Points points = thinned(values, 4);
  EXPECT_NE(std::find(points.y.begin(), points.y.end(), 3), points.y.end());
  EXPECT_TRUE(std::isnan(points.y.front()));
}

TEST(Drawn, KeepsFiveDigitsOfWhatDiffers) {
  const std::vector<double> near = {0.123456789, 0.5}, far = {1000000.123456, 1000001.654321};
  EXPECT_EQ(drawn(near), ordered_json({0.123457, 0.5}));
  for (std::size_t i = 0; i < far.size(); ++i) {
    EXPECT_NEAR(drawn(far)[i].get<double>(), far[i], 1e-4);
  }
}

TEST(Drawn, HasNothingWhereThereIsNone) {
  const auto out = drawn({std::nan(""), INFINITY, 2, 2});
  EXPECT_TRUE(out[0].is_null());
  EXPECT_TRUE(out[1].is_null());
  EXPECT_EQ(out[2], 2);
  EXPECT_EQ(drawn({}), ordered_json::array());
}

}  // namespace

}  // namespace pcgs::report
