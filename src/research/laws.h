// What the families of suite.h draw from, and the filters that know it.

// The law of one loss: centre plus noise, clipped to [0,1].
//
//     loss = clip( centre + scale Z + jump J, 0, 1 )
//
// Z is normal or Student-t; J is +1 or -1, each with half the jump probability, and otherwise 0.
// Clipping puts probability on 0 and on 1; between them there is a density.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "research/suite.h"

namespace pcgs::suite {

struct Noise {
  double scale = 0.1;
  double df = std::numeric_limits<double>::infinity();  // infinite: normal
  double jump_probability = 0;
  double jump = 0;
};

class ClippedLaw {
 public:
  ClippedLaw(double centre, const Noise& noise);

  double draw_unclipped(Random& random) const;
  // The density at a loss inside (0,1), the probability of it at 0 and at 1.
  double likelihood(double loss) const;
  double mean() const { return mean_; }

 private:
  double density(double z) const;  // of Z
  double tail(double z) const;     // P(Z > z)
  double below(double x) const;    // P(loss before clipping <= x)
  double above(double x) const;    // and > x
  double averaged(double (*f)(const ClippedLaw&, double), double x) const;  // over J

  double centre_;
  Noise noise_;
  double factor_;  // of the density
  double at_zero_, at_one_, mean_;
};

// Who wins when: segments of random length, each with one winner. The hidden half of the families
// that have a limit.

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

// The limit of families with one winner at a time: the exact posterior over (winner, age of the
// segment), and in each round the expert with the lowest expected loss.
//
//     b_t(a,i)    posterior that member i wins in round t and its segment has lasted a rounds
//     b_{t+1|t}   ages each segment by one round with chance 1 - hazard(a), else ends it and starts
//                 the next member's, of age 1
//     update      b(a,i) *= f_winner(l_i) / f_loser(l_i), then normalise: the other experts' losses
//                 have the same likelihood whoever wins, and cancel
//     play        argmin_k  P(k wins) E[l_k | wins] + P(k does not) E[l_k | does not]
//
// Exact, because the age makes the process Markov and losses are independent given the winner.

// One expert's law when it wins and when it does not.
struct WinLose {
  ClippedLaw winner, loser;
};

// The laws of expert k in round t = 0, 1, ...
using LawsAt = std::function<const WinLose&(std::size_t round, std::size_t expert)>;

std::unique_ptr<Limit> make_bayes_filter(WinnerProcess process, std::size_t experts, LawsAt laws);

// Losses of this process under these laws, with the filter as their limit.
Sequence winner_sequence(std::size_t rounds, std::size_t experts, const WinnerProcess& process,
                         const LawsAt& laws, Random& random);

// A random smooth function of time: the stationary Gaussian process with Matern-3/2 covariance
//
//     E f(s) f(t) = amplitude^2 (1 + r) exp(-r),   r = sqrt(3) |s - t| / length
//
// observed at whole rounds. It is once differentiable and, with its derivative, Markov:
//
//     x = (f, f')     x_{t+1} = A x_t + N(0, Q)     A = e^-r [[1 + r, 1], [-r^2, 1 - r]]
//
// at r = sqrt(3) / length, which gives exact sampling here and the exact filter in make_kalman_filter.

struct SmoothLaw {
  double amplitude = 0.1;
  double length = 100;  // rounds over which it forgets itself

  struct Step {
    std::array<double, 4> a;  // [2 x 2] A, row by row
    std::array<double, 3> q;  // Q's entries (0,0), (0,1), (1,1)
  };
  Step step() const;
  std::array<double, 2> stationary() const;  // variances of f and f', which are uncorrelated
};

class SmoothPath {
 public:
  SmoothPath(const SmoothLaw& law, Random& random);
  double value() const { return x_[0]; }
  void advance(Random& random);

 private:
  SmoothLaw::Step step_;
  std::array<double, 3> root_;  // Cholesky factor of Q: (0,0), (1,0), (1,1)
  std::array<double, 2> x_;
};

// The limit of smooth paths: a Kalman filter for each expert, which knows its law and its noise. It takes
// losses as they are, so it is exact up to clipping.
std::unique_ptr<Limit> make_kalman_filter(const std::vector<SmoothLaw>& laws,
                                          const std::vector<double>& noise);

// A sequence without losses yet, and without a limit.
Sequence blank_sequence(std::size_t rounds, std::size_t experts);

}  // namespace pcgs::suite
