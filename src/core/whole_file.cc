#include "core/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "pcgs/error.h"

namespace pcgs {

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(path_) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto kind = fs::status(path_, ignored).type();
  if (kind != fs::file_type::not_found && kind != fs::file_type::regular) {
    throw Error(fmt::format("{}: cannot be written (it is {}); give the path of a file", path_,
                            kind == fs::file_type::directory ? "a folder" : "not a file"));
  }
  if (fs::is_symlink(path_, ignored)) target_ = fs::weakly_canonical(path_, ignored).string();
  static std::atomic<unsigned> count{0};
  temporary_ = fmt::format("{}.partial-{}-{}", target_, getpid(), count++);
  file_ = std::fopen(temporary_.c_str(), "wbx");  // x: never over somebody else's file
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

void WholeFile::fail(int why) {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  std::remove(temporary_.c_str());
  throw Error(fmt::format("{}: cannot be written ({}); what was there before is unchanged", path_,
                          std::strerror(why)));
}

void WholeFile::write(const void* data, std::size_t size) {
  if (problem_ == 0 && size > 0 && std::fwrite(data, 1, size, file_) != size) problem_ = errno;
}

void WholeFile::commit() {
  if (problem_ != 0) fail(problem_);
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail(errno);
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0 || std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
}

std::vector<std::uint8_t> read_whole_file(const std::string& path) {
  const auto cannot = [&](int why) {
    return Error(fmt::format("{}: cannot be read ({}); give the path of a file that can be", path,
                             std::strerror(why)));
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
