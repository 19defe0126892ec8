#include "show/drawn.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pcgs::report {
namespace {

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
