// Linearised losses, the "gradient trick". With p the combined forecast, f its loss and g a
// subgradient of f at p,
//
//     l(k) = [ g x(k) - min_j g x(j) ] / C
//
// For every mixture u of experts, f(p) - f(sum_k u(k) x(k)) <= C sum_k (w(k) - u(k)) l(k): a method
// that learns from these competes with the best *mixture*, not only with the best expert, and one
// that restarts with the best sequence of mixtures. Kivinen and Warmuth, Exponentiated gradient
// versus gradient descent, 1997; the default of the R package opera.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "pcgs/method.h"

namespace pcgs {

// Writes l(k) of a round with forecasts, and the learner's own into `learner`; a sleeper's is the
// learner's. None is more than `most` from the learner's, so that all are at most twice that; it may
// be infinite.
void linearise(const Round& round, double most, std::span<double> losses, double& learner);

enum class Linear {
  kNever,   // the losses as they are
  kCapped,  // linearised losses where a round has forecasts, capped at 1
  kFree,    // the same, as large as they are
};

// The method under this name, and on these losses.
std::unique_ptr<Method> make_linearised(std::unique_ptr<Method> method, Linear linear,
                                        std::string name);

}  // namespace pcgs
