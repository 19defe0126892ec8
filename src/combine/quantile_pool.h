// One distribution from several: [K x P] quantiles and K weights in, P quantiles out, in order.
//
//     quantile mean   Q(tau) = sum_k w_k Q_k(tau)     averages where they lie: as sharp as they are
//     linear pool     F(x)   = sum_k w_k F_k(x)       averages what is probable: wider where they differ
//     median          Q(tau) = the weighted median of the Q_k(tau): one expert cannot move it far
//
// If everything lies in [a,b], the pool's CRPS is at most the mix loss
// -(1/eta) ln sum_k w_k exp(-eta CRPS_k) for eta <= 1/(2(b-a)) (V'yugin and Trunov 2019, arXiv 1902.10173).
//
// Weights are at least 0 and sum to 1. Experts without weight do not matter and may be NaN; the
// quantiles of all others are finite and in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "combine/quantile_levels.h"

namespace pcgs::levels {

// A distribution function reaches a level if it comes so close: weights sum to 1 up to rounding only,
// and where nobody expects anything, rounding would decide on which side of the gap a quantile lies.
inline constexpr double kReached = 1e-12;

void quantile_mean(std::span<const double> quantiles, std::span<const double> weights,
                   std::span<double> out);

// The least of them whose weight, with that of all below, is half. `order` is room for K numbers.
void quantile_median(std::span<const double> quantiles, std::span<const double> weights,
                     std::span<std::size_t> order, std::span<double> out);

// The linear pool. The experts' points are put in order once for any number of weights. Allocates only when
// it is made.
class Pool {
 public:
  Pool(const Levels& levels, std::size_t experts);

  // An expert whose first quantile is NaN has no distribution and must get no weight; those of all
  // others are in order. The numbers must stay where they are until the next call.
  void arrange(std::span<const double> quantiles);

  // Pools of the same experts with other weights, at most kMostMixtures, are found in one sweep.
  struct Mixture {
    std::span<const double> weights;  // [K]
    std::span<double> out;            // [P]
  };
  static constexpr std::size_t kMostMixtures = 4;
  void linear(std::span<const Mixture> mixtures);
  void linear(std::span<const double> weights, std::span<double> out) {
    linear(std::array{Mixture{weights, out}});
  }

 private:
  struct Point {
    double x;
    std::uint32_t expert, level;
  };
  // What a distribution function does at one of its quantiles: how far it jumps, and by how much its
  // slope changes. Slopes are those in x/2, because the difference of two doubles may be none.
  struct Turn {
    double lump, bend;
  };
  // A distribution function between two points: its value at both, and its slope.
  struct Line {
    double from, to, slope;
  };

  double quantile(std::size_t expert, std::size_t level) const {
    return quantiles_[expert * levels_.size() + level];
  }

  void add_points(std::size_t expert, Point* out);
  bool sort_by_buckets();
  void sort_by_merging();
  // Of all experts' pieces that begin at the last quantiles that were passed.
  Line mixture(std::span<const double> weights, double from, double to) const;

  Levels levels_;
  std::size_t experts_;
  std::span<const double> quantiles_;
  std::vector<double> tops_;    // [P] the levels, and 1 for the last: where pieces begin
  std::vector<double> slopes_;  // [K x P] of the piece that begins at a quantile
  std::vector<Turn> turns_;     // [K x P]
  std::vector<Point> points_;   // [up to K P] in order of x
  std::vector<Point> merged_;   // room for as many
  std::vector<std::uint32_t> buckets_,
      bucket_of_;  // where each part of the range begins; of each point

  std::vector<std::uint32_t> passed_;  // [K] how many quantiles of an expert the sweep has passed
  std::vector<double> mixed_;          // [K x kMostMixtures] weights
};

// Learned weights know best what is in the middle; how wide the tails are is seen by what experts
// disagree about, which a mean of quantiles leaves out. So the pool counts c(tau) = (2 tau - 1)^2, nothing at
// the median, and the mean what is left.
double weight_of_pool(double level);
// [P] a pool, which stays in the tails and becomes the mean in the middle; in order.
void put_into_middle(const Levels& levels, std::span<const double> mean, std::span<double> pool);

}  // namespace pcgs::levels
