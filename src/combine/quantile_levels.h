// A forecast that is a distribution, given by its quantiles x_1 <= ... <= x_P at levels
// 0 < tau_1 < ... < tau_P < 1.
//
// Where a whole distribution is asked for, it is the one that claims nothing beyond its own numbers:
// linear between neighbours, tau_1 at x_1 and 1 - tau_P at x_P as lumps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pcgs::levels {

class Levels {
 public:
  // Throws Error unless they rise strictly, inside (0,1), and there is at least one.
  explicit Levels(std::vector<double> taus);

  std::size_t size() const { return taus_.size(); }
  double operator[](std::size_t i) const { return taus_[i]; }
  std::span<const double> values() const { return taus_; }
  // tau_i + tau_{P+1-i} = 1 for all i: pairs are central intervals.
  bool symmetric() const { return symmetric_; }

  bool operator==(const Levels&) const = default;

 private:
  std::vector<double> taus_;
  bool symmetric_ = true;
};

// How many neighbours are in the wrong order.
std::size_t crossings(std::span<const double> quantiles);

// Puts them in order, which never raises the sum of their pinball losses: where two neighbours have
// crossed, exchanging them moves each towards the level it belongs to.
void uncross(std::span<double> quantiles);

// What a distribution costs when y happens. All are proper: nobody expects to gain by saying anything
// but what he believes.

// Twice the mean pinball loss over the levels. With central intervals and the median it is the
// weighted interval score (Bracher et al. 2021, PLOS Computational Biology 17(2)).
double level_score(const Levels& levels, std::span<const double> quantiles, double outcome);

// The same number in three parts: intervals that are wide, intervals above what happened, intervals
// below it. The median belongs to the side on which it errs.
struct ScoreParts {
  double width = 0, above = 0, below = 0;
};
// Levels must be symmetric; quantiles in order.
ScoreParts score_parts(const Levels& levels, std::span<const double> quantiles, double outcome);

}  // namespace pcgs::levels
