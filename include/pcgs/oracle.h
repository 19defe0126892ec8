// The exact best sequence of experts in hindsight with a bounded number of switches.
//
//     dp[1,s,k] = l_1(k)
//     dp[t,s,k] = l_t(k) + min( dp[t-1,s,k], min_{j != k} dp[t-1,s-1,j] )
//     L_sw(s)   = min_k dp[T,s,k]
//
// L_sw is not convex in s, so nothing cheaper than this recursion is exact.
#pragma once

#include <cstddef>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs {

// L_sw(0), ..., L_sw(max_switches) for losses [T x K]; +infinity marks an expert that sleeps, and
// is the answer where every path with so few switches meets a sleeper. T = 0 gives zeros. O(T K S)
// time, O(K S) memory.
std::vector<double> switching_oracle(MatrixView losses, std::size_t max_switches);

}  // namespace pcgs
