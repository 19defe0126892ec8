// Distributions given by quantiles, and weights of their levels.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pcgs::reference {

// Distributions given by quantiles, by the letter of their definitions: every integral and every inverse
// on a grid or by bisection over the whole line.
// 0 before the first quantile, linear between them, 1 from the last one on.
double level_distribution(std::span<const double> taus, std::span<const double> quantiles,
                          double x);

// The integral of (F(x) - [x >= y])^2, by the midpoints of so many cells between the least and the
// greatest number of interest.
double level_crps(std::span<const double> taus, std::span<const double> quantiles, double outcome,
                  int cells);

// The mixed distribution function at x; [K x P] quantiles.
double pooled(std::span<const double> taus, std::span<const double> quantiles,
              std::span<const double> weights, double x);
double substituted(std::span<const double> taus, std::span<const double> quantiles,
                   std::span<const double> weights, double x);

// Its CRPS where quantiles and outcome are in [0,1], by midpoints between all places where it bends.
using Mixed = double (*)(std::span<const double> taus, std::span<const double> quantiles,
                         std::span<const double> weights, double x);
double mixed_crps(std::span<const double> taus, std::span<const double> quantiles,
                  std::span<const double> weights, double outcome, Mixed mixed);

// The weighted interval score: for each central interval its width and how far the outcome is beyond it,
// and the distance from the median. Levels are symmetric and have a median.
double weighted_interval_score(std::span<const double> taus, std::span<const double> quantiles,
                               double outcome);

// Weights for each level by itself, as the R package profoc learns them (Berrisch and Ziel 2023, Journal
// of Econometrics 237): the slow, obvious form, for one series and experts that are always there.
//
// With g the derivative of the pinball loss of level tau at the combination p, an expert x has the regret
// r = g (p - x); for each level apart
//
//     ewa      w ~ exp(gamma R)                R = sum of r
//     ml_poly  w ~ eta max(R, 0)               eta = 1 / sum of r^2
//     bewa     w ~ exp(eta R')                 eta = min(1 / (2E), sqrt(ln K / V)),  V = sum of r^2,
//     boa      w ~ eta exp(eta R')             E = greatest |r|,  R' = sum of (r - eta r^2)/2, and E more
//                                              in rounds with eta r > 1/2
//
// Quantiles that cross are sorted. With a bandwidth b above 0 levels do not learn apart: the regret of a
// level is the mean over all, weighted with exp(-d^2 / 2) where they are d bandwidths away. (profoc has
// several smoothings; this is not one that its tests have a number for.)

class LevelWeights {
 public:
  LevelWeights(std::string method, std::vector<double> taus, std::size_t experts, double gamma = 1,
               double bandwidth = 0);

  // [P] from [K x P]
  std::vector<double> combined(std::span<const double> quantiles) const;
  void learn(std::span<const double> quantiles, double outcome);

 private:
  // [P][K] of one round
  std::vector<std::vector<double>> regrets_of(std::span<const double> quantiles,
                                              double outcome) const;

  std::string method_;
  std::vector<double> taus_;
  std::size_t experts_;
  double gamma_, bandwidth_;
  std::vector<std::vector<double>> weights_, regret_, squares_, greatest_;  // [P][K]
};

// What R's rnorm(n) gives after set.seed(seed), with its usual generators: the Mersenne Twister and
// inversion.
std::vector<double> normals_of_r(std::size_t n, unsigned seed);

}  // namespace pcgs::reference
