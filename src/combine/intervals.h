// Intervals around combined forecasts, and what they are made of: quantiles of earlier errors, and the scale
// of the coming one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pcgs/intervals.h"
#include "pcgs/state.h"

namespace pcgs {

// Quantiles of the last thousand errors, in units of their scale.
//
// Before the first of them there are twenty of a Laplace law, whose mean size is 1; they are the
// first to leave. Beyond the largest error the tail goes on exponentially.
class ErrorQuantiles {
 public:
  ErrorQuantiles();

  void add(double error);
  // What an error is below with this probability, in (0, 1). One part in eight is the quantile of the
  // errors mirrored at 0: it steadies the tails and leaves errors as skewed as they are.
  double quantile(double probability) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double of_errors(double probability) const;

  std::vector<double>
      arrived_;  // [at most kRemembered] a ring: the oldest is at next_ once it is full
  std::vector<double> sorted_;  // the same numbers
  std::size_t next_ = 0;
};

// How large the error of a forecast will be: its scale, before the outcome is known.
//
//     scale = slow * exp( a x )        x1 = ln( fast / slow )
//                                      x2 = ln( phase )          of its phase of the season
//                                      x3 = ln( d / usual d )    d: how far the experts disagree
//
// slow and fast are means of |error| / phase over about 250 and 16 rounds, phase is a mean of
// |error| / sqrt(slow fast) over the rounds of that phase, drawn towards 1 while they are few. The
// exponents a are learned from ln(scale) + |error| / scale, the log loss of a Laplace law, by Newton
// steps on the diagonal: a feature that says nothing here gets an exponent near 0.
//
// Before the first error the scale is the disagreement itself.
//
// Nothing depends on the units of the data. One outlier counts like one of eight times the usual
// size; a second one in a row is believed.
class ErrorScale {
 public:
  explicit ErrorScale(std::size_t season);

  // What is known when a round is opened, and is learned with when its outcome has come.
  static constexpr std::size_t kFeatures = 3;
  struct Opened {
    double scale = 0;      // 0: nothing is known yet
    bool guessed = false;  // from the disagreement alone: there was no error yet
    double disagreement = 0;
    std::array<double, kFeatures> features{};
  };
  // `disagreement` >= 0; 0: there is none, or nobody to disagree.
  Opened open(std::int64_t number, double disagreement) const;
  void observe(std::int64_t number, const Opened& opened, double error);

  // Once there was an error; a forecast may be perfect for a while.
  bool knows() const { return slow_ > 0; }
  static bool possible(const Opened& opened);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::size_t phase_of(std::int64_t number) const;
  double phase(std::size_t index) const;

  double count_ = 0;  // of rounds, as far as it matters
  double slow_ = 0, fast_ = 0;
  double latest_ = 0;                 // |error| / phase of the latest round
  double usual_disagreement_ = 0;     // geometric mean; 0: none yet
  double disagreements_ = 0;          // how many of them, as far as it matters
  std::vector<double> phase_, seen_;  // [season] mean and rounds of each phase
  std::array<double, kFeatures> exponents_, curvature_;
};

// Quantiles of earlier errors, times the scale of the coming one, at probabilities that are corrected until the outcomes lie inside as often as they should.
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
