#include "data/input_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include "data/descriptor.h"
#include "data/gunzip.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

Error cannot_read(const std::string& name, int why) {
  return Error(fmt::format("{}: cannot be read ({}); give the path of a file that can be", name,
                           std::strerror(why)));
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
      throw Error(fmt::format(
          "{}: begins with a NUL byte; give text, .npy or either of them gzipped", name));
    }
    if (bytes.size() > kMostBytesHeld) {
      throw Error(fmt::format("{}: holds more than {} bytes; give less at a time, or a file", name,
                              kMostBytesHeld));
    }
  }
}

GrowingBytes read_standard_input(const std::string& name) {
  static std::atomic<bool> read_before{false};
  GrowingBytes bytes = read_to_end(STDIN_FILENO, name);
  if (read_before.exchange(true) && bytes.size() == 0) {
    throw Error(fmt::format("{}: has been read already; give - once, and files otherwise", name));
  }
  return bytes;
}

GrowingBytes read_stream(const std::string& path) {
  const Descriptor file = open_file(path, O_RDONLY);
  if (!file) throw cannot_read(path, errno);
  return read_to_end(file.get(), path);
}

}  // namespace

InputBytes::InputBytes(const std::string& path) : name_(path == "-" ? kStandardInput : path) {
  if (path == "-") {
    held_ = read_standard_input(name_);
  } else {
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    using Kind = std::filesystem::file_type;
    if (kind == Kind::fifo || kind == Kind::character || kind == Kind::socket) {
      held_ = read_stream(path);
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
