// Weights of the R package opera 1.2.2 for one small problem (tests/golden/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pcgs/registry.h"
#include "support/csv.h"
#include "support/data_file.h"
#include "support/expect.h"
#include "support/options.h"

namespace pcgs {
namespace {

constexpr double kTolerance = 1e-12;

Matrix golden(const std::string& name) {
  return test::csv_matrix(test::data_file("golden/" + name));
}

// Row t of the weights is what was played at round t, before its losses.
void expect_weights(const std::string& spec, const std::string& file, bool by_forecasts) {
  const Matrix losses = golden("losses.csv");
  const Matrix weights = golden(file);
  ASSERT_EQ(losses.rows, 80u);
  ASSERT_EQ(losses.columns, 5u);
  ASSERT_EQ(weights.rows, 80u);
  ASSERT_EQ(weights.columns, 5u);
  Aggregator aggregator = make_aggregator(spec, losses.columns, test::scaled(LossScale::unit()));
  for (std::size_t t = 0; t < losses.rows; ++t) {
    ASSERT_TRUE(test::all_near(aggregator.weights(), weights.row(t), kTolerance))
        << spec << ", round " << t + 1;
    if (by_forecasts) {
      std::vector<double> forecasts;
      for (double l : losses.row(t)) forecasts.push_back(std::sqrt(l));
      aggregator.predict(forecasts);
      aggregator.learn(0.0);
    } else {
      aggregator.learn(losses.row(t));
    }
  }
}

TEST(Golden, HedgeMatchesOpera) { expect_weights("hedge{eta=2}", "ewa_eta2.csv", false); }

TEST(Golden, FixedShareMatchesOpera) {
  expect_weights("fixed-share{eta=2,rho=0.05}", "fixed_share_eta2_alpha0.05.csv", false);
}

TEST(Golden, ShareMethodsMatchOperaThroughForecastsToo) {
  expect_weights("hedge{eta=2}", "ewa_eta2.csv", true);
  expect_weights("fixed-share{eta=2,rho=0.05}", "fixed_share_eta2_alpha0.05.csv", true);
}

TEST(Golden, MlPolyMatchesOpera) { expect_weights("ml-poly", "ml_poly.csv", true); }

TEST(Golden, BoaMatchesOpera) { expect_weights("boa", "boa.csv", true); }

}  // namespace
}  // namespace pcgs
