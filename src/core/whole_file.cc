#include "core/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "pcgs/error.h"

namespace pcgs {

WholeFile::WholeFile(std::string path) : path_(std::move(path)) {
  static std::atomic<unsigned> count{0};
  temporary_ = fmt::format("{}.partial-{}-{}", path_, getpid(), count++);
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    errno = EISDIR;
  } else {
    file_ = std::fopen(temporary_.c_str(), "wbx");  // x: never over somebody else's file
  }
  if (file_ == nullptr) {
    throw Error(fmt::format("{}: cannot be written ({}); give a path in a folder that can be",
                            path_, std::strerror(errno)));
  }
}

WholeFile::~WholeFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(temporary_.c_str());
}

void WholeFile::fail() {
  const int why = errno;
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  std::remove(temporary_.c_str());
  throw Error(
      fmt::format("{}: cannot be written ({}); nothing was left there", path_, std::strerror(why)));
}

void WholeFile::write(const void* data, std::size_t size) {
  if (size > 0 && std::fwrite(data, 1, size, file_) != size) fail();
}

void WholeFile::commit() {
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail();
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
}

std::vector<std::uint8_t> read_whole_file(const std::string& path) {
  const auto cannot = [&](int why) {
    return Error(fmt::format("{}: cannot be read ({})", path, std::strerror(why)));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw cannot(EISDIR);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw cannot(errno);
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> block(std::size_t{1} << 20);
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file)) {
    bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got));
  }
  const int why = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (why != 0) throw cannot(why);
  return bytes;
}

}  // namespace pcgs
