// The adjoint of the share recursion against automatic differentiation, finite differences, and the
// recursion that the library plays.
#include "share_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "pcgs/share.h"
#include "support/random.h"

namespace pcgs::train {
namespace {

struct Problem {
  torch::Tensor losses, eta, rho, q;  // [B,T,K], [B,T], [B,T], [B,T,K]
  torch::Tensor errors = {};          // [B,T,K] where the error of the combination is paid
};

torch::Tensor share_loss_of(const Problem& p) {
  return share_loss(p.losses, p.eta, p.rho, p.q, p.errors);
}

struct Sizes {
  std::int64_t rounds, experts;
};
constexpr Sizes kSizes[] = {{1, 3}, {2, 1}, {2, 2}, {7, 3}, {12, 2}, {40, 9}, {25, 33}};

constexpr double kFloor = 0.01;  // the share of q that is uniform

// Rates in [low,high), every factor equally likely. Where `at_floor`, q is all on one expert but
// for its uniform part.
Problem random_problem(const Sizes& n, double low_eta, double high_eta, double low_rho,
                       double high_rho, bool at_floor, std::uint64_t seed) {
  constexpr std::int64_t kBatch = 3;
  test::Random random(seed);
  Problem p = {torch::empty({kBatch, n.rounds, n.experts}, torch::kDouble),
               torch::empty({kBatch, n.rounds}, torch::kDouble),
               torch::empty({kBatch, n.rounds}, torch::kDouble),
               torch::empty({kBatch, n.rounds, n.experts}, torch::kDouble)};
  const auto experts = static_cast<std::size_t>(n.experts);
  for (std::int64_t i = 0; i < kBatch * n.rounds; ++i) {
    p.eta.data_ptr<double>()[i] = random.log_uniform(low_eta, high_eta);
    p.rho.data_ptr<double>()[i] = random.log_uniform(low_rho, high_rho);
    std::vector<double> q = random.simplex(experts);
    if (at_floor) {
      std::fill(q.begin(), q.end(), 0.0);
      q[random.below(experts)] = 1;
    }
    for (std::size_t k = 0; k < experts; ++k) {
      const std::size_t at = static_cast<std::size_t>(i) * experts + k;
      p.losses.data_ptr<double>()[at] = random.uniform();
      p.q.data_ptr<double>()[at] = (1 - kFloor) * q[k] + kFloor / static_cast<double>(experts);
    }
  }
  return p;
}

struct Case {
  const char* name;
  double low_eta, high_eta, low_rho, high_rho;
  bool at_floor;
};
constexpr Case kCases[] = {{"typical", 0.1, 10, 1e-3, 0.4, false},
                           {"large eta", 100, 200, 1e-3, 0.4, false},
                           {"tiny rho", 0.5, 20, 1e-12, 1e-9, false},
                           {"q at its floor", 0.5, 20, 1e-4, 0.5, true},
                           {"all of them", 150, 200, 1e-12, 1e-9, true}};

// Either what is paid is the mixture loss, or the squared error of a combination of errors of both
// signs, which are no function of the losses.
void pay_errors(Problem& p, std::uint64_t seed) {
  test::Random random(seed);
  p.errors = torch::empty_like(p.losses);
  for (std::int64_t i = 0; i < p.errors.numel(); ++i) {
    p.errors.data_ptr<double>()[i] = random.uniform(-1.5, 1.5);
  }
}

// The recursion as it is written down, round by round, for automatic differentiation.
torch::Tensor unrolled(const Problem& p) {
  const auto rounds = p.losses.size(1), experts = p.losses.size(2);
  auto w =
      torch::full({p.losses.size(0), experts}, 1.0 / static_cast<double>(experts), torch::kDouble);
  auto total = torch::zeros({p.losses.size(0)}, torch::kDouble);
  for (std::int64_t t = 0; t < rounds; ++t) {
    const auto l = p.losses.select(1, t);
    const auto eta = p.eta.select(1, t).unsqueeze(1), rho = p.rho.select(1, t).unsqueeze(1);
    total =
        total + (p.errors.defined() ? (w * p.errors.select(1, t)).sum(1).pow(2) : (w * l).sum(1));
    const auto raw = w * torch::exp(-eta * (l - std::get<0>(l.min(1, true))));
    w = (1 - rho) * raw / raw.sum(1, true) + rho * p.q.select(1, t);
  }
  return total;
}

std::vector<torch::Tensor> gradients(const torch::Tensor& total, const Problem& p,
                                     const torch::Tensor& upstream) {
  if (!total.requires_grad()) return std::vector<torch::Tensor>(3);  // one round: no control counts
  return torch::autograd::grad({total}, {p.eta, p.rho, p.q}, {upstream}, {}, false, true);
}

void require_gradients(Problem& p) {
  for (auto* x : {&p.eta, &p.rho, &p.q}) x->requires_grad_();
}

// In units of the larger of 1 and the largest entry: rounding errors come in those.
double distance(const torch::Tensor& a, const torch::Tensor& b) {
  const double size = std::max(1.0, b.abs().max().item<double>());
  return (a - b).abs().max().item<double>() / size;
}

class SharePays : public testing::TestWithParam<bool> {
 protected:
  static Problem problem(const Case& c, const Sizes& n, std::uint64_t seed) {
    Problem p = random_problem(n, c.low_eta, c.high_eta, c.low_rho, c.high_rho, c.at_floor, seed);
    if (GetParam()) pay_errors(p, seed + 1000);
    return p;
  }
};

INSTANTIATE_TEST_SUITE_P(Both, SharePays, testing::Bool(), [](const auto& errors) {
  return errors.param ? "ErrorsOfTheCombination" : "MixtureLosses";
});

TEST_P(SharePays, GradientEqualsAutomaticDifferentiationOfTheUnrolledRecursion) {
  std::uint64_t seed = 1;
  for (const Case& c : kCases) {
    for (const Sizes& n : kSizes) {
      SCOPED_TRACE(testing::Message() << c.name << ", T " << n.rounds << ", K " << n.experts);
      Problem p = problem(c, n, seed++);
      require_gradients(p);
      const auto upstream = torch::tensor({1.0, -0.5, 2.0}, torch::kDouble);
      const auto total = share_loss_of(p), expected = unrolled(p);
      EXPECT_LT(distance(total, expected), 1e-12);
      const auto found = gradients(total, p, upstream);
      const auto wanted = gradients(expected, p, upstream);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto want = wanted[i].defined() ? wanted[i] : torch::zeros_like(found[i]);
        EXPECT_LT(distance(found[i], want), 5e-12) << "of input " << i;
      }
    }
  }
}

TEST_P(SharePays, GradientEqualsFiniteDifferences) {
  std::uint64_t seed = 100;
  for (const Case& c : kCases) {
    for (const Sizes& n : {Sizes{2, 2}, Sizes{5, 3}, Sizes{9, 6}}) {
      SCOPED_TRACE(testing::Message() << c.name << ", T " << n.rounds << ", K " << n.experts);
      Problem p = problem(c, n, seed++);
      require_gradients(p);
      const auto found =
          gradients(share_loss_of(p), p, torch::ones({p.losses.size(0)}, torch::kDouble));
      torch::NoGradGuard no_gradients;
      const torch::Tensor inputs[] = {p.eta, p.rho, p.q};
      for (std::size_t i = 0; i < 3; ++i) {
        double* x = inputs[i].data_ptr<double>();
        const double* gradient = found[i].data_ptr<double>();
        const double largest = found[i].abs().max().item<double>();
        for (std::int64_t j = 0; j < inputs[i].numel(); ++j) {
          const double kept = x[j];
          const auto at = [&](double step) {
            x[j] = kept + step;
            const double sum = share_loss_of(p).sum().item<double>();
            x[j] = kept;
            return sum;
          };
          // Five points, so that the step may be large enough for rounding not to matter. A step
          // below the size of the number itself: a restart of 1e-12 bends the loss within 1e-12.
          const double h = 3e-4 * kept;
          const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
          // What rounding alone makes of the difference of totals of size T.
          const double rounding = 4e-16 * static_cast<double>(n.rounds) / h;
          EXPECT_NEAR(gradient[j], slope, 1e-6 * std::max(largest, 1e-3) + rounding)
              << "of input " << i << ", entry " << j;
        }
      }
    }
  }
}

TEST_P(SharePays, WhatTheLibrarysRecursionPays) {
  std::uint64_t seed = 200;
  for (const Case& c : kCases) {
    for (const Sizes& n : kSizes) {
      const Problem p = problem(c, n, seed++);
      const auto found = share_loss_of(p);
      const auto experts = static_cast<std::size_t>(n.experts);
      for (std::int64_t b = 0; b < p.losses.size(0); ++b) {
        Share share(experts);
        double total = 0;
        for (std::int64_t t = 0; t < n.rounds; ++t) {
          const auto at = static_cast<std::size_t>(b * n.rounds + t);
          const std::span<const double> l(p.losses.data_ptr<double>() + at * experts, experts);
          const std::span<const double> q(p.q.data_ptr<double>() + at * experts, experts);
          const double* x = (GetParam() ? p.errors : p.losses).data_ptr<double>() + at * experts;
          const double sum = std::inner_product(x, x + experts, share.weights().begin(), 0.0);
          total += GetParam() ? sum * sum : sum;
          share.step(l, {p.eta.data_ptr<double>()[at], p.rho.data_ptr<double>()[at], q});
        }
        EXPECT_NEAR(found[b].item<double>(), total, 1e-12 * std::max(1.0, total))
            << c.name << ", T " << n.rounds << ", K " << n.experts;
      }
    }
  }
}

TEST(ShareLoss, GradientStaysFiniteWhereWeightsLeaveTheRangeOfADouble) {
  // Without restarts, and with losses that never agree, all weights but one vanish.
  Problem p = random_problem({30, 4}, 200, 201, 0.1, 0.2, false, 300);
  p.losses.zero_();
  p.losses.slice(2, 1).fill_(1);
  p.rho.zero_();
  require_gradients(p);
  for (const auto& g :
       gradients(share_loss_of(p), p, torch::ones({p.losses.size(0)}, torch::kDouble))) {
    EXPECT_TRUE(torch::isfinite(g).all().item<bool>());
  }
}

TEST_P(SharePays, TheLastControlsHaveNoEffect) {
  Problem p = problem({"typical", 0.5, 5, 0.01, 0.3, false}, {6, 5}, 400);
  require_gradients(p);
  for (const auto& g :
       gradients(share_loss_of(p), p, torch::ones({p.losses.size(0)}, torch::kDouble))) {
    EXPECT_EQ(g.select(1, 5).abs().max().item<double>(), 0);
    EXPECT_GT(g.select(1, 4).abs().max().item<double>(), 0);
  }
}

}  // namespace
}  // namespace pcgs::train
