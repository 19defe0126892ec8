#include "serve/cache_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <string_view>

#include "pcgs/error.h"

namespace pcgs::worker {

namespace {

constexpr std::size_t kNameDigits = 16;

std::string random_name() {
  std::random_device device;
  const std::uint64_t bits = std::uint64_t{device()} << 32 | device();
  return fmt::format("{:016x}", bits);
}

bool is_name(std::string_view text) {
  return text.size() == kNameDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

CacheFolder::CacheFolder(std::string folder) : folder_(std::move(folder)) {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) throw Error(fmt::format("{}: cannot be made ({})", folder_, failed.message()));
  const std::string file = folder_ + "/worker";
  const auto fail = [&](const char* what) {
    const std::string why = std::strerror(errno);
    if (lock_ >= 0) close(lock_);
    throw Error(fmt::format("{}: {} ({})", file, what, why));
  };
  lock_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) fail("cannot be opened");
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    fail("another worker has this folder; give each worker a --cache of its own");
  }
  std::array<char, kNameDigits + 1> text{};
  const ssize_t size = pread(lock_, text.data(), text.size(), 0);
  if (size < 0) fail("cannot be read");
  worker_name_.assign(text.data(), static_cast<std::size_t>(size));
  if (is_name(worker_name_)) return;
  // New, or cut off while it was written for the first time.
  worker_name_ = random_name();
  if (ftruncate(lock_, 0) != 0 ||
      pwrite(lock_, worker_name_.data(), worker_name_.size(), 0) !=
          static_cast<ssize_t>(worker_name_.size()) ||
      fsync(lock_) != 0) {
    fail("cannot be written");
  }
}

CacheFolder::~CacheFolder() { close(lock_); }

std::string CacheFolder::partition(std::int32_t number) const {
  return fmt::format("{}/partition-{}", folder_, number);
}

}  // namespace pcgs::worker
