// Files that are written whole or not at all, and read whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/descriptor.h"
#include "data/temporary.h"

namespace pcgs {

// Collects output in a temporary beside `path` and renames it there on commit(). Dropped without a
// commit, it leaves nothing behind. Throws Error, naming the path, when it cannot be written or is
// something else than a file (a folder, a device, a pipe); the constructor already does, so that
// nobody computes for an hour first.
//
// A link is followed, also one that points to nothing yet: what it points to is replaced. A file that
// is replaced hands on its permissions. The temporary is called PATH.partial-ID, with an ID of 16
// random digits, and is locked while this process lives: one that is not was left by a process that
// was killed.
class WholeFile {
 public:
  explicit WholeFile(std::string path);
  // One of several files that appear together, with the ID of their OutputSet.
  WholeFile(std::string path, std::string_view id);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  // Never throws: what goes wrong here is said by commit().
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

  // The halves of commit(). Everything is on the disk, under the name of the temporary:
  void prepare();
  // It has its name, which outlives a power cut once its folder is synced. Signals must wait.
  void publish();
  // The temporary stays: a journal answers for it now. Or not any more.
  void hand_over();
  void take_back();

  const std::string& path() const { return path_; }    // as given
  const std::string& place() const { return place_; }  // place_of(path)

 private:
  [[noreturn]] void fail(int why);
  void flush();
  std::string path_;
  std::string place_;
  Temporary temporary_;
  Descriptor file_;
  std::vector<char> buffer_;
  int problem_ = 0;    // errno of the first write that failed
  bool ours_ = false;  // the temporary is there and is removed with this object
};

// 16 random digits. Throws Error, naming the path that they are for, if there are none.
std::string random_id(const std::string& path);

// What a temporary of `path` is called.
std::string temporary_name(std::string_view path, std::string_view id);

// Where a file of this name lies or would lie: an absolute path without links, also where the last
// part is a link that points to nothing yet. Two names of one place are one file.
std::string place_of(const std::string& path);
std::string folder_of(const std::string& place);

// Throws Error, naming the path, if it cannot be read, is a folder or a device, or holds more than
// `most` bytes.
inline constexpr std::size_t kMostBytesRead = std::size_t{8} << 30;
std::vector<std::uint8_t> read_whole_file(const std::string& path,
                                          std::size_t most = kMostBytesRead);

}  // namespace pcgs
