// A random smooth function of time: the stationary Gaussian process with Matern-3/2 covariance
//
//     E f(s) f(t) = amplitude^2 (1 + r) exp(-r),   r = sqrt(3) |s - t| / length
//
// observed at whole rounds. It is once differentiable and, with its derivative, Markov:
//
//     x = (f, f')     x_{t+1} = A x_t + N(0, Q)     A = e^-r [[1 + r, 1], [-r^2, 1 - r]]
//
// at r = sqrt(3) / length, which gives exact sampling here and the exact filter in drift.cc.
#pragma once

#include <array>

#include "research/random.h"
#include "research/suite.h"

namespace pcgs::suite {

struct SmoothLaw {
  double amplitude = 0.1;
  double length = 100;  // rounds over which it forgets itself

  struct Step {
    std::array<double, 4> a;  // [2 x 2] A, row by row
    std::array<double, 3> q;  // Q's entries (0,0), (0,1), (1,1)
  };
  Step step() const;
  std::array<double, 2> stationary() const;  // variances of f and f', which are uncorrelated
};

class SmoothPath {
 public:
  SmoothPath(const SmoothLaw& law, Random& random);
  double value() const { return x_[0]; }
  void advance(Random& random);

 private:
  SmoothLaw::Step step_;
  std::array<double, 3> root_;  // Cholesky factor of Q: (0,0), (1,0), (1,1)
  std::array<double, 2> x_;
};

// The family drift: means that are smooth paths.
Sequence make_drift(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                    std::span<const double> parameters);

}  // namespace pcgs::suite
