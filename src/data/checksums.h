// Checksums and hashes that are the same on every machine. They tell apart what differs by accident; nothing that
// somebody forges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pcgs {

// CRC-32 as in zlib and PNG.
class Crc32 {
 public:
  template <class Value>
  void add(std::span<const Value> values) {
    add_bytes(values.data(), values.size_bytes());
  }
  std::uint32_t value() const { return value_; }

 private:
  void add_bytes(const void* bytes, std::size_t size);
  std::uint32_t value_ = 0;
};

std::uint32_t crc32(std::span<const std::uint8_t> bytes);

template <class Hash>
struct Fnv1aConstants;
template <>
struct Fnv1aConstants<std::uint32_t> {
  static constexpr std::uint32_t kStart = 2166136261U, kPrime = 16777619U;
};
template <>
struct Fnv1aConstants<std::uint64_t> {
  static constexpr std::uint64_t kStart = 14695981039346656037U, kPrime = 1099511628211U;
};

// FNV-1a (Fowler, Noll and Vo) of a range of bytes or characters, in 32 or 64 bits; going on from the hash of what came before.
template <class Hash, class Bytes>
constexpr Hash fnv1a(const Bytes& bytes, Hash hash = Fnv1aConstants<Hash>::kStart) {
  for (const auto byte : bytes) {
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * Fnv1aConstants<Hash>::kPrime;
  }
  return hash;
}

}  // namespace pcgs
