// The best player of a winner family by looking at every path of winners, M^T of them.
//
// A path is cut into segments of one winner each. Its prior is
//
//     1/M * product over segments but the last of  P(length) P(next winner | this one)
//         * P(the last lasts at least as long as it has)
//
// and its likelihood that of every loss of every expert, the winner's and all losers'.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pcgs/matrix.h"
#include "reference/clipped_loss.h"

namespace pcgs::reference {

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

}  // namespace pcgs::reference
