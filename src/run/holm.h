// Holm's step-down correction for several tests at once. With p_(1) <= ... <= p_(m),
//
//     adjusted p_(i) = min(1, max over j <= i of (m - j + 1) p_(j))
//
// Rejecting where the adjusted p is at most alpha makes any false rejection at all no likelier than
// alpha, however the tests depend on one another.
// Holm, A simple sequentially rejective multiple test procedure, 1979.
#pragma once

#include <span>
#include <vector>

namespace pcgs::stats {

// [m] in the order of p_values, which must lie in [0,1].
std::vector<double> holm(std::span<const double> p_values);

}  // namespace pcgs::stats
