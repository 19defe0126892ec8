// What one stream may hold. Constants, so that a log of events means the same whenever it is replayed.
#pragma once

#include <cstddef>

namespace pcgs::stream {

inline constexpr std::size_t kLongestName = 100;      // bytes, of a stream or an expert
inline constexpr std::size_t kLongestId = 200;        // bytes
inline constexpr std::size_t kMostExperts = 200;      // of one stream
inline constexpr std::size_t kMostOpenRounds = 1000;  // of one stream
inline constexpr std::size_t kLongestSeason = 20000;  // rounds
inline constexpr std::size_t kLongestMethod = 300;    // bytes
// Closed rounds, and changes of experts, whose answers are still known. An id that was closed longer
// ago is taken for a new one.
inline constexpr std::size_t kRemembered = 1000;

}  // namespace pcgs::stream
