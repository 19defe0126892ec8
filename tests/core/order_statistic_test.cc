#include "core/order_statistic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "support/random.h"

namespace pcgs {
namespace {

using test::Random;
using Numbers = std::vector<double>;

void expect_every_place(const Numbers& numbers) {
  Numbers sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    Numbers moved = numbers;
    ASSERT_EQ(order_statistic(moved, n), sorted[n]) << n << " of " << numbers.size();
    std::sort(moved.begin(), moved.end());
    ASSERT_EQ(moved, sorted) << "none is lost, none is new";
  }
}

TEST(OrderStatistic, IsThatOfSortedNumbers) {
  Random random(11);
  for (std::size_t size = 1; size <= 80; ++size) {
    Numbers numbers(size);
    for (double& x : numbers) x = random.uniform(-1, 1);
    expect_every_place(numbers);
  }
}

TEST(OrderStatistic, IsRightForAllTinyArrangements) {
  // Nine numbers of three values: above the size that is sorted, with every pattern of ties.
  Numbers numbers(9);
  for (int code = 0; code < 19683; ++code) {
    int left = code;
    for (double& x : numbers) {
      x = left % 3;
      left /= 3;
    }
    expect_every_place(numbers);
  }
}

TEST(OrderStatistic, TakesTiesOrderAndExtremes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_every_place(Numbers(50, 3.5));
  Numbers numbers;
  for (int i = 0; i < 60; ++i) numbers.push_back(i);
  expect_every_place(numbers);
  std::reverse(numbers.begin(), numbers.end());
  expect_every_place(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i % 2 == 0 ? kInfinity : -kInfinity;
  numbers[7] = 1e308;
  numbers[8] = -5e-324;
  expect_every_place(numbers);
}

TEST(OrderStatistic, IsThatOfOrganPipes) {
  constexpr std::size_t kSize = 20000;
  Numbers numbers(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    numbers[i] = static_cast<double>(std::min(i, kSize - 1 - i));
  }
  EXPECT_EQ(upper_median(numbers), kSize / 4);
}

// Numbers are given to places only when they are looked at, the least first: every pivot leaves nearly
// all, until the function gives up on pivots.
TEST(OrderStatistic, IsRightWhereEveryPivotIsBad) {
  constexpr std::size_t kSize = 300;
  constexpr double kLater = 1e9;
  Numbers numbers(kSize, kLater);
  std::vector<std::size_t> left(kSize);  // places, in the order in which they stand
  std::iota(left.begin(), left.end(), 0);
  double next = 0;
  for (int step = 0; step < 40; ++step) {
    const std::size_t first = left.front(), middle = left[left.size() / 2], last = left.back();
    for (const std::size_t place : {first, middle}) {
      if (numbers[place] == kLater) numbers[place] = next++;
    }
    Numbers probes = {numbers[first], numbers[middle], numbers[last]};
    std::sort(probes.begin(), probes.end());
    std::size_t front = 0;
    for (std::size_t& here : left) {
      std::swap(here, left[front]);
      front += numbers[left[front]] < probes[1] ? 1U : 0U;
    }
    ASSERT_GT(front, 0u);
    ASSERT_LT(front, 5u) << "a bad pivot";
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(front));
  }
  for (double& x : numbers) {
    if (x == kLater) x = next++;
  }
  expect_every_place(numbers);
}

TEST(OrderStatistic, MediansOfAnEvenCountAreTheTwoInTheMiddle) {
  Numbers numbers = {4, 1, 3, 2};
  EXPECT_EQ(lower_median(numbers), 2);
  EXPECT_EQ(upper_median(numbers), 3);
  numbers = {7};
  EXPECT_EQ(lower_median(numbers), 7);
  EXPECT_EQ(upper_median(numbers), 7);
}

}  // namespace
}  // namespace pcgs
