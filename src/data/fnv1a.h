// FNV-1a (Fowler, Noll and Vo): a hash that is the same on every machine. It tells things apart
// that differ by accident; nothing that somebody forges.
#pragma once

#include <cstdint>

namespace pcgs {

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

// Of a range of bytes or characters, in 32 or 64 bits; going on from the hash of what came before.
template <class Hash, class Bytes>
constexpr Hash fnv1a(const Bytes& bytes, Hash hash = Fnv1aConstants<Hash>::kStart) {
  for (const auto byte : bytes) {
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * Fnv1aConstants<Hash>::kPrime;
  }
  return hash;
}

}  // namespace pcgs
