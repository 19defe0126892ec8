// Problems whose losses are small multiples of 1/4 or infinite: sums are exact and ties everywhere,
// so that answers must be equal and not near.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "pcgs/oracle.h"
#include "support/random.h"

namespace pcgs::test {

inline void expect_same(const SwitchingPath& path, const SwitchingPath& expected) {
  ASSERT_EQ(path.loss, expected.loss);
  ASSERT_EQ(path.switches, expected.switches);
  ASSERT_EQ(path.experts, expected.experts);
}

// What a path costs, added in the order of rounds.
inline double cost_along(MatrixView losses, const std::vector<std::uint32_t>& experts,
                         double switch_cost = 0) {
  double sum = 0;
  for (std::size_t t = 0; t < experts.size(); ++t) {
    if (t > 0 && experts[t] != experts[t - 1]) sum += switch_cost;
    sum += losses.row(t)[experts[t]];
  }
  return sum;
}

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

// One to four experts, one to six rounds, every third time with sleepers among them.
inline Matrix random_tiny_problem(Random& random, int number) {
  const std::size_t experts = 1 + random.below(4), rounds = 1 + random.below(6);
  return coarse_problem(random, rounds, experts, number % 3 == 0 ? 0.4 : 0);
}

}  // namespace pcgs::test
