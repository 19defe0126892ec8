// A run in depth says in curves what the comparison and the oracle say in numbers.
#include "show/depth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pcgs/oracle.h"
#include "research/suite.h"
#include "show/run_page.h"

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
    seen = observer.take(problem);
  }
  RunDepth depth() const { return seen; }
  Problem problem;
  Comparison comparison;
  RunDepth seen;
};

TEST(Depth, EndsWithTheRegretOfTheComparison) {
  const Example example({"fixed-share", "hedge*", "guard", "ml-poly"});
  const RunDepth run = example.depth();
  ASSERT_EQ(run.methods.size(), 4U);
  EXPECT_EQ(run.switches, 12U);
  for (std::size_t m = 0; m < 4; ++m) {
    EXPECT_EQ(run.methods[m].name, example.comparison.methods[m].name);
    EXPECT_NEAR(run.methods[m].total_loss, example.comparison.methods[m].total_loss, kClose);
    EXPECT_NEAR(run.methods[m].regret.y.back(), example.comparison.methods[m].regret[1], kClose);
    EXPECT_EQ(run.methods[m].regret.x.back(), 300);
  }
}

TEST(Depth, EndsWithTheCertificatesOfTheComparison) {
  const Example example({"fixed-share", "pcgs-tf", "guard", "ml-poly"});
  const RunDepth run = example.depth();
  for (std::size_t m = 0; m < 3; ++m) {
    const auto& certificate = *example.comparison.methods[m].certificate;
    EXPECT_NEAR(run.methods[m].bound.y.back(), certificate.bound, 1e-6);
    EXPECT_NEAR(run.methods[m].certified_regret.y.back(), certificate.regret, 1e-6);
    EXPECT_EQ(run.methods[m].weighted, example.comparison.methods[m].weighted_certificate);
    for (std::size_t i = 0; i < run.methods[m].bound.y.size(); ++i) {
      EXPECT_LE(run.methods[m].certified_regret.y[i], run.methods[m].bound.y[i] + kClose);
    }
  }
  EXPECT_TRUE(run.methods[3].bound.y.empty());
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

TEST(Depth, BlocksAddUpToTheWhole) {
  const RunDepth run = Example({"hedge"}).depth();
  double sum = 0;
  for (const double loss : run.methods[0].block_losses) sum += loss;
  EXPECT_EQ(run.methods[0].block_losses.size(), kBlocks);
  EXPECT_NEAR(sum, run.methods[0].total_loss, kClose);
}

TEST(Depth, WeightsStayWeights) {
  const RunDepth run = Example({"guard"}).depth();
  ASSERT_EQ(run.methods[0].weights.size(), run.methods[0].weight_rounds.size());
  for (const auto& row : run.methods[0].weights) {
    double sum = 0;
    for (const double w : row) sum += w;
    EXPECT_NEAR(sum, 1, kClose);
  }
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
