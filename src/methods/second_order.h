// What the methods share that know of each expert how much regret there is to it and how uneven:
//
//     r(k) = learner's loss - l(k)      R(k) = sum of r(k)      V(k) = sum of r(k)^2
#pragma once

#include <span>
#include <vector>

#include "methods/methods.h"

namespace pcgs {

// Its state file holds R, V and the weights, in this order.
class SecondOrder : public Method {
 public:
  explicit SecondOrder(std::size_t experts)
      : regret_(experts, 0.0),
        squares_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)) {}

  std::span<const double> weights() const final { return weights_; }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override { load_from(in, -1e200); }

 protected:
  // Takes in r(k), and returns it.
  double add(const Round& round, std::size_t k) {
    const double r = instantaneous_regret(round, k);
    regret_[k] += r;
    squares_[k] += r * r;
    return r;
  }

  void load_from(StateReader& in, double least_regret);

  std::vector<double> regret_;   // [K] R
  std::vector<double> squares_;  // [K] V
  std::vector<double> weights_;  // [K]
};

}  // namespace pcgs
