// The number that would stand in a certain place if others were sorted. Medians over the experts are
// part of every round, where std::nth_element would be half of the time: it guesses branches.
#pragma once

#include <cstddef>
#include <span>

namespace pcgs {

// The n-th smallest, from 0; the numbers are left in another order. Requires n < size, no NaN.
double order_statistic(std::span<double> numbers, std::size_t n);

// The larger of the two middle ones where their count is even, and the smaller. Require at least one.
inline double upper_median(std::span<double> numbers) {
  return order_statistic(numbers, numbers.size() / 2);
}
inline double lower_median(std::span<double> numbers) {
  return order_statistic(numbers, (numbers.size() - 1) / 2);
}

}  // namespace pcgs
