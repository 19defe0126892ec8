// Gaussian elimination with partial pivots.
#pragma once

#include <vector>

namespace pcgs::reference {

// a is [n x n] by rows.
std::vector<double> solve(std::vector<double> a, std::vector<double> b);

}  // namespace pcgs::reference
