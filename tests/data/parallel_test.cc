#include "data/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <vector>

namespace pcgs {
namespace {

TEST(ParallelThreads, DoEachPieceOnce) {
  for (const std::size_t threads : std::vector<std::size_t>{1, 2, 3, 7, 100}) {
    for (const std::size_t count : std::vector<std::size_t>{0, 1, 2, 50}) {
      std::vector<std::atomic<int>> done(count);
      parallel_for(count, threads, [&](std::size_t i) { ++done[i]; });
      for (const auto& times : done) EXPECT_EQ(times, 1) << threads << " threads, " << count;
    }
  }
}

// The number of the piece whose exception comes out.
std::string thrown_of(std::size_t count, std::size_t threads, const std::vector<std::size_t>& bad) {
  try {
    parallel_for(count, threads, [&](std::size_t i) {
      if (std::find(bad.begin(), bad.end(), i) != bad.end()) {
        throw std::runtime_error(std::to_string(i));
      }
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(ParallelThreads, BringHomeTheExceptionOfTheFirstPiece) {
  for (const std::size_t threads : std::vector<std::size_t>{1, 2, 3, 7, 100}) {
    EXPECT_EQ(thrown_of(60, threads, {}), "none");
    EXPECT_EQ(thrown_of(60, threads, {59}), "59");
    for (int repeat = 0; repeat < 20; ++repeat) {
      EXPECT_EQ(thrown_of(60, threads, {31, 17, 18, 19, 59}), "17") << threads;
    }
  }
}

TEST(ParallelThreads, WaitForAnEarlierPieceThatHasBegun) {
  std::latch later_has_begun(1);
  try {
    parallel_for(2, 2, [&](std::size_t i) {
      if (i == 0) {
        later_has_begun.wait();
      } else {
        later_has_begun.count_down();
      }
      throw std::runtime_error(std::to_string(i));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
}

TEST(ParallelThreads, BeginNothingAfterAnException) {
  std::atomic<std::size_t> begun{0};
  const auto play = [&] {
    parallel_for(1000, 1, [&](std::size_t i) {
      ++begun;
      if (i == 4) throw std::runtime_error("four");
    });
  };
  EXPECT_THROW(play(), std::runtime_error);
  EXPECT_EQ(begun, 5u);
}

}  // namespace
}  // namespace pcgs
