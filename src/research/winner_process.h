// Who wins when: segments of random length, each with one winner. The hidden half of the families
// that have a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "research/random.h"

namespace pcgs::suite {

// How long a winner stays: hazard[a-1] is the chance that a segment which has lasted a rounds ends
// there; the last entry holds for all longer ones.
struct Dwell {
  std::vector<double> hazard;

  // At least `least` rounds; that one, and each further one, is the last with this chance.
  static Dwell geometric_after(std::size_t least, double hazard);
  // Any number of rounds from `least` to `most`, equally likely.
  static Dwell between(std::size_t least, std::size_t most);

  double at(std::size_t age) const {  // age >= 1
    return hazard[age < hazard.size() ? age - 1 : hazard.size() - 1];
  }
};

struct WinnerProcess {
  Dwell dwell;
  // The experts that ever win, M of them; the first winner is any of them.
  std::vector<std::uint32_t> members;
  // [M x M] next[i * M + j]: the chance that members[j] follows members[i]. Empty: any other
  // member, equally likely.
  std::vector<double> next;

  // The winner of each round.
  std::vector<std::uint32_t> draw(std::size_t rounds, Random& random) const;
};

// Everybody can win, and everybody else is as likely to be next.
WinnerProcess any_other(std::size_t experts, Dwell dwell);

}  // namespace pcgs::suite
