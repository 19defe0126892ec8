#include "data/gunzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <span>

#include "pcgs/error.h"

namespace pcgs::io {
namespace {

constexpr std::string_view kMagic = "\x1F\x8B";
constexpr int kGzipOnly = 16;  // zlib's way to say so: added to the bits of the window

class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // One step: takes from the front of `in`, writes to the end of `out`, returns zlib's code.
  int inflate_some(std::string_view& in, GrowingBytes& out) {
    // zlib counts with unsigned int.
    constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max();
    const std::span<char> room = out.room();
    const std::size_t given = std::min(in.size(), kMostAtOnce);
    const std::size_t wanted = std::min(room.size(), kMostAtOnce);
    // zlib does not write to its input; its interface is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(wanted);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(given - stream_.avail_in);
    out.written(wanted - stream_.avail_out);
    return code;
  }

  void next_member() { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

}  // namespace

bool is_gzipped(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

GrowingBytes gunzip(std::string_view bytes, const std::string& name, std::size_t most) {
  Inflater inflater;
  GrowingBytes out;
  for (;;) {
    const bool at_end = bytes.empty();
    const int code = inflater.inflate_some(bytes, out);
    if (out.size() > most) {
      throw Error(
          fmt::format("{}: is gzipped and holds more than {} bytes; give less at a time, or the "
                      "file as it was before gzip",
                      name, most));
    }
    if (code == Z_STREAM_END) {
      if (bytes.find_first_not_of('\0') == std::string_view::npos) return out;
      if (!is_gzipped(bytes)) {
        throw Error(fmt::format(
            "{}: is gzipped, but something else follows at its end; gzip the whole text", name));
      }
      inflater.next_member();
      continue;
    }
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_BUF_ERROR && at_end) {
      throw Error(fmt::format("{}: is gzipped and cut off; get the file again", name));
    }
    if (code != Z_OK && code != Z_BUF_ERROR) {
      throw Error(fmt::format("{}: is gzipped and damaged; get the file again", name));
    }
  }
}

}  // namespace pcgs::io
