#include "data/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "data/descriptor.h"
#include "pcgs/error.h"

namespace pcgs::io {

namespace {

// A file up to this size is brought into memory at once; a larger one page by page, on use.
constexpr std::size_t kBroughtIn = std::size_t{256} << 20;

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const auto cannot = [&](std::string_view why) {
    return Error(
        fmt::format("{}: cannot be read ({}); give the path of a file that can be", path, why));
  };
  // Nonblocking, so that a pipe is refused and not waited for.
  const Descriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file) throw cannot(std::strerror(errno));
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
  if (problem != 0) throw cannot(std::strerror(problem));
  if (!is_file) throw cannot("it is not a file");
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_);
}

}  // namespace pcgs::io
