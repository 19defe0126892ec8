// What a blend knows of errors: how large they usually are, and those of earlier rounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "combine/blend.h"

namespace pcgs::blend {

// How large errors and losses usually are: the mean over about 500 rounds of the expert that has
// done best, among those that were awake at least half as often as anybody.
//
//     m(k) += ( min(e(k)^2, 100 max(m(k), best)) - m(k) ) / n        n = 1, 2, ..., 500, 500, ...
//     unit  = sqrt( min_k m(k) )
//
// and the same for losses. An outlier moves it by a fifth, at most. It is never below a
// thousandth of the spread of the forecasts. Before the first outcome the unit is their spread.
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

// The errors of somebody's forecasts, by the number of their round, as far back as two seasons.
// Outcomes come late and in any order: what has not come is unknown.
class ErrorMemory {
 public:
  explicit ErrorMemory(const Setting& setting);

  // Two without a season, five with one.
  static std::size_t features(const Setting& setting) { return setting.seasons.empty() ? 2 : 5; }

  void put(std::int64_t number, double error);
  // What is known of them when this round is forecast: the latest and the one before; with a season
  // also the latest of the same phase, the one before that, and the latest of the same phase of the
  // longest season (or two seasons ago). An error that is not known is 0.
  void recall(std::int64_t number, std::span<double> out) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double error_of(std::int64_t number) const;
  std::int64_t latest_of_phase(std::int64_t number, std::size_t season) const;

  std::vector<std::size_t> seasons_;  // none, or the shortest and the longest
  std::vector<std::int64_t> number_;  // [reach] of whom the error is; 0: nobody's
  std::vector<double> error_;         // [reach]
  std::int64_t latest_ = 0;           // the highest number with an error
};

}  // namespace pcgs::blend
