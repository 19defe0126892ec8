#include "combine/error_quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random.h"

namespace pcgs {
namespace {

// The same by sorting everything each time.
class SlowQuantiles {
 public:
  SlowQuantiles() {
    for (int i = 0; i < 20; ++i) {
      const double p = (i + 0.5) / 20;
      all_.push_back(p < 0.5 ? std::log(2 * p) : -std::log(2 * (1 - p)));
    }
  }
  void add(double error) { all_.push_back(error); }
  double quantile(double p) const { return 7.0 / 8 * plain(p) - 1.0 / 8 * plain(1 - p); }

 private:
  // Inside the errors only: halfway through its own share of probability stands each of them.
  double plain(double p) const {
    std::vector<double> last(all_.end() - std::min<std::ptrdiff_t>(1000, std::ssize(all_)),
                             all_.end());
    std::sort(last.begin(), last.end());
    const double at = p * static_cast<double>(last.size()) - 0.5;
    const auto below = static_cast<std::size_t>(at);
    return std::lerp(last[below], last[below + 1], at - std::floor(at));
  }
  std::vector<double> all_;
};

TEST(ErrorQuantiles, AreThoseOfTheLastThousandErrors) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    test::Random random(seed);
    ErrorQuantiles fast;
    SlowQuantiles slow;
    for (int t = 0; t < 2600; ++t) {
      // Rounded, so that equal errors come and go; drifting, so that a wrong one leaving shows.
      const double error = std::round(random.uniform(-20, 20)) / 4 + t / 500;
      fast.add(error);
      slow.add(error);
      if (t % 13 != 0) continue;
      for (const double p : {0.05, 0.1, 0.3, 0.5, 0.77, 0.95}) {
        ASSERT_NEAR(fast.quantile(p), slow.quantile(p), 1e-12) << t << ", " << p;
      }
    }
  }
}

TEST(ErrorQuantiles, GoOnBeyondTheLargestError) {
  ErrorQuantiles quantiles;
  double last = quantiles.quantile(0.1);
  for (const double p : {0.025, 0.01, 1e-3, 1e-6, 1e-9}) {
    const double further = quantiles.quantile(p);
    EXPECT_LT(further, last) << p;
    EXPECT_NEAR(further, -quantiles.quantile(1 - p), 1e-6 * std::abs(further)) << p;
    last = further;
  }
  EXPECT_TRUE(std::isfinite(quantiles.quantile(0)));
}

}  // namespace
}  // namespace pcgs
