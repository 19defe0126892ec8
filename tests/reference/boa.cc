#include "reference/boa.h"

#include <cmath>
#include <limits>

#include "reference/log_share.h"

namespace pcgs::reference {

std::vector<double> Boa::weights() const {
  const std::size_t experts = variance_.size();
  const long double uniform = 1 / static_cast<long double>(experts);
  long double rest = 1;
  std::vector<long double> logs;
  for (std::size_t k = 0; k < experts; ++k) {
    if (variance_[k] == 0) {
      rest -= uniform;
      logs.push_back(-std::numeric_limits<long double>::infinity());
    } else {
      const long double e = 1 / std::sqrt(variance_[k]);
      logs.push_back(std::log(e) + e * regret_[k]);
    }
  }
  const long double total = log_sum_exp(logs);
  std::vector<double> out;
  for (std::size_t k = 0; k < experts; ++k) {
    const bool kept = variance_[k] == 0;
    out.push_back(static_cast<double>(kept ? uniform : rest * std::exp(logs[k] - total)));
  }
  return out;
}

void Boa::learn(const FinishedRound& round) {
  for (std::size_t k = 0; k < variance_.size(); ++k) {
    if (!round.awake[k]) continue;
    const long double r = static_cast<long double>(round.learner_loss) - round.losses[k];
    if (r == 0) continue;
    variance_[k] += 2.2L * r * r;
    regret_[k] += r - r * r / std::sqrt(variance_[k]);
  }
}

}  // namespace pcgs::reference
