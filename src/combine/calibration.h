// Intervals that hold the share of outcomes that they say.
//
// Each central pair of levels, which is to miss alpha = 2 min(tau, 1 - tau) of the outcomes, is
// stretched around the median by exp(a). When an outcome comes,
//
//     e = [it was outside the pair that was published] - alpha          a += step e
//
// with step = 0.03 clamp(alpha, 0.2, 0.5) / max(S, 10) for S series. As long as a stays off its bounds,
// the mean of e over n outcomes is (a_n - a_0) / (n step), whatever happens (adaptive conformal
// inference, Gibbs and Candes 2021, arXiv 2106.00170). The step is small because width that follows
// chance costs score, where intervals are right already most of all.
//
// Levels that are not symmetric have no central pairs, and nothing is stretched.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "combine/quantile_levels.h"
#include "pcgs/state.h"

namespace pcgs::levels {

// a stays so near to 0: a twentieth to twenty times as wide. Beyond it stretching is no
// remedy, and the way back would be long.
inline constexpr double kMostLogStretch = 3;

class Calibration {
 public:
  // Without pairs unless levels are symmetric.
  explicit Calibration(const Levels& levels);
  // One that does nothing.
  Calibration() = default;

  bool is_on() const { return !pairs_.empty(); }

  // [P] in order, and so afterwards. Stretching by 1 changes no bit.
  void stretch(std::span<double> quantiles) const;
  // [P] what stretch() left, whenever that was.
  void learn(std::span<const double> published, double outcome, std::size_t series);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Pair {
    double alpha;
    double log_stretch = 0;  // a
  };
  std::vector<Pair> pairs_;  // from the outermost inwards
};

}  // namespace pcgs::levels
