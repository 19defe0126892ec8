// A 64-bit number made from words, in order. It tells apart what differs by accident; somebody who
// means to deceive can find other words with the same number.
//
//     h <- y ^ (y >> 32),  y = (h ^ word) * 0x9e3779b97f4a7c15 mod 2^64
//
// A step is one to one in h and in the word, so that what differs in one word always differs.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

namespace pcgs::io {

class Fingerprint {
 public:
  explicit Fingerprint(std::uint64_t start) : hash_(start) {}

  void add(std::uint64_t word) {
    const std::uint64_t x = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
    hash_ = x ^ (x >> 32);
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }

  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_;
};

}  // namespace pcgs::io
