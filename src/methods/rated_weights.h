// Weights of experts of whom some have no learning rate yet.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace pcgs {

// Collects the logarithms of the rated experts' weights, in the place of the weights, and turns them
// into weights: an expert without a rate keeps 1/K, and the others share the rest.
class RatedWeights {
 public:
  explicit RatedWeights(std::span<double> weights) : weights_(weights) {}

  void rate(std::size_t expert, double log_weight) {
    weights_[expert] = log_weight;
    highest_ = rated_ == 0 ? log_weight : std::max(highest_, log_weight);
    ++rated_;
  }

  // is_rated(k) says for whom rate() was called.
  template <class IsRated>
  void share_out(const IsRated& is_rated) {
    double total = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      if (!is_rated(k)) continue;
      weights_[k] = std::exp(weights_[k] - highest_);
      total += weights_[k];
    }
    const double uniform = 1.0 / static_cast<double>(weights_.size());
    const double share = static_cast<double>(rated_) * uniform;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      weights_[k] = is_rated(k) ? weights_[k] / total * share : uniform;
    }
  }

 private:
  std::span<double> weights_;  // [K]
  double highest_ = 0;         // of the logarithms
  std::size_t rated_ = 0;
};

}  // namespace pcgs
