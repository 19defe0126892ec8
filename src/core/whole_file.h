// Files that are written whole or not at all, and read whole.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs {

// Collects output in a temporary beside `path` and renames it there on commit(). Dropped without a
// commit, it leaves nothing behind. Throws Error, naming the path, when it cannot be written or is
// something else than a file (a folder, a device, a pipe); the constructor already does, so that
// nobody computes for an hour first. A link is followed: what it points to is replaced.
class WholeFile {
 public:
  explicit WholeFile(std::string path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  // Never throws: what goes wrong here is said by commit().
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  [[noreturn]] void fail(int why);
  std::string path_;    // as given, for messages
  std::string target_;  // behind links
  std::string temporary_;
  std::FILE* file_ = nullptr;
  int problem_ = 0;  // errno of the first write that failed
};

std::vector<std::uint8_t> read_whole_file(const std::string& path);

}  // namespace pcgs
