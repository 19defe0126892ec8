// Absurd forecasts. Real pools hold numbers 10^3 to 10^30 times too large, for weeks and from the first
// round on, so what is combined is held near to what the models say together and to what the series
// has done before. Nothing here has a unit, so nothing needs to be known of the series beforehand.
//
// **Near to the others**, level by level. With m(q) the median of the models at a level, h the half-width
// of the median model's interval from 5 to 95 % (the larger side) and
//
//     u(q) = max(h, median of |x_k(q) - m(q)|),
//
// a model counts as m(q) +- 2 u(q) where it is further away. Of two models nobody can tell which one is
// absurd, but the series can: the centre is then the one nearer to the anchor a, the middle of what was
// combined last, and u the largest of the half-width h_a of that, of its own and its distance from a.
//
// **Near to the series**, once three of its outcomes are known: all are held within
// a +- 20 max(h_a, mean |y - a|). The mean of what really happened must be there: with h_a alone a
// series that moves by more than its models think would be held where it was for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "combine/quantile_levels.h"
#include "core/kernels.h"
#include "pcgs/state.h"

namespace pcgs::levels {

// What a series remembers for it.
class Anchor {
 public:
  bool is_there() const { return there_; }
  double middle() const { return middle_; }
  double half_width() const { return half_width_; }
  // How far everything is held from the middle; infinite while too little is known.
  double most() const;

  // The median of what was combined in a round.
  void move_to(double middle, double half_width);
  // What happened, in a round in which the anchor was at `middle`.
  void learn(double outcome, double middle);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  bool there_ = false;
  double middle_ = 0, half_width_ = 0;
  double distance_ = 0;  // mean |y - a|
  std::uint64_t outcomes_ = 0;
};

// Finds where models are held, and holds them there. Allocates only when it is made.
class Clipping {
 public:
  Clipping(const Levels& levels, std::size_t experts);

  // [K x P] complete distributions, NaN for those that are missing, of at least one model. Puts those
  // of the models within the bounds into `clipped` and moves the anchor to their median.
  void clip(std::span<const double> forecasts, std::span<const std::uint8_t> awake, Anchor& anchor,
            std::span<double> clipped);

  // Of the last round: the row of one model as it is, but for what the series allows.
  void release(std::span<const double> forecast, std::span<double> clipped) const;
  // Whether a model was so far outside that it cannot have meant it: ten times as far as is allowed.
  bool is_far(std::span<const double> forecast) const;

 private:
  void gather(std::span<const double> forecasts, std::span<const std::uint8_t> awake);
  double median_of(const double* sorted, std::size_t column) const;
  double median_held(std::size_t level) const;
  void bounds_of_many();
  void bounds_of_two(const Anchor& anchor);

  std::size_t count_, low_, middle_, high_;  // levels, and those next to 5, 50 and 95 %
  std::size_t rows_ = 0;                     // models that are awake
  std::size_t stride_;                       // of columns: levels, two half-widths, padding
  // [K x stride] numbers and their distances from the centre, each column in order by itself.
  AlignedVector sorted_, distances_;
  std::vector<double> centre_, reach_;    // [P] m and 2 u
  std::vector<double> lowest_, highest_;  // [P] where models are held, both in order
  double least_ = 0, most_ = 0;           // what the series allows
};

}  // namespace pcgs::levels
