#include "suite/switching_sequence.h"

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>

namespace pcgs::suite {

SwitchingSequence switching_sequence(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  constexpr double kMean = 0.5;
  constexpr double kNoise = 0.15;
  constexpr double kAdvantage = 0.2;
  constexpr std::size_t kLeastRounds = 20;
  constexpr double kHazard = 1.0 / 30;

  boost::random::mt19937_64 bits(seed);
  boost::random::normal_distribution<double> normal;
  boost::random::uniform_01<double> unit;

  SwitchingSequence sequence{Matrix(rounds, experts), std::vector<std::size_t>(rounds)};
  std::size_t winner = boost::random::uniform_int_distribution<std::size_t>(0, experts - 1)(bits);
  std::size_t age = 0;
  for (std::size_t t = 0; t < rounds; ++t) {
    if (age >= kLeastRounds && experts > 1 && unit(bits) < kHazard) {
      // Any expert but the current one.
      const auto other = boost::random::uniform_int_distribution<std::size_t>(0, experts - 2)(bits);
      winner = other < winner ? other : other + 1;
      age = 0;
    }
    ++age;
    sequence.winner[t] = winner;
    const auto row = sequence.losses.row(t);
    for (std::size_t k = 0; k < experts; ++k) {
      const double advantage = k == winner ? kAdvantage : 0;
      row[k] = std::clamp(kMean - advantage + kNoise * normal(bits), 0.0, 1.0);
    }
  }
  return sequence;
}

}  // namespace pcgs::suite
