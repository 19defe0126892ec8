// A path of winners as the segments in which one of them stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pcgs::test {

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
