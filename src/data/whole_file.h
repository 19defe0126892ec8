// Files that are written whole or not at all, and read whole; and what they stand on: descriptors, locks, and temporaries
// that no signal leaves behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pcgs {

// Closed when its owner goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void close();

 private:
  int number_ = -1;
};

// Opens, however often a signal comes in between. Closed if the process starts another program.
Descriptor open_file(const std::string& path, int flags, unsigned mode = 0);

// Whether this process holds the file now; nobody waits. A lock goes when its holder does, however
// that ends, so a file that can be locked has lost its owner.
enum class Lock { kTaken, kHeldByOther, kUnknown };
Lock try_lock(const Descriptor& file, bool shared = false);

// Waits until nobody else holds the folder. Where folders cannot be locked nothing happens.
Descriptor lock_folder(const std::string& folder);

// Makes names in a folder outlive a power cut. Gives an errno, 0 if all is well; also where a file
// system has no such thing, or does not let us open the folder.
int sync_folder(const std::string& folder);

// Files that must not outlive the process, and what a signal does about them.
//
// The names of all temporaries that live are kept in a list. A program that calls
// remove_temporaries_on_signals() loses none of them to SIGINT, SIGTERM and their like: they are
// removed, and the process dies by the signal that came. While files get their names (SignalsWait),
// a signal waits until that is done.

// While one of these lives, a signal that would end the process is put off. Whichever thread it is
// delivered to.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();  // dies here, if a signal came
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
};

// For programs, at their start: a library leaves signals to its host. Signals that are ignored
// (nohup) stay so. A file that grows beyond its limit is an error that is told, and no signal.
void remove_temporaries_on_signals();

// For a process that is about to die in another way. No thread gives a file its name after this.
void remove_temporaries_for_good();

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
  void remove();
  std::string path_;
  std::string place_;
  std::string temporary_;
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
