// CRC-32 as in zlib and PNG: it finds damage by accident; nothing that somebody forges.
#pragma once

#include <boost/crc.hpp>
#include <cstdint>
#include <span>

namespace pcgs {

class Crc32 {
 public:
  template <class Value>
  void add(std::span<const Value> values) {
    crc_.process_bytes(values.data(), values.size_bytes());
  }
  std::uint32_t value() const { return crc_.checksum(); }

 private:
  boost::crc_32_type crc_;
};

inline std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  Crc32 crc;
  crc.add(bytes);
  return crc.value();
}

}  // namespace pcgs
