// Sums over every path of experts, term by term.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "pcgs/matrix.h"
#include "reference/losses.h"

namespace pcgs::reference {

// The share recursion as what it is: exponential weights over every path of experts.
//
// The prior of a path p_1, ..., p_{T+1} is w_1(p_1) prod_t A_t(p_t -> p_{t+1}) with
// A_t(i -> j) = (1 - rho_t)[i = j] + rho_t q_t(j); its likelihood is exp(-sum_t eta_t l_t(p_t)).
// The weights after T rounds are the posterior of p_{T+1}.
struct PathRound {
  std::vector<double> losses;  // [K]
  double eta = 1;
  double rho = 0;
  std::vector<double> q;  // [K]
};

// [K]. Enumerates all K^(T+1) paths, one after the other.
std::vector<double> path_sum(const std::vector<double>& initial,
                             const std::vector<PathRound>& rounds);

// The best player of a winner family by looking at every path of winners, M^T of them.
//
// A path is cut into segments of one winner each. Its prior is
//
//     1/M * product over segments but the last of  P(length) P(next winner | this one)
//         * P(the last lasts at least as long as it has)
//
// and its likelihood that of every loss of every expert, the winner's and all losers'.

struct Winners {
  std::vector<std::uint32_t> members;  // the experts that ever win
  // P(a segment lasts exactly this many rounds)
  std::function<long double(std::size_t length)> lasts;
  // P(members[j] follows members[i]), 0 for i = j. Not asked if there is only one member.
  std::function<long double(std::size_t i, std::size_t j)> follows;
};

// `least` rounds at least; from then on each round is the last with this chance.
std::function<long double(std::size_t)> lasts_geometrically(std::size_t least, double hazard);
std::function<long double(std::size_t)> lasts_between(std::size_t least, std::size_t most);
// Every other member is as likely.
std::function<long double(std::size_t, std::size_t)> any_other_follows(std::size_t members);
// The neighbour with chance `order`, else any of the rest. Requires three members or more.
std::function<long double(std::size_t, std::size_t)> neighbour_follows(std::size_t members,
                                                                       double order);

struct WinLoseLaws {
  WinLoseLaws(const ClippedLoss& if_it_wins, const ClippedLoss& if_not)
      : winner(if_it_wins), loser(if_not), winner_mean(mean(winner)), loser_mean(mean(loser)) {}

  ClippedLoss winner, loser;
  long double winner_mean, loser_mean;
};

// Of expert k in round t = 0, 1, ...
using LawsOf = std::function<const WinLoseLaws&(std::size_t t, std::size_t k)>;

// [M] P(each member wins in round T), given the T rows of losses before it.
std::vector<long double> winning_by_enumeration(const Winners& winners, const LawsOf& laws,
                                                MatrixView losses);

// [K] what each expert is expected to lose in round T, given the T rows before it.
std::vector<long double> expected_losses_by_enumeration(const Winners& winners, std::size_t experts,
                                                        const LawsOf& laws, MatrixView losses);

// Certificates by looking at every path: K^T of them, each with its prior probability.

using ExpertPath = std::vector<std::uint32_t>;  // [T]

void for_each_path(std::size_t experts, std::size_t rounds,
                   const std::function<void(const ExpertPath&)>& visit);

std::size_t switches_of(const ExpertPath& path);

// w_1(p_1) prod_{t<T} A_t(p_t -> p_{t+1}); the controls of the last round play no part.
long double prior(const std::vector<double>& initial, const std::vector<PathRound>& rounds,
                  const ExpertPath& path);

// sum_t eta_t l_t(p_t)
long double weighted_loss(const std::vector<PathRound>& rounds, const ExpertPath& path);

// Phi = sum over paths of prior(p) exp(-weighted_loss(p))
long double partition(const std::vector<double>& initial, const std::vector<PathRound>& rounds);

// min over paths with at most s switches of weighted_loss(p) - ln prior(p), for s = 0, ..., most.
std::vector<double> penalised_by_enumeration(const std::vector<double>& initial,
                                             const std::vector<PathRound>& rounds,
                                             std::size_t most);

// Corollary 2 of the paper. Fixed Share against any path with at most S switches, rho in [0,1):
//     (1/eta) [ ln K + S ln(K/rho) + (T-1) ln(1/(1-rho)) ] + eta T / 8
double fixed_share_bound(std::size_t experts, std::size_t switches, std::size_t rounds, double eta,
                         double rho);

}  // namespace pcgs::reference
