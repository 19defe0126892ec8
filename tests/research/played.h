// What a limit plays, and a path of winners as the segments in which one of them stays.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pcgs::test {

// The expert that has all the weight; a failure if the weights are anything but a point mass.
inline std::size_t played_expert(std::span<const double> weights) {
  const auto one = std::find(weights.begin(), weights.end(), 1.0);
  EXPECT_NE(one, weights.end()) << "nobody has weight 1";
  EXPECT_EQ(std::count(weights.begin(), weights.end(), 0.0),
            static_cast<std::ptrdiff_t>(weights.size()) - 1);
  return static_cast<std::size_t>(one - weights.begin());
}

struct Segment {
  std::uint32_t winner;
  std::size_t length;
};

inline std::vector<Segment> segments_of(const std::vector<std::uint32_t>& path) {
  std::vector<Segment> segments;
  for (std::size_t t = 0; t < path.size(); ++t) {
    if (t == 0 || path[t] != path[t - 1]) segments.push_back({path[t], 0});
    ++segments.back().length;
  }
  return segments;
}

// All but the last, which was cut off.
inline std::vector<Segment> whole_segments(const std::vector<std::uint32_t>& path) {
  std::vector<Segment> segments = segments_of(path);
  segments.pop_back();
  return segments;
}

}  // namespace pcgs::test
