// How large errors and losses usually are: the mean over about 500 rounds of the expert that has
// done best, among those that were awake at least half as often as anybody.
//
//     m(k) += ( min(e(k)^2, 100 max(m(k), best)) - m(k) ) / n        n = 1, 2, ..., 500, 500, ...
//     unit  = sqrt( min_k m(k) )
//
// and the same for losses. A wild outcome moves it by a fifth, at most. It is never below a
// thousandth of the spread of the forecasts. Before the first outcome the unit is their spread.
#pragma once

#include <span>
#include <vector>

#include "combine/derived.h"

namespace pcgs::blend {

class Units {
 public:
  explicit Units(std::size_t experts);

  struct Size {
    double error, loss;
  };
  static bool possible(const Size& size);
  // Of the coming round; its spread is the root mean square of the deviations from the mean.
  Size size(const TaskLoss& task, double spread) const;
  // Takes in a round with at least one expert awake.
  void observe(const Seen& seen, double outcome);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::vector<double> squares_, losses_;  // [K] m of each expert; 0 before its first round
  std::vector<double> count_;             // [K] n
  double best_square_ = 0, best_loss_ = 0;
};

}  // namespace pcgs::blend
