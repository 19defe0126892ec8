#include "reference/ml_poly.h"

#include <algorithm>

namespace pcgs::reference {

std::vector<double> MlPoly::weights() const {
  std::vector<long double> w(regret_.size(), 0);
  long double sum = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    if (regret_[k] > 0) sum += w[k] = regret_[k] / (largest_square_ + squares_[k]);
  }
  if (sum == 0) return std::vector<double>(w.size(), 1.0 / static_cast<double>(w.size()));
  for (long double& x : w) x /= sum;
  return {w.begin(), w.end()};
}

void MlPoly::learn(const FinishedRound& round) {
  for (std::size_t k = 0; k < regret_.size(); ++k) {
    if (!round.awake[k]) continue;
    const long double r = static_cast<long double>(round.learner_loss) - round.losses[k];
    regret_[k] += r;
    squares_[k] += r * r;
    largest_square_ = std::max(largest_square_, r * r);
  }
}

}  // namespace pcgs::reference
