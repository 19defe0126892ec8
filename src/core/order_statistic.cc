#include "core/order_statistic.h"

#include <algorithm>
#include <bit>

namespace pcgs {

namespace {

// So few are sorted faster.
constexpr std::size_t kFew = 8;

double middle_of(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// Moves those that belong to the front, and says how many. Every number is moved, whether it belongs
// or not: there is no branch to be guessed wrong.
template <class Belongs>
std::size_t partition(std::span<double> numbers, const Belongs& belongs) {
  std::size_t front = 0;
  for (double& here : numbers) {
    const double x = here;
    here = numbers[front];
    numbers[front] = x;
    front += belongs(x) ? 1U : 0U;
  }
  return front;
}

}  // namespace

double order_statistic(std::span<double> numbers, std::size_t n) {
  // A pivot leaves half of them, more or less; where pivots are bad again and again, others do better.
  auto tries = 2 * std::bit_width(numbers.size());
  for (; tries > 0 && numbers.size() > kFew; --tries) {
    const double pivot = middle_of(numbers.front(), numbers[numbers.size() / 2], numbers.back());
    const std::size_t below = partition(numbers, [&](double x) { return x < pivot; });
    if (n < below) {
      numbers = numbers.first(below);
      continue;
    }
    numbers = numbers.subspan(below);
    n -= below;
    if (below > 0) continue;
    // The pivot is the least, and may stand there many times.
    const std::size_t equal = partition(numbers, [&](double x) { return x == pivot; });
    if (n < equal) return pivot;
    numbers = numbers.subspan(equal);
    n -= equal;
  }
  const auto place = numbers.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(numbers.begin(), place, numbers.end());
  return *place;
}

}  // namespace pcgs
