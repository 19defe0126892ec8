// Weights of the R package opera 1.2.2 for one small problem (tests/golden/README.md).
#include <fmt/format.h>
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

TEST(Golden, MlPolyMatchesOpera) { expect_weights("ml-poly{gradient=0}", "ml_poly.csv", true); }

TEST(Golden, BoaMatchesOpera) { expect_weights("boa{gradient=0}", "boa.csv", true); }

// With linearised losses: forecasts.csv holds outcomes and forecasts, the other files the combined
// forecast and the weights of each round.
void expect_linearised(const std::string& spec, const std::string& file) {
  const Matrix given = golden("forecasts.csv");
  for (const std::string loss : {"square", "absolute", "pinball"}) {
    const Matrix expected = golden("gradient_" + file + "_" + loss + ".csv");
    ASSERT_EQ(given.rows, 80u);
    ASSERT_EQ(expected.rows, 80u);
    // A method of the share form wants losses below 1, so they are divided and eta is multiplied.
    const double rate = loss == "square" ? 0.01 : 0.1, scale = 1e5;
    const bool share = spec == "hedge";
    Aggregator aggregator = make_aggregator(
        share ? fmt::format("hedge{{eta={},gradient=1}}", rate * scale) : spec, 4,
        {TaskLoss(loss == "square" ? "squared" : loss, 0.3), LossScale::fixed(share ? scale : 1)});
    for (std::size_t t = 0; t < given.rows; ++t) {
      const auto row = given.row(t);
      EXPECT_NEAR(aggregator.predict(row.subspan(1)), expected.row(t)[0], 1e-10);
      ASSERT_TRUE(test::all_near(aggregator.played(aggregator.last_opened()),
                                 expected.row(t).subspan(1), 1e-10))
          << spec << ", " << loss << " loss, round " << t + 1;
      aggregator.learn(row[0]);
    }
  }
}

TEST(GoldenLinearised, MlPolyMatchesOpera) { expect_linearised("ml-poly", "mlpol"); }
TEST(GoldenLinearised, BoaMatchesOpera) { expect_linearised("boa{doubling=1}", "boa"); }
TEST(GoldenLinearised, MlEwaMatchesOpera) { expect_linearised("ml-ewa", "mlewa"); }
TEST(GoldenLinearised, MlProdMatchesOpera) { expect_linearised("ml-prod", "mlprod"); }
TEST(GoldenLinearised, ExponentialWeightsMatchOpera) { expect_linearised("hedge", "ewa"); }

}  // namespace
}  // namespace pcgs
