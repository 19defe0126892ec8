#include "research/winner_process.h"

#include <numeric>

namespace pcgs::suite {

Dwell Dwell::geometric_after(std::size_t least, double hazard) {
  Dwell dwell{std::vector<double>(least, 0.0)};
  dwell.hazard.back() = hazard;
  return dwell;
}

Dwell Dwell::between(std::size_t least, std::size_t most) {
  Dwell dwell{std::vector<double>(most, 0.0)};
  for (std::size_t age = least; age <= most; ++age) {
    dwell.hazard[age - 1] = 1 / static_cast<double>(most - age + 1);
  }
  return dwell;
}

std::vector<std::uint32_t> WinnerProcess::draw(std::size_t rounds, Random& random) const {
  std::vector<std::uint32_t> winners(rounds);
  const std::size_t size = members.size();
  std::size_t current = random.below(size);
  std::size_t age = 0;
  for (std::uint32_t& winner : winners) {
    if (age > 0 && size > 1 && random.chance(dwell.at(age))) {
      if (next.empty()) {
        const std::size_t other = random.below(size - 1);
        current = other < current ? other : other + 1;
      } else {
        const double* row = next.data() + current * size;
        double left = random.unit();
        std::size_t chosen = 0;
        while (chosen + 1 < size && left >= row[chosen]) left -= row[chosen++];
        current = chosen;
      }
      age = 0;
    }
    ++age;
    winner = members[current];
  }
  return winners;
}

WinnerProcess any_other(std::size_t experts, Dwell dwell) {
  WinnerProcess process{std::move(dwell), std::vector<std::uint32_t>(experts), {}};
  std::iota(process.members.begin(), process.members.end(), 0U);
  return process;
}

}  // namespace pcgs::suite
