#include "methods/second_order.h"

#include "methods/state_checks.h"

namespace pcgs {

void SecondOrder::save(StateWriter& out) const {
  out.experts(regret_, 0);
  out.experts(squares_, 0);
  out.weights(weights_);
}

void SecondOrder::load_from(StateReader& in, double least_regret) {
  load_finite(in, regret_, least_regret, "a regret");
  load_finite(in, squares_, 0, "a sum of squared regrets");
  load_weights(in, weights_);
  for (std::size_t k = 0; k < regret_.size(); ++k) {
    // By Cauchy and Schwarz, with room for more rounds than there can be.
    if (regret_[k] * regret_[k] > 1e15 * squares_[k]) in.fail("a regret in it has no square");
  }
}

}  // namespace pcgs
