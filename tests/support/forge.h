// State files as an attacker would write them: anything inside, and a checksum that fits.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "support/random.h"

namespace pcgs::test {

inline constexpr std::size_t kStateHeader = 8 + 4 + 4 + 8 + 8;

// CRC-32 as in zlib and PNG, bit by bit.
inline std::uint32_t crc32(std::span<const std::uint8_t> data) {
  std::uint32_t crc = 0xffffffffu;
  for (std::uint8_t byte : data) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

inline void put_u32(std::vector<std::uint8_t>& file, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

inline void put_u64(std::vector<std::uint8_t>& file, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) file[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// Makes the last four bytes the checksum of the rest.
inline void seal(std::vector<std::uint8_t>& file) {
  put_u32(file, file.size() - 4, crc32({file.data(), file.size() - 4}));
}

// A state of an aggregator whose numbers, every `step` bytes, are replaced by awkward or by any ones:
// each is refused, or loaded and handed to `use`, after which it can be saved and loaded again. How
// many were refused.
template <class Use>
std::size_t replace_numbers(std::span<const std::uint8_t> file, std::size_t step, Random& random,
                            const Use& use) {
  const double awkward[] = {NAN, INFINITY, 1e308, -1e299, 5e-324, 0.0, 1e15, -1.0};
  std::size_t refused = 0;
  for (std::size_t at = kStateHeader; at + 12 <= file.size(); at += step) {
    const double value =
        random.chance(0.5) ? awkward[random.below(8)] : random.log_uniform(1e-12, 1e12);
    SCOPED_TRACE(std::to_string(value) + " at " + std::to_string(at));
    std::vector<std::uint8_t> forged(file.begin(), file.end());
    put_u64(forged, at, std::bit_cast<std::uint64_t>(value));
    seal(forged);
    std::optional<Aggregator> loaded;
    try {
      loaded = Aggregator::load_bytes(forged, "forged", make_method);
    } catch (const Error&) {
      ++refused;
      continue;
    }
    use(*loaded);
    const auto saved = loaded->save_bytes();
    EXPECT_EQ(Aggregator::load_bytes(saved, "again", make_method).save_bytes(), saved);
    if (::testing::Test::HasFailure()) break;
  }
  return refused;
}

}  // namespace pcgs::test
