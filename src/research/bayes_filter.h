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
#pragma once

#include <functional>
#include <memory>

#include "research/clipped_law.h"
#include "research/suite.h"
#include "research/winner_process.h"

namespace pcgs::suite {

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

}  // namespace pcgs::suite
