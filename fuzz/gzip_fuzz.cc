// Any bytes as a gzipped text: unzipped, within the limit, or refused with an Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/input_bytes.h"
#include "data/invariant.h"
#include "pcgs/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = std::size_t{1} << 16;  // a few bytes may say much
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const pcgs::io::GrowingBytes text = pcgs::io::gunzip(bytes, "fuzz", kMost);
    pcgs::invariant(pcgs::io::is_gzipped(bytes), "only what begins like it is gzipped");
    pcgs::invariant(text.size() <= kMost, "no more than it may hold");
  } catch (const pcgs::Error&) {
  }
  return 0;
}
