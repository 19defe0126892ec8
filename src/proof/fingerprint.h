// FNV-1a of words of 64 bits, little-endian. What differs in one word always differs.
#pragma once

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "data/checksums.h"

namespace pcgs::io {

class Fingerprint {
 public:
  void add(std::uint64_t word) {
    hash_ = fnv1a(std::bit_cast<std::array<std::uint8_t, sizeof word>>(word), hash_);
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }

  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t hash_ = Fnv1aConstants<std::uint64_t>::kStart;
};

}  // namespace pcgs::io
