#include "data/input_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <span>

#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs::io {

namespace {

// A file up to this size is brought into memory at once; a larger one page by page, on use.
constexpr std::size_t kBroughtIn = std::size_t{256} << 20;

constexpr std::string_view kMagic = "\x1F\x8B";
constexpr int kGzipOnly = 16;  // zlib's way to say so: added to the bits of the window

Error cannot_read(const std::string& name, std::string_view why) {
  return Error(ErrorKind::kFile, {.file = name},
               fmt::format("cannot be read ({}); give the path of a file that can be", why));
}
Error cannot_read(const std::string& name, int why) {
  return cannot_read(name, std::strerror(why));
}

GrowingBytes read_to_end(int descriptor, const std::string& name) {
  GrowingBytes bytes;
  for (;;) {
    const std::span<char> room = bytes.room();
    const ssize_t got = read(descriptor, room.data(), room.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw cannot_read(name, errno);
    if (got == 0) return bytes;
    bytes.written(static_cast<std::size_t>(got));
    if (bytes.text().front() == '\0') {  // /dev/zero, say, which has no end
      throw Error(ErrorKind::kFormat, {.file = name},
                  "begins with a NUL byte; give text, .npy or either of them gzipped");
    }
    if (bytes.size() > kMostBytesHeld) {
      throw Error(
          ErrorKind::kLimit, {.file = name},
          fmt::format("holds more than {} bytes; give less at a time, or a file", kMostBytesHeld));
    }
  }
}

GrowingBytes read_standard_input(const std::string& name) {
  static std::atomic<bool> read_before{false};
  GrowingBytes bytes = read_to_end(STDIN_FILENO, name);
  if (read_before.exchange(true) && bytes.size() == 0) {
    throw Error(ErrorKind::kFile, {.file = name},
                "has been read already; give - once, and files otherwise");
  }
  return bytes;
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // Nonblocking, so that a pipe is refused and not waited for.
  const Descriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file) throw cannot_read(path, errno);
  struct stat status {};
  int problem = fstat(file.get(), &status) != 0 ? errno : 0;
  if (problem == 0 && S_ISDIR(status.st_mode)) problem = EISDIR;
  const bool is_file = S_ISREG(status.st_mode);
  if (problem == 0 && is_file && status.st_size > 0) {  // an empty mapping cannot be had
    size_ = static_cast<std::size_t>(status.st_size);
    const int flags = MAP_PRIVATE | (size_ <= kBroughtIn ? MAP_POPULATE : 0);
    void* const address = mmap(nullptr, size_, PROT_READ, flags, file.get(), 0);
    if (address == MAP_FAILED) {
      problem = errno;
    } else {
      data_ = static_cast<const std::uint8_t*>(address);
    }
  }
  if (problem != 0) throw cannot_read(path, problem);
  if (!is_file) throw cannot_read(path, "it is not a file");
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_);
}

bool is_gzipped(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

GrowingBytes gunzip(std::string_view bytes, const std::string& name, std::size_t most) {
  constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max();  // zlib counts with them
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  GrowingBytes out;
  for (;;) {
    const bool at_end = bytes.empty();
    const std::span<char> room = out.room();
    const std::size_t given = std::min(bytes.size(), kMostAtOnce);
    const std::size_t wanted = std::min(room.size(), kMostAtOnce);
    // zlib does not write to its input; its interface is older than const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(wanted);
    const int code = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(given - stream.avail_in);
    out.written(wanted - stream.avail_out);
    const auto refuse = [&](std::string_view why) {
      throw Error(ErrorKind::kFormat, {.file = name}, why);
    };
    if (out.size() > most) {
      throw Error(
          ErrorKind::kLimit, {.file = name},
          fmt::format("is gzipped and holds more than {} bytes; give less at a time, or the "
                      "file as it was before gzip",
                      most));
    }
    if (code == Z_STREAM_END) {
      if (bytes.find_first_not_of('\0') == std::string_view::npos) return out;
      if (!is_gzipped(bytes)) {
        refuse("is gzipped, but something else follows at its end; gzip the whole text");
      }
      inflateReset(&stream);
      continue;
    }
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_BUF_ERROR && at_end) refuse("is gzipped and cut off; get the file again");
    if (code != Z_OK && code != Z_BUF_ERROR) refuse("is gzipped and damaged; get the file again");
  }
}

InputBytes::InputBytes(const std::string& path) : name_(path == "-" ? kStandardInput : path) {
  if (path == "-") {
    held_ = read_standard_input(name_);
  } else {
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    using Kind = std::filesystem::file_type;
    if (kind == Kind::fifo || kind == Kind::character || kind == Kind::socket) {
      const Descriptor stream = open_file(path, O_RDONLY);
      if (!stream) throw cannot_read(path, errno);
      held_ = read_to_end(stream.get(), path);
    } else {
      file_.emplace(path);
      is_file_ = true;
    }
  }
  if (is_gzipped(text())) {
    held_ = gunzip(text(), name_, kMostBytesHeld);
    file_.reset();
  }
}

}  // namespace pcgs::io
