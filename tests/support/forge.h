// State files as an attacker would write them: anything inside, and a checksum that fits.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

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

}  // namespace pcgs::test
