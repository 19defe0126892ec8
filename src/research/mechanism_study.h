// Does a controller do what the theory says it should? Restart more when the best expert changes,
// towards the expert that is best next.
#pragma once

#include <cstddef>
#include <string_view>

#include "pcgs/matrix.h"

namespace pcgs::suite {

// One run of a method of the share form, beside the oracle's path p* for a budget of switches. A
// round t is a switch round if p*_{t+1} differs from p*_t: its controls make the weights that meet
// the new best expert.
struct Mechanism {
  std::size_t switches = 0;     // that the oracle's path takes
  double rho_after_switch = 0;  // mean rho over the kAfterSwitch rounds that follow a switch round
  double rho_elsewhere = 0;     // and over all others
  double q_on_next = 0;         // mean of q_t(p*_{t+1}) over switch rounds
  double q_entropy = 0;         // mean entropy of q in nats, over all rounds
  double rho_volatility = 0;    // correlation of rho with the volatility of the learner's loss
  double effective_complexity = 0;  // C_eff = sum over switch rounds of -ln q_t(p*_{t+1})
  double uniform_complexity = 0;    // what uniform restarts cost there: switches times ln K
};

inline constexpr std::size_t kAfterSwitch = 5;

// Throws Error if the method is not of the share form. Means over no rounds are 0, and so is the
// correlation of something constant.
Mechanism examine(std::string_view method, MatrixView losses, std::size_t switches);

}  // namespace pcgs::suite
