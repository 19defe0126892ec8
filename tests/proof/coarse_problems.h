// Problems whose losses are small multiples of 1/4 or infinite: sums are exact and ties everywhere,
// so that answers must be equal and not near.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "pcgs/matrix.h"
#include "support/random.h"

namespace pcgs::test {

inline Matrix coarse_problem(Random& random, std::size_t rounds, std::size_t experts,
                             double asleep) {
  Matrix losses(rounds, experts);
  for (double& l : losses.values) {
    l = random.chance(asleep) ? std::numeric_limits<double>::infinity()
                              : static_cast<double>(random.below(5)) / 4;
  }
  return losses;
}

// All with four rounds, two experts and losses 0, 1 or infinity.
inline std::vector<Matrix> all_tiny_problems() {
  const double choices[] = {0, 1, std::numeric_limits<double>::infinity()};
  std::vector<Matrix> problems(6561, Matrix(4, 2));  // 3^8
  for (std::size_t i = 0; i < problems.size(); ++i) {
    std::size_t rest = i;
    for (double& l : problems[i].values) {
      l = choices[rest % 3];
      rest /= 3;
    }
  }
  return problems;
}

struct TinyProblem {
  Matrix losses;
  std::size_t switches = 0;
};

// One to four experts, every third time with sleepers among them.
inline TinyProblem random_tiny_problem(Random& random, int number, std::size_t most_rounds) {
  const std::size_t experts = 1 + random.below(4);
  const std::size_t rounds = 1 + random.below(most_rounds);
  const std::size_t switches = random.below(rounds + 2);
  return {coarse_problem(random, rounds, experts, number % 3 == 0 ? 0.4 : 0), switches};
}

}  // namespace pcgs::test
