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
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pcgs::reference {

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
