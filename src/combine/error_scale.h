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
// Nothing depends on the units of the data. One wild error counts like one of eight times the usual
// size; a second one in a row is believed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pcgs/state.h"

namespace pcgs {

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

}  // namespace pcgs
