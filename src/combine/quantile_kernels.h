// What a round of quantiles does to all of its numbers, a register at a time.
#pragma once

#include <cstddef>
#include <span>

namespace pcgs::levels {

// Each column of so many rows by itself, by Batcher's merge exchange (Knuth 5.2.2 M): which rows are compared
// does not depend on what is in them, so that a register of columns is sorted at once and nothing branches.
// The stride and the address are multiples of 64 bytes. No NaN.
void sort_columns(double* rows, std::size_t count, std::size_t stride);

// Those of numbers below 0, and of NaN, are 0.
void fourth_roots(std::span<const double> numbers, std::span<double> out);

}  // namespace pcgs::levels
