// The best sequence of experts with a bounded number of switches, by looking at everything.
#pragma once

#include <cstddef>
#include <vector>

#include "pcgs/matrix.h"
#include "pcgs/oracle.h"

namespace pcgs::reference {

// L_sw(0..max_switches): the smallest loss, with what its switches cost, of all K^T paths with at
// most so many switches.
std::vector<double> switching_by_enumeration(MatrixView losses, std::size_t max_switches,
                                             double switch_cost = 0);

// The same from the recursion of docs/internals/mathematics.md, with every j != k tried: O(T S K^2), for
// problems too long to enumerate.
std::vector<double> switching_by_recursion(MatrixView losses, std::size_t max_switches,
                                           double switch_cost = 0);

// The path as oracle.h describes it, from the whole table with a back-pointer in every state:
// O(T S K) memory. Losses and costs are added in the same order as in the product, so the loss is the same to
// the bit.
SwitchingPath switching_path_by_table(MatrixView losses, std::size_t max_switches,
                                      double switch_cost = 0);

}  // namespace pcgs::reference
