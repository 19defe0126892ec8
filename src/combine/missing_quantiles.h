// Experts that do not give every level.
//
// Between two levels that an expert gives, its quantile function is taken to be linear. Beyond them it
// says nothing, and is not made to: there it takes the steps of the others from level to level, the median
// of those that give both, from where its own numbers end. So it neither gains nor loses in the tails, and
// a point forecast, which gives one level, joins distributions. Medians are the lower ones, because one of
// two may have exploded; a step that nobody gives is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "combine/quantile_levels.h"

namespace pcgs::levels {

class Completion {
 public:
  explicit Completion(const Levels& levels);

  // The first half: [K x P] quantiles, NaN where an expert does not give one, are put in order and
  // filled in between; [K] `awake` says who gives any. Returns how many experts gave quantiles that
  // crossed.
  std::size_t put_in_order(std::span<double> quantiles, std::span<std::uint8_t> awake);
  // The second: those awake get the levels beyond their own, from each other. All are finite and in
  // order then.
  void fill(std::span<double> quantiles, std::span<const std::uint8_t> awake);

  // Both.
  std::size_t complete(std::span<double> quantiles, std::span<std::uint8_t> awake) {
    const std::size_t crossed = put_in_order(quantiles, awake);
    fill(quantiles, awake);
    return crossed;
  }

 private:
  void interpolate(std::span<double> row) const;
  void find_steps(std::span<const double> quantiles, std::span<const std::uint8_t> awake);
  void borrow(std::span<double> row) const;

  Levels levels_;
  std::vector<double> steps_;  // [P - 1] from each level to the next
  std::vector<double> given_;  // scratch
};

}  // namespace pcgs::levels
