#include "data/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "pcgs/error.h"

namespace pcgs {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;
constexpr int kMostLinks = 40;  // as many as Linux follows

// Refuses what is no file, before anything is made beside it.
std::string checked_place(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        fmt::format("{}: cannot be written (it is {}); give the path of a file", path, why));
  };
  if (path.empty() || path.back() == '/') refuse("a folder");
  std::error_code why;
  const auto kind = fs::status(path, why).type();
  if (kind == fs::file_type::directory) refuse("a folder");
  if (kind == fs::file_type::none) {
    throw Error(fmt::format("{}: cannot be written ({}); give a path in a folder that can be", path,
                            why.message()));
  }
  if (kind != fs::file_type::not_found && kind != fs::file_type::regular) refuse("not a file");
  return place_of(path);
}

// In such a folder, /tmp for one, only owners replace a file: said now, and not after the work.
bool somebody_elses(const std::string& place, const struct stat& replaced) {
  struct stat folder = {};
  return stat(folder_of(place).c_str(), &folder) == 0 && (folder.st_mode & S_ISVTX) != 0 &&
         geteuid() != 0 && geteuid() != replaced.st_uid && geteuid() != folder.st_uid;
}

// Owner and group as well, where we may. Whoever is in another group now gets no more than anybody.
void hand_on_permissions(const Descriptor& file, const struct stat& replaced) {
  struct stat ours = {};
  if (fstat(file.get(), &ours) != 0) return;
  mode_t mode = replaced.st_mode & 0777;
  if (ours.st_uid != replaced.st_uid &&
      fchown(file.get(), replaced.st_uid, static_cast<gid_t>(-1)) != 0) {
    // It becomes ours then.
  }
  if (ours.st_gid != replaced.st_gid &&
      fchown(file.get(), static_cast<uid_t>(-1), replaced.st_gid) != 0) {
    mode &= ~static_cast<mode_t>(070) | ((mode & 07) << 3);
  }
  fchmod(file.get(), mode);
}

}  // namespace

std::string random_id(const std::string& path) {
  std::uint64_t bits = 0;
  ssize_t got = 0;
  do {
    got = getrandom(&bits, sizeof bits, 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof bits) {
    throw Error(
        fmt::format("{}: cannot be written (no random numbers: {})", path, std::strerror(errno)));
  }
  return fmt::format("{:016x}", bits);
}

std::string temporary_name(std::string_view path, std::string_view id) {
  return fmt::format("{}.partial-{}", path, id);
}

std::string place_of(const std::string& path) {
  std::error_code failed;
  fs::path at = fs::absolute(path, failed);
  if (failed) at = path;
  for (int links = 0; links < kMostLinks; ++links) {
    const fs::path to = fs::read_symlink(at, failed);
    if (failed) break;
    at = at.parent_path() / to;
  }
  // The last part is none of a link's business any more; what is above it may still be.
  const fs::path folder = fs::weakly_canonical(at.parent_path(), failed);
  return ((failed ? at.parent_path() : folder) / at.filename()).string();
}

std::string folder_of(const std::string& place) { return fs::path(place).parent_path().string(); }

WholeFile::WholeFile(std::string path) : WholeFile(path, random_id(path)) {}

WholeFile::WholeFile(std::string path, std::string_view id)
    : path_(std::move(path)), place_(checked_place(path_)), temporary_(temporary_name(place_, id)) {
  buffer_.reserve(kBuffer);
  struct stat replaced = {};
  const bool there = stat(place_.c_str(), &replaced) == 0;
  if (there && somebody_elses(place_, replaced)) {
    throw Error(fmt::format(
        "{}: cannot be written (it belongs to somebody else); give another path", path_));
  }
  // O_EXCL: never over somebody else's file. Until it has the permissions of the one that it
  // replaces, it has none for others.
  file_ = open_file(temporary_.path(), O_WRONLY | O_CREAT | O_EXCL, there ? 0600 : 0666);
  if (!file_) {
    throw Error(fmt::format("{}: cannot be written ({}); give a path in a folder that can be",
                            path_, std::strerror(errno)));
  }
  ours_ = true;
  try_lock(file_);
  if (there) hand_on_permissions(file_, replaced);
}

WholeFile::~WholeFile() {
  if (ours_) temporary_.remove();
}

void WholeFile::fail(int why) {
  if (ours_) temporary_.remove();
  ours_ = false;
  throw Error(fmt::format("{}: cannot be written ({}); what was there before is unchanged", path_,
                          std::strerror(why)));
}

void WholeFile::flush() {
  const char* at = buffer_.data();
  const char* const end = at + buffer_.size();
  while (problem_ == 0 && at != end) {
    const ssize_t done = ::write(file_.get(), at, static_cast<std::size_t>(end - at));
    if (done >= 0) {
      at += done;
    } else if (errno != EINTR) {
      problem_ = errno;
    }
  }
  buffer_.clear();
}

void WholeFile::write(const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const std::size_t part = std::min(size, kBuffer - buffer_.size());
    buffer_.insert(buffer_.end(), at, at + part);  // within what is reserved
    if (buffer_.size() == kBuffer) flush();
    at += part;
    size -= part;
  }
}

void WholeFile::prepare() {
  flush();
  if (problem_ == 0 && fsync(file_.get()) != 0) problem_ = errno;
  if (problem_ != 0) fail(problem_);
}

void WholeFile::publish() {
  if (std::rename(temporary_.path().c_str(), place_.c_str()) != 0) fail(errno);
  hand_over();
}

void WholeFile::hand_over() {
  ours_ = false;
  temporary_.keep();
}

void WholeFile::take_back() { ours_ = true; }

void WholeFile::commit() {
  prepare();
  const SignalsWait until_it_is_there;
  publish();
  if (const int why = sync_folder(folder_of(place_)); why != 0) {
    throw Error(fmt::format("{}: is written, but might not outlive a power cut ({})", path_,
                            std::strerror(why)));
  }
}

std::vector<std::uint8_t> read_whole_file(const std::string& path, std::size_t most) {
  const auto cannot = [&](int why) {
    return Error(fmt::format("{}: cannot be read ({}); give the path of a file that can be", path,
                             std::strerror(why)));
  };
  std::error_code ignored;
  const auto kind = fs::status(path, ignored).type();
  if (kind == fs::file_type::directory) throw cannot(EISDIR);
  if (kind == fs::file_type::character || kind == fs::file_type::block) {
    throw Error(fmt::format("{}: is a device; give the path of a file", path));
  }
  const Descriptor file = open_file(path, O_RDONLY);
  if (!file) throw cannot(errno);
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> block(std::size_t{1} << 20);
  while (true) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got == 0) return bytes;
    if (got > 0) {
      if (bytes.size() + static_cast<std::size_t>(got) > most) {
        throw Error(
            fmt::format("{}: holds more than {} bytes, which no file of this kind does; give "
                        "a file that pcgs wrote",
                        path, most));
      }
      bytes.insert(bytes.end(), block.begin(), block.begin() + got);
    } else if (errno != EINTR) {
      throw cannot(errno);
    }
  }
}

}  // namespace pcgs
