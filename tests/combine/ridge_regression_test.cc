// Against the normal equations, and in the places where regressions break.
#include "combine/ridge_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/gaussian.h"
#include "support/random.h"

namespace pcgs::blend {
namespace {

using test::Random;

struct Row {
  std::vector<double> x;
  double y, scale;
};

std::vector<Row> rows_of(std::size_t count, std::size_t size, Random& random) {
  std::vector<Row> rows(count);
  for (Row& row : rows) {
    for (std::size_t i = 0; i < size; ++i) row.x.push_back(random.uniform(-2, 2));
    row.y = random.uniform(-3, 3) + row.x[0];
    row.scale = random.uniform(0.1, 1);
  }
  return rows;
}

// Everything from scratch: forgotten rows, and the ridge as it was put back.
std::vector<double> from_scratch(const std::vector<Row>& rows, const std::vector<double>& ridge,
                                 double forgetting) {
  const std::size_t n = ridge.size();
  std::vector<double> a(n * n), b(n);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = ridge[i];
  std::size_t turn = 0, since = 0;
  for (const Row& row : rows) {
    for (double& v : a) v *= forgetting;
    for (double& v : b) v *= forgetting;
    const double v = row.scale * row.scale;
    for (std::size_t i = 0; i < n; ++i) {
      b[i] += v * row.x[i] * row.y;
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] += v * row.x[i] * row.x[j];
    }
    if (forgetting < 1 && ++since % 4 == 0) {
      a[turn * n + turn] += ridge[turn] * (1 - forgetting) * static_cast<double>(4 * n);
      turn = (turn + 1) % n;
    }
  }
  return reference::solve(a, b);
}

// Newcomers were always 0, leavers never there: the two coefficients behind the experts' stay.
TEST(RidgeRegression, ChangesWithTheExperts) {
  constexpr std::size_t kNew = ExpertChange::kNew;
  const std::vector<std::vector<std::size_t>> changes = {
      {0, 1, 2, 3, kNew}, {0, 2, 3}, {3}, {1, 2, kNew, kNew}, {kNew}, {0, 1, 2, 3}};
  for (const auto& from : changes) {
    Random random(from.size());
    const std::vector<double> ridge(6, 0.7);
    const std::vector<Row> rows = rows_of(40, ridge.size(), random);
    std::vector<Row> changed = rows;
    for (Row& row : changed) {
      std::vector<double> x;
      for (const std::size_t k : from) x.push_back(k == kNew ? 0 : row.x[k]);
      x.insert(x.end(), {row.x[4], row.x[5]});
      row.x = x;
    }
    RidgeRegression regression(ridge, 1);
    for (const Row& row : rows) regression.learn(row.x, row.y, row.scale);
    RidgeRegression after = regression.after(ExpertChange(4, from));
    const std::vector<double> same_ridge(from.size() + 2, 0.7);
    const auto expected = from_scratch(changed, same_ridge, 1);
    ASSERT_EQ(after.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(after.coefficients()[i], expected[i], 1e-10);
    }
    // And it goes on.
    const Row& more = changed.front();
    after.learn(more.x, more.y, more.scale);
    changed.push_back(more);
    const auto later = from_scratch(changed, same_ridge, 1);
    for (std::size_t i = 0; i < later.size(); ++i) {
      EXPECT_NEAR(after.coefficients()[i], later[i], 1e-10);
    }
  }
}

TEST(RidgeRegression, SolvesTheNormalEquations) {
  for (const std::size_t size : {1u, 2u, 5u, 12u}) {
    for (const double forgetting : {1.0, 0.99, 0.8}) {
      Random random(size);
      std::vector<double> ridge;
      for (std::size_t i = 0; i < size; ++i) ridge.push_back(random.uniform(0.1, 10));
      const auto rows = rows_of(60, size, random);
      RidgeRegression regression(ridge, forgetting);
      for (std::size_t t = 0; t < rows.size(); ++t) {
        regression.learn(rows[t].x, rows[t].y, rows[t].scale);
        const auto expected =
            from_scratch(std::vector<Row>(rows.data(), rows.data() + t + 1), ridge, forgetting);
        for (std::size_t i = 0; i < size; ++i) {
          ASSERT_NEAR(regression.coefficients()[i], expected[i], 1e-9)
              << size << " coefficients, forgetting " << forgetting << ", round " << t;
        }
      }
    }
  }
}

// Two columns that are the same share what one would get, however long.
TEST(RidgeRegression, SurvivesDuplicatesForAMillionRounds) {
  Random random(3);
  RidgeRegression regression(std::vector<double>(3, 0.1), 0.99);
  double square = 0;
  for (int t = 0; t < 1000000; ++t) {
    const double u = random.uniform(-1, 1), v = random.uniform(-1, 1);
    const std::vector<double> x = {u, u, v};
    const double y = 0.8 * u - 0.5 * v;
    if (t >= 999000) square += std::pow(regression.predict(x) - y, 2) / 1000;
    regression.learn(x, y, 1);
  }
  EXPECT_LT(std::sqrt(square), 0.01);
  EXPECT_NEAR(regression.coefficients()[0], regression.coefficients()[1], 0.05);
}

// A column that says nothing for long is not thrown anywhere by the first value it brings.
TEST(RidgeRegression, KeepsItsRidgeWhereNothingMoves) {
  Random random(4);
  RidgeRegression regression(std::vector<double>(2, 1.0), 0.98);
  for (int t = 0; t < 100000; ++t) {
    const double u = random.uniform(-1, 1);
    regression.learn(std::vector<double>{u, 0.0}, u, 1);
  }
  regression.learn(std::vector<double>{0.0, 1.0}, 1.0, 1);
  EXPECT_GT(regression.coefficients()[1], 0.2);
  EXPECT_LT(regression.coefficients()[1], 0.8) << "the ridge is about 1, so about half";
}

TEST(RidgeRegression, HasFewerRowsThanCoefficients) {
  RidgeRegression regression(std::vector<double>(40, 1.0), 1);
  Random random(5);
  const auto rows = rows_of(3, 40, random);
  for (const Row& row : rows) regression.learn(row.x, row.y, row.scale);
  for (const double c : regression.coefficients()) EXPECT_LT(std::abs(c), 1);
}

}  // namespace
}  // namespace pcgs::blend
