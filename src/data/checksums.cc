#include "data/checksums.h"

#include <zlib.h>

namespace pcgs {

void Crc32::add_bytes(const void* bytes, std::size_t size) {
  if (size == 0) return;  // zlib takes a null pointer for a new beginning
  value_ = static_cast<std::uint32_t>(::crc32_z(value_, static_cast<const Bytef*>(bytes), size));
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  Crc32 crc;
  crc.add(bytes);
  return crc.value();
}

}  // namespace pcgs
