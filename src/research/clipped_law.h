// The law of one loss: centre plus noise, clipped to [0,1].
//
//     loss = clip( centre + scale Z + jump J, 0, 1 )
//
// Z is normal or Student-t; J is +1 or -1, each with half the jump probability, and otherwise 0.
// Clipping puts probability on 0 and on 1; between them there is a density.
#pragma once

#include <algorithm>
#include <limits>

#include "research/random.h"

namespace pcgs::suite {

struct Noise {
  double scale = 0.1;
  double df = std::numeric_limits<double>::infinity();  // infinite: normal
  double jump_probability = 0;
  double jump = 0;
};

class ClippedLaw {
 public:
  ClippedLaw(double centre, const Noise& noise);

  double draw_unclipped(Random& random) const;
  static double clip(double x) { return std::clamp(x, 0.0, 1.0); }
  // The density at a loss inside (0,1), the probability of it at 0 and at 1.
  double likelihood(double loss) const;
  double mean() const { return mean_; }

 private:
  double density(double z) const;  // of Z
  double below(double x) const;    // P(loss before clipping <= x)
  double above(double x) const;    // and > x
  double averaged(double (*f)(const ClippedLaw&, double), double x) const;  // over J

  double centre_;
  Noise noise_;
  double factor_;  // of the density
  double at_zero_, at_one_, mean_;
};

}  // namespace pcgs::suite
