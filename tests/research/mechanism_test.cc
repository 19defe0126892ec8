#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "pcgs/trace.h"
#include "research/study.h"
#include "support/expect.h"

namespace pcgs::studies {
namespace {

using results::Mechanism;

// Expert `winner(t)` loses nothing, all others lose 1.
template <class Winner>
Matrix clear_cut(std::size_t rounds, std::size_t experts, const Winner& winner) {
  Matrix losses(rounds, experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    for (std::size_t k = 0; k < experts; ++k) losses.row(t)[k] = k == winner(t) ? 0 : 1;
  }
  return losses;
}

double mean(const std::vector<double>& x) {
  if (x.empty()) return 0;
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double covariance(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> products;
  for (std::size_t i = 0; i < x.size(); ++i)
    products.push_back((x[i] - mean(x)) * (y[i] - mean(y)));
  return mean(products);
}

TEST(Mechanism, OfFixedShareIsConstantAndUniform) {
  const Matrix losses = clear_cut(60, 4, [](std::size_t t) { return t / 20; });
  const Mechanism found = examine("fixed-share{eta=4,rho=0.02}", losses, 12);
  EXPECT_EQ(found.switches, 2u);
  EXPECT_NEAR(found.rho_after_switch, 0.02, 1e-15);
  EXPECT_NEAR(found.rho_elsewhere, 0.02, 1e-15);
  EXPECT_NEAR(found.q_on_next, 0.25, 1e-15);
  EXPECT_NEAR(found.q_entropy, std::log(4.0), 1e-14);
  EXPECT_EQ(found.rho_volatility, 0);
  EXPECT_NEAR(found.effective_complexity, 2 * std::log(4.0), 1e-14);
  EXPECT_NEAR(found.uniform_complexity, 2 * std::log(4.0), 1e-14);
}

TEST(Mechanism, OfHedgeNeverRestarts) {
  const Matrix losses = clear_cut(40, 3, [](std::size_t t) { return t / 10 % 3; });
  const Mechanism found = examine("hedge", losses, 12);
  EXPECT_EQ(found.switches, 3u);
  EXPECT_EQ(found.rho_after_switch, 0);
  EXPECT_EQ(found.rho_elsewhere, 0);
  EXPECT_EQ(found.rho_volatility, 0);
  EXPECT_NEAR(found.uniform_complexity, 3 * std::log(3.0), 1e-14);
}

TEST(Mechanism, MeansOverNoRoundsAreZero) {
  for (const auto& [rounds, experts] :
       {std::pair<std::size_t, std::size_t>{30, 3}, {1, 3}, {30, 1}}) {
    const Mechanism found =
        examine("genshare", clear_cut(rounds, experts, [](std::size_t) { return 0u; }), 5);
    EXPECT_EQ(found.switches, 0u);
    EXPECT_EQ(found.rho_after_switch, 0);
    EXPECT_GT(found.rho_elsewhere, 0);
    EXPECT_EQ(found.q_on_next, 0);
    EXPECT_EQ(found.effective_complexity, 0);
    EXPECT_EQ(found.uniform_complexity, 0);
    if (experts == 1) {
      EXPECT_NEAR(found.q_entropy, 0, 1e-15);
    }
  }
}

// Every definition of the header read again, from a trace and the oracle's path.
TEST(Mechanism, MatchesANaiveRecomputation) {
  struct Problem {
    const char* method;
    const char* family;
    std::size_t switches;
  };
  for (const Problem& problem : std::vector<Problem>{{"genshare", "switch", 12},
                                                     {"genshare", "drift", 40},
                                                     {"genshare", "adversarial", 3},
                                                     {"past-posteriors", "predictive", 12}}) {
    SCOPED_TRACE(problem.family);
    const Matrix losses = suite::generate(problem.family, 400, 7, 31).losses;
    Trace trace;
    Aggregator aggregator = make_aggregator(problem.method, 7);
    aggregator.trace(&trace);
    for (std::size_t t = 0; t < 400; ++t) aggregator.learn(losses.row(t));
    const auto path = switching_path(losses, problem.switches).experts;

    std::vector<std::size_t> switch_rounds;
    for (std::size_t t = 0; t + 1 < 400; ++t) {
      if (path[t + 1] != path[t]) switch_rounds.push_back(t);
    }
    std::vector<double> after, elsewhere, on_next, entropies, rho, volatility;
    double complexity = 0;
    for (std::size_t t = 0; t < 400; ++t) {
      const Trace::Row& row = trace.rows()[t];
      bool follows = false;
      for (const std::size_t s : switch_rounds) follows = follows || (t > s && t <= s + 5);
      (follows ? after : elsewhere).push_back(row.rho);
      double entropy = 0;
      for (const double q : row.q) entropy -= q * std::log(q);
      entropies.push_back(entropy);
      if (t < 9) continue;
      std::vector<double> recent;
      for (std::size_t s = t - 9; s <= t; ++s) recent.push_back(trace.rows()[s].learner_loss);
      rho.push_back(row.rho);
      volatility.push_back(std::sqrt(covariance(recent, recent)));
    }
    for (const std::size_t s : switch_rounds) {
      on_next.push_back(trace.rows()[s].q[path[s + 1]]);
      complexity -= std::log(on_next.back());
    }
    const double spread = std::sqrt(covariance(rho, rho) * covariance(volatility, volatility));

    const Mechanism found = examine(problem.method, losses, problem.switches);
    ASSERT_GT(switch_rounds.size(), 2u);
    EXPECT_EQ(found.switches, switch_rounds.size());
    EXPECT_NEAR(found.rho_after_switch, mean(after), 1e-12);
    EXPECT_NEAR(found.rho_elsewhere, mean(elsewhere), 1e-12);
    EXPECT_NEAR(found.q_on_next, mean(on_next), 1e-12);
    EXPECT_NEAR(found.q_entropy, mean(entropies), 1e-10);
    EXPECT_NEAR(found.effective_complexity, complexity, 1e-10);
    EXPECT_NEAR(found.uniform_complexity, static_cast<double>(switch_rounds.size()) * std::log(7.0),
                1e-12);
    // past-posteriors restarts at a constant rate, and a constant correlates with nothing.
    const bool constant = problem.method == std::string("past-posteriors");
    EXPECT_NEAR(found.rho_volatility, constant ? 0 : covariance(rho, volatility) / spread, 1e-9);
  }
}

TEST(Mechanism, CountsSwitchesThatOverlap) {
  // Switches every three rounds: all rounds but the first three follow one within five rounds.
  const Matrix losses = clear_cut(31, 3, [](std::size_t t) { return t / 3 % 3; });
  const Mechanism found = examine("genshare", losses, 100);
  Trace trace;
  Aggregator aggregator = make_aggregator("genshare", 3);
  aggregator.trace(&trace);
  for (std::size_t t = 0; t < 31; ++t) aggregator.learn(losses.row(t));
  std::vector<double> first, rest;
  for (std::size_t t = 0; t < 31; ++t) (t < 3 ? first : rest).push_back(trace.rows()[t].rho);
  EXPECT_EQ(found.switches, 10u);
  EXPECT_NEAR(found.rho_elsewhere, mean(first), 1e-12);
  EXPECT_NEAR(found.rho_after_switch, mean(rest), 1e-12);
}

TEST(Mechanism, RefusesMethodsThatAreNotOfTheShareForm) {
  const Matrix losses = clear_cut(10, 3, [](std::size_t) { return 0u; });
  for (const char* method : {"squint", "adahedge", "boa"}) {
    const auto message = test::error_of([&] { examine(method, losses, 3); });
    EXPECT_TRUE(test::mentions(message, method));
    EXPECT_TRUE(test::mentions(message, "share"));
  }
}

}  // namespace
}  // namespace pcgs::studies
