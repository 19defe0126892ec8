// Intervals around combined forecasts: quantiles of earlier errors, times the scale of the coming
// one, at probabilities that are corrected until the outcomes lie inside as often as they should.
//
// For a level with a = 1 - level, D below and D above count the misses on each side so far, less
// a / 2 a round. The next interval leaves out
//
//     a / 2 * exp( -asinh( g (Dl + Du) / a  +-  b g (Dl - Du) / a ) )
//
// below and above: a step of the size g in the probability for every miss, as in adaptive conformal
// inference (Gibbs and Candes, 2021), on the whole run as in the integrator of conformal PID control
// (Angelopoulos, Candes and Tibshirani, 2023). For small D it is a step in the logarithm of the
// probability; far out it grows slowly, for recovery is not faster at a tenth of a tenth. g falls
// from 0.03 as 8 / rounds to 0.002: coverage has to be right within a few hundred rounds, and after
// thousands it is steered by a light hand, which keeps the intervals narrow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "combine/error_quantiles.h"
#include "combine/error_scale.h"
#include "pcgs/intervals.h"
#include "pcgs/state.h"

namespace pcgs {

class Intervals {
 public:
  // What is wrong with the options, as a sentence for the user; empty if nothing is.
  static std::string_view objection_to(const IntervalOptions& options);
  // Throws Error for options that there is an objection to.
  explicit Intervals(IntervalOptions options);

  const IntervalOptions& options() const { return options_; }

  // A round that is open: kept with it, so that what is learned from its outcome, however late, is
  // what was known when it was opened.
  struct Opened {
    ErrorScale::Opened expected;
    std::vector<Interval> around_zero;  // [levels] of the error; empty: nothing is known yet
    void clear() {
      expected = {};
      around_zero.clear();
    }
  };
  // Changes nothing here. Allocates nothing if there is room for all levels.
  void open(std::int64_t number, double disagreement, Opened& out) const;
  // What came was `error` above the forecast.
  void observe(std::int64_t number, const Opened& opened, double error);

  void save(StateWriter& out) const;
  void load(StateReader& in);
  void save(StateWriter& out, const Opened& opened) const;
  void load(StateReader& in, Opened& opened) const;

 private:
  double left_out(std::size_t level, double sign) const;

  IntervalOptions options_;
  ErrorScale scale_;
  ErrorQuantiles quantiles_;
  struct Misses {
    double below = 0, above = 0;  // D
  };
  std::vector<Misses> misses_;  // [levels]
  std::uint64_t rounds_ = 0;    // with an interval
};

}  // namespace pcgs
