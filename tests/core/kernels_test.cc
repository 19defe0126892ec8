// The kernels beside plain loops, at every length around those of registers.
#include "core/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "support/random.h"

namespace pcgs::kernels {
namespace {

constexpr std::size_t kLongest = 40;

std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
  test::Random random(seed);
  std::vector<double> x(count);
  for (double& one : x) one = random.uniform(-3, 3);
  return x;
}

TEST(Kernels, DotIsTheSumOfProducts) {
  for (std::size_t n = 1; n <= kLongest; ++n) {
    const auto a = numbers(n, n), b = numbers(n, 100 + n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    EXPECT_NEAR(dot(a, b), sum, 1e-13) << n;
  }
}

TEST(Kernels, RangeIsLeastAndLargestWhereverTheyStand) {
  for (std::size_t n = 1; n <= kLongest; ++n) {
    for (std::size_t at = 0; at < n; ++at) {
      auto x = numbers(n, n);
      for (const double extreme : {-7.0, 7.0, -std::numeric_limits<double>::max()}) {
        x[at] = extreme;
        const auto [low, high] = range_of(x);
        EXPECT_EQ(low, *std::min_element(x.begin(), x.end())) << n << ' ' << at;
        EXPECT_EQ(high, *std::max_element(x.begin(), x.end())) << n << ' ' << at;
      }
    }
  }
}

TEST(Kernels, OneNumberOutsideIsNotWithin) {
  for (std::size_t n = 1; n <= kLongest; ++n) {
    auto x = numbers(n, n);
    EXPECT_TRUE(all_within(x, -3, 3)) << n;
    for (std::size_t at = 0; at < n; ++at) {
      const double kept = x[at];
      for (const double outside : {-3.1, 3.1, std::numeric_limits<double>::quiet_NaN()}) {
        x[at] = outside;
        EXPECT_FALSE(all_within(x, -3, 3)) << n << ' ' << at << ' ' << outside;
      }
      for (const double limit : {-3.0, 3.0}) {
        x[at] = limit;
        EXPECT_TRUE(all_within(x, -3, 3)) << n << ' ' << at << ' ' << limit;
      }
      x[at] = kept;
    }
  }
}

TEST(Kernels, SoftminIsItsDefinition) {
  for (std::size_t n = 1; n <= kLongest; ++n) {
    for (const double scale : {0.0, 0.1, 5.0, 1e6}) {
      const auto x = numbers(n, n);
      const double least = *std::min_element(x.begin(), x.end());
      double sum = 0;
      for (const double one : x) sum += std::exp(-scale * (one - least));
      std::vector<double> out(n), in_place = x;
      for (std::vector<double>* to : {&out, &in_place}) {
        const SoftminSums sums = softmin(to == &out ? x : in_place, scale, *to);
        EXPECT_EQ(sums.minimum, least);
        EXPECT_NEAR(sums.log_sum, std::log(sum), 1e-13);
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_NEAR((*to)[i], std::exp(-scale * (x[i] - least)) / sum, 1e-14) << n << ' ' << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pcgs::kernels

namespace pcgs {
namespace {

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
  test::Random random(11);
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
