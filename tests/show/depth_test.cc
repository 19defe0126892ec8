// A run in depth says in curves what the comparison and the oracle say in numbers.
#include "show/depth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "pcgs/oracle.h"
#include "research/suite.h"

namespace pcgs::report {
namespace {

constexpr double kClose = 1e-9;

struct Example {
  explicit Example(std::vector<std::string> methods, std::uint64_t seed = 3) {
    problem.origin = "example";
    problem.values = suite::generate("switch", 300, 6, seed).losses;
    for (int k = 0; k < 6; ++k) problem.experts.push_back("e" + std::to_string(k));
    play(std::move(methods), {3, 12});
  }
  void play(std::vector<std::string> methods, std::vector<std::size_t> switches) {
    DepthObserver observer;
    compare::ComparisonOptions options;
    options.methods = std::move(methods);
    options.switches = std::move(switches);
    options.stretches = stretches_for(options.methods.size());
    options.observers = {&observer};
    comparison = compare::play_methods(problem, options);
    seen = observer.take();
  }
  RunDepth depth() const { return seen; }
  Problem problem;
  Comparison comparison;
  RunDepth seen;
};

TEST(Depth, EndsWithTheNumbersOfTheComparison) {
  const Example example({"fixed-share", "pcgs-tf", "guard", "ml-poly", "hedge*"});
  const RunDepth run = example.depth();
  EXPECT_EQ(run.switches, 12U);
  ASSERT_EQ(run.methods.size(), 5U);
  for (std::size_t m = 0; m < 5; ++m) {
    const MethodDepth& method = run.methods[m];
    const auto& compared = example.comparison.methods[m];
    SCOPED_TRACE(method.name);
    EXPECT_EQ(method.name, compared.name);
    EXPECT_NEAR(method.total_loss, compared.total_loss, kClose);
    EXPECT_NEAR(method.regret.y.back(), compared.regret[1], kClose);
    EXPECT_EQ(method.regret.x.back(), 300);
    const auto& blocks = method.block_losses;
    EXPECT_EQ(blocks.size(), kBlocks);
    EXPECT_NEAR(std::accumulate(blocks.begin(), blocks.end(), 0.0), method.total_loss, kClose);
    ASSERT_EQ(method.weights.size(), method.weight_rounds.size());
    for (const auto& row : method.weights) {
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, kClose);
    }
    if (m == 3) {
      EXPECT_TRUE(method.bound.y.empty());
    } else if (m < 3) {
      EXPECT_NEAR(method.bound.y.back(), compared.certificate->bound, 1e-6);
      EXPECT_NEAR(method.certified_regret.y.back(), compared.certificate->regret, 1e-6);
      EXPECT_EQ(method.weighted, compared.weighted_certificate);
      for (std::size_t i = 0; i < method.bound.y.size(); ++i) {
        EXPECT_LE(method.certified_regret.y[i], method.bound.y[i] + kClose);
      }
    }
  }
}

TEST(Depth, KeepsOfEachStretchTheFirstWeightsAndTheFarthestFromThem) {
  constexpr std::size_t kStretches = 20, kLength = 15;
  const Example example({"fixed-share"});
  DepthObserver observer;
  compare::ComparisonOptions options;
  options.methods = {"fixed-share"};
  options.observers = {&observer};
  options.stretches = kStretches;
  options.switches = {12};
  options.keep_weights = true;
  const Matrix played = compare::play_methods(example.problem, options).methods.back().weights;
  std::vector<double> rounds;
  for (std::size_t first = 0; first < kStretches * kLength; first += kLength) {
    std::size_t farthest = first;
    double most = 0;
    for (std::size_t t = first; t < first + kLength; ++t) {
      double distance = 0;
      for (std::size_t k = 0; k < 6; ++k) {
        distance += std::abs(played.row(t)[k] - played.row(first)[k]);
      }
      if (distance > most) farthest = t;
      most = std::max(most, distance);
    }
    rounds.push_back(static_cast<double>(first + 1));
    if (farthest != first) rounds.push_back(static_cast<double>(farthest + 1));
  }
  if (rounds.back() < 300) rounds.push_back(300);
  EXPECT_EQ(observer.take().methods[0].weight_rounds, rounds);
}

TEST(Depth, ShowsThePathOfTheOracle) {
  const Example example({"hedge"});
  const RunDepth run = example.depth();
  const auto path = switching_path(example.problem.values, 12).experts;
  ASSERT_FALSE(run.path.empty());
  double next = 1;
  for (const auto& stay : run.path) {
    EXPECT_EQ(stay.from, next);
    for (double t = stay.from; t <= stay.to; ++t) {
      EXPECT_EQ(path[static_cast<std::size_t>(t) - 1], stay.expert);
    }
    next = stay.to + 1;
  }
  EXPECT_EQ(next, 301);
}

TEST(Depth, ControlsAreThoseOfTheShareForm) {
  const Example example({"fixed-share{eta=3,rho=0.02}", "adahedge"});
  const RunDepth run = example.depth();
  for (const double rho : run.methods[0].rho.y) EXPECT_EQ(rho, 0.02);
  for (const double eta : run.methods[0].eta.y) EXPECT_EQ(eta, 3);
  for (const double q : run.methods[0].q_on_next.y) EXPECT_NEAR(q, 1.0 / 6, kClose);
  for (const double nats : run.methods[0].q_entropy.y) EXPECT_NEAR(nats, std::log(6), kClose);
  EXPECT_TRUE(run.methods[1].rho.y.empty());
}

TEST(Depth, OneRoundIsARun) {
  Example example({"hedge"});
  example.problem.values = Matrix(1, 6);
  example.play({"hedge", "guard"}, {0});
  const RunDepth run = example.depth();
  EXPECT_EQ(run.path.size(), 1U);
  EXPECT_EQ(run.methods[1].regret.y.size(), 1U);
}

TEST(Depth, SleepersHaveNoPartInThePath) {
  Example example({"hedge"});
  example.problem.values.row(0)[0] = std::nan("");
  for (std::size_t t = 0; t < 300; ++t)
    example.problem.values.row(t)[2] = t < 150 ? std::nan("") : 0.0;
  example.problem.outcomes.assign(300, 0);
  example.problem.task = TaskLoss("absolute");
  example.play({"fixed-share"}, {12});
  const RunDepth run = example.depth();
  for (const auto& stay : run.path) EXPECT_TRUE(stay.expert != 2 || stay.from > 150);
  EXPECT_EQ(run.path.back().expert, 2U);
}

}  // namespace
}  // namespace pcgs::report
