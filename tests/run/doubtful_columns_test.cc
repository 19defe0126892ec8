#include "run/doubtful_columns.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "run/made_up.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

// Three experts as they should be, of which the second becomes doubtful.
Problem with(std::size_t rounds, double (*column)(std::size_t t, double y)) {
  test::Random random(rounds);
  Problem problem = test::made_up_problem(rounds, 3, "squared", random);
  for (std::size_t t = 0; t < rounds; ++t) {
    problem.values.row(t)[1] = column(t, problem.outcomes[t]);
  }
  return problem;
}

double constant(std::size_t, double) { return 3; }
double counting(std::size_t t, double) { return 17.0 + static_cast<double>(t); }
double the_outcome(std::size_t, double y) { return y; }

TEST(DoubtfulColumns, AreRefusedByNameWithAWayOut) {
  for (const auto& [column, why] : {std::pair{&constant, "same number"},
                                    {&counting, "counts the rows"},
                                    {&the_outcome, "equals the outcome"}}) {
    const Problem problem = with(60, column);
    const auto message = test::error_of([&] { check_columns(problem, "load"); });
    for (const char* part : {"example.csv", "column e2", why, "load", "--ignore", "--experts"}) {
      EXPECT_TRUE(test::mentions(message, part));
    }
  }
}

TEST(DoubtfulColumns, OneRoundThatDiffersRemovesTheDoubt) {
  for (const auto column : {&constant, &counting, &the_outcome}) {
    for (const std::size_t t : {0u, 30u, 59u}) {
      Problem problem = with(60, column);
      problem.values.row(t)[1] += 0.25;
      EXPECT_NO_THROW(check_columns(problem, "y"));
    }
  }
}

TEST(DoubtfulColumns, AFewRoundsAreNoEvidence) {
  for (const auto column : {&constant, &counting, &the_outcome}) {
    EXPECT_NO_THROW(check_columns(with(10, column), "y"));
    // Nor are many rounds in which it hardly ever forecasts.
    Problem problem = with(60, column);
    for (std::size_t t = 10; t < 60; ++t) problem.values.row(t)[1] = test::kAsleep;
    EXPECT_NO_THROW(check_columns(problem, "y"));
  }
}

TEST(DoubtfulColumns, AreDoubtfulWithHolesAndUnknownOutcomesToo) {
  for (const auto column : {&constant, &the_outcome}) {
    Problem problem = with(80, column);
    for (std::size_t t = 0; t < 80; t += 7) problem.values.row(t)[1] = test::kAsleep;
    for (std::size_t t = 3; t < 80; t += 9) {
      problem.outcomes[t] = test::kAsleep;
      if (column == &the_outcome) problem.values.row(t)[1] = 0;
    }
    test::error_of([&] { check_columns(problem, "y"); });
  }
}

TEST(DoubtfulColumns, OrdinaryForecastsAreNone) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    EXPECT_NO_THROW(check_columns(test::made_up_problem(100, 4, "squared", random), "y"));
  }
}

}  // namespace
}  // namespace pcgs::compare
