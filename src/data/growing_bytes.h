// Bytes of which nobody knows beforehand how many there will be.
//
// Not a std::string: realloc moves the pages of a large block instead of copying it, so that
// hundreds of megabytes are never there twice, and what is not yet written takes no memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string_view>

namespace pcgs::io {

class GrowingBytes {
 public:
  // Where to write what comes next; at least one byte, valid until the next call.
  std::span<char> room() {
    if (size_ == capacity_) grow();
    return {bytes_.get() + size_, capacity_ - size_};
  }
  // So many bytes were written there.
  void written(std::size_t bytes) { size_ += bytes; }

  std::string_view text() const { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  void grow() {
    constexpr std::size_t kFirst = std::size_t{1} << 20;
    const std::size_t larger = std::max(kFirst, capacity_ + capacity_ / 2);
    void* const moved = std::realloc(bytes_.get(), larger);
    if (moved == nullptr) throw std::bad_alloc();
    static_cast<void>(bytes_.release());  // realloc freed it or moved it
    bytes_.reset(static_cast<char*>(moved));
    capacity_ = larger;
  }

  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace pcgs::io
