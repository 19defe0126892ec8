// Losses whose best expert changes at random times, with the path that made them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::suite {

struct SwitchingSequence {
  Matrix losses;                    // [T x K] in [0,1]
  std::vector<std::size_t> winner;  // [T] the expert that is better in each round
};

// Every expert loses 0.5 + 0.15 N(0,1), clipped to [0,1]; the winner 0.2 less. Segments last at
// least 20 rounds and then end with probability 1/30 a round; the next winner is any of the others.
// The same arguments give the same numbers on every machine.
SwitchingSequence switching_sequence(std::size_t rounds, std::size_t experts, std::uint64_t seed);

}  // namespace pcgs::suite
