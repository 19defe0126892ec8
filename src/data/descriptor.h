// A file descriptor that is closed when its owner goes, and what several files do with one.
#pragma once

#include <string>
#include <utility>

namespace pcgs {

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

}  // namespace pcgs
