// What pcgs forecast saves: the pool and the aggregator, after the last value that was known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcgs::studies {

struct ForecastState {
  std::vector<std::uint8_t> pool, aggregator;  // as each of them saves itself
  std::vector<std::size_t> seasons;            // of the pool

  // A state file (pcgs/state.h) with both in it.
  std::vector<std::uint8_t> file() const;
  // Throws Error, naming the file.
  static ForecastState load(const std::string& path);
};

}  // namespace pcgs::studies
