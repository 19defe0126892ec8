#include "data/descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace pcgs {

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

}  // namespace pcgs
