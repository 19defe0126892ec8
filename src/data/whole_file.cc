#include "data/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "pcgs/error.h"

namespace pcgs {

namespace fs = std::filesystem;

void Descriptor::close() {
  // What was written is synced before; nothing that close() could say would change anything.
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

Descriptor open_file(const std::string& path, int flags, unsigned mode) {
  int number = -1;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  return Descriptor(number);
}

Lock try_lock(const Descriptor& file, bool shared) {
  if (flock(file.get(), (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return Lock::kTaken;
  return errno == EWOULDBLOCK ? Lock::kHeldByOther : Lock::kUnknown;
}

Descriptor lock_folder(const std::string& folder) {
  Descriptor opened = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (opened) {
    while (flock(opened.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  return opened;
}

int sync_folder(const std::string& folder) {
  const Descriptor opened = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!opened) return errno == EACCES ? 0 : errno;
  if (fsync(opened.get()) == 0) return 0;
  return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

namespace {

// What the handler looks at. It may run on any thread at any moment, so the list has a lock that
// spins, and whoever holds it cannot be interrupted: signals are blocked on that thread, and the
// handler itself blocks them.
struct TemporaryList {
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  std::set<std::string> paths;
  int waiting = 0;  // SignalsWait that live
  int pending = 0;  // the signal that came meanwhile

  void take() {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  void give_back() { busy.clear(std::memory_order_release); }

  // The lock is never given back after this: from here on no thread gives a file its name.
  void remove_all() const {
    for (const auto& path : paths) unlink(path.c_str());
  }

  [[noreturn]] void remove_all_and_die(int signal) const {
    remove_all();
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    sigset_t this_one;
    sigemptyset(&this_one);
    sigaddset(&this_one, signal);
    pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
    raise(signal);
    _exit(128 + signal);
  }
};

TemporaryList& list = *new TemporaryList;  // for ever: a signal may come while the process ends

class ListLock {
 public:
  ListLock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    list.take();
  }
  ~ListLock() {
    list.give_back();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  ListLock(const ListLock&) = delete;
  ListLock& operator=(const ListLock&) = delete;

 private:
  sigset_t before_;
};

void handle(int signal) {
  const int kept = errno;
  list.take();
  if (list.waiting == 0) list.remove_all_and_die(signal);
  list.pending = signal;
  list.give_back();
  errno = kept;
}

}  // namespace

SignalsWait::SignalsWait() {
  const ListLock lock;
  ++list.waiting;
}

SignalsWait::~SignalsWait() {
  const ListLock lock;
  if (--list.waiting == 0 && list.pending != 0) list.remove_all_and_die(list.pending);
}

void remove_temporaries_on_signals() {
  struct sigaction ours = {};
  ours.sa_handler = handle;
  sigfillset(&ours.sa_mask);
  ours.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction found = {};
    sigaction(signal, nullptr, &found);
    if (found.sa_handler == SIG_DFL) sigaction(signal, &ours, nullptr);
  }
  signal(SIGXFSZ, SIG_IGN);
}

void remove_temporaries_for_good() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  list.take();
  list.remove_all();
}

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;
constexpr int kMostLinks = 40;  // as many as Linux follows

// Refuses what is no file, before anything is made beside it.
std::string checked_place(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kFile, {.file = path},
                fmt::format("cannot be written (it is {}); give the path of a file", why));
  };
  if (path.empty() || path.back() == '/') refuse("a folder");
  std::error_code why;
  const auto kind = fs::status(path, why).type();
  if (kind == fs::file_type::directory) refuse("a folder");
  if (kind == fs::file_type::none) {
    throw Error(
        ErrorKind::kFile, {.file = path},
        fmt::format("cannot be written ({}); give a path in a folder that can be", why.message()));
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
    throw Error(ErrorKind::kFile, {.file = path},
                fmt::format("cannot be written (no random numbers: {})", std::strerror(errno)));
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
    throw Error(ErrorKind::kFile, {.file = path_},
                "cannot be written (it belongs to somebody else); give another path");
  }
  {
    const ListLock lock;  // listed before it is there, so that no moment is without it
    list.paths.insert(temporary_);
  }
  // O_EXCL: never over somebody else's file. Until it has the permissions of the one that it
  // replaces, it has none for others.
  file_ = open_file(temporary_, O_WRONLY | O_CREAT | O_EXCL, there ? 0600 : 0666);
  if (!file_) {
    const int why = errno;
    hand_over();
    throw Error(ErrorKind::kFile, {.file = path_},
                fmt::format("cannot be written ({}); give a path in a folder that can be",
                            std::strerror(why)));
  }
  ours_ = true;
  try_lock(file_);
  if (there) hand_on_permissions(file_, replaced);
}

WholeFile::~WholeFile() { remove(); }

void WholeFile::remove() {
  if (!ours_) return;
  unlink(temporary_.c_str());
  hand_over();
}

void WholeFile::fail(int why) {
  remove();
  throw Error(ErrorKind::kFile, {.file = path_},
              fmt::format("cannot be written ({}); what was there before is unchanged",
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
  if (std::rename(temporary_.c_str(), place_.c_str()) != 0) fail(errno);
  hand_over();
}

void WholeFile::hand_over() {
  ours_ = false;
  const ListLock lock;
  list.paths.erase(temporary_);
}

void WholeFile::take_back() { ours_ = true; }

void WholeFile::commit() {
  prepare();
  const SignalsWait until_it_is_there;
  publish();
  if (const int why = sync_folder(folder_of(place_)); why != 0) {
    throw Error(
        ErrorKind::kFile, {.file = path_},
        fmt::format("is written, but might not outlive a power cut ({})", std::strerror(why)));
  }
}

std::vector<std::uint8_t> read_whole_file(const std::string& path, std::size_t most) {
  const auto cannot = [&](int why) {
    return Error(ErrorKind::kFile, {.file = path},
                 fmt::format("cannot be read ({}); give the path of a file that can be",
                             std::strerror(why)));
  };
  std::error_code ignored;
  const auto kind = fs::status(path, ignored).type();
  if (kind == fs::file_type::directory) throw cannot(EISDIR);
  if (kind == fs::file_type::character || kind == fs::file_type::block) {
    throw Error(ErrorKind::kFile, {.file = path}, "is a device; give the path of a file");
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
        throw Error(ErrorKind::kLimit, {.file = path},
                    fmt::format("holds more than {} bytes, which no file of this kind does; give "
                                "a file that pcgs wrote",
                                most));
      }
      bytes.insert(bytes.end(), block.begin(), block.begin() + got);
    } else if (errno != EINTR) {
      throw cannot(errno);
    }
  }
}

}  // namespace pcgs
