// State files for fuzzing: bytes put into the frame of include/pcgs/state.h, with a checksum that fits,
// and edits of what was really saved.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "data/checksums.h"
#include "pcgs/state.h"

namespace pcgs::fuzz {

using Bytes = std::vector<std::uint8_t>;
using Input = std::span<const std::uint8_t>;

inline constexpr std::size_t kHeaderSize = 32;
inline constexpr std::size_t kChecksumSize = 4;

template <typename Unsigned>
void append(Bytes& file, Unsigned value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    file.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

// The format at the top of state.h.
inline Bytes framed(Input payload, std::uint64_t architecture) {
  constexpr std::string_view kMagic = "PCGSSTAT";
  Bytes file(kMagic.begin(), kMagic.end());
  append<std::uint32_t>(file, kStateVersion);
  append<std::uint32_t>(file, 0);
  append<std::uint64_t>(file, architecture);
  append<std::uint64_t>(file, payload.size());
  file.insert(file.end(), payload.begin(), payload.end());
  append<std::uint32_t>(file, crc32(file));
  return file;
}

inline Bytes payload_of(Input file) {
  const Input payload = file.subspan(kHeaderSize, file.size() - kHeaderSize - kChecksumSize);
  return {payload.begin(), payload.end()};
}

// Eight bytes that are awkward as a number or as a count.
inline constexpr std::uint64_t kAwkward[] = {
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()),
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()),
    std::bit_cast<std::uint64_t>(-std::numeric_limits<double>::infinity()),
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max()),
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::lowest()),
    std::bit_cast<std::uint64_t>(1e299),
    std::bit_cast<std::uint64_t>(-1e299),
    std::bit_cast<std::uint64_t>(1e-299),
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::denorm_min()),
    std::bit_cast<std::uint64_t>(-1.0),
    std::bit_cast<std::uint64_t>(-0.0),
    std::bit_cast<std::uint64_t>(1.0),
    std::bit_cast<std::uint64_t>(2.0),
    0,
    1,
    std::numeric_limits<std::int64_t>::max(),
    std::numeric_limits<std::uint64_t>::max(),
};

// 4 bytes each: what, offset (u16), value.
inline void edit(Bytes& payload, Input edits) {
  for (; edits.size() >= 4 && !payload.empty(); edits = edits.subspan(4)) {
    const std::size_t offset = (edits[1] + 256u * edits[2]) % payload.size();
    const std::uint8_t value = edits[3];
    const auto place = payload.begin() + static_cast<std::ptrdiff_t>(offset);
    switch (edits[0] % 4) {
      case 0:
        *place = value;
        break;
      case 1: {
        Bytes number;
        append(number, kAwkward[value % std::size(kAwkward)]);
        for (std::size_t i = 0; i < number.size() && offset + i < payload.size(); ++i) {
          payload[offset + i] = number[i];
        }
        break;
      }
      case 2:
        payload.insert(place, value);
        break;
      default:
        payload.erase(place);
    }
  }
}

}  // namespace pcgs::fuzz
