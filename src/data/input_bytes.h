// The bytes of an input: a file (mapped), "-" for standard input, either gzipped (told by its first
// bytes, whatever its name).
//
// What is neither a file nor a folder (a pipe, as in `pcgs run <(zcat x)`, or a device) is read to
// its end like standard input. A folder, a file that is not there, a gzipped text that is cut off
// or damaged, or more than 16 GiB that must be held in memory are an Error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pcgs::io {

// A file where it lies: mapped, not read, so it may be larger than memory. Requires that nobody shortens the file meanwhile.
class MappedFile {
 public:
  // Throws Error, naming the path, for what is not there or is not a file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

// Bytes of which nobody knows beforehand how many there will be.
//
// Not a std::string: realloc moves the pages of a large block instead of copying it, so that
// hundreds of megabytes are never there twice, and what is not yet written takes no memory.
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

// Whether it begins like a gzipped text.
bool is_gzipped(std::string_view bytes);

// What a gzipped text holds. Several members, one after the other, are one text; zeros that pad the
// end are ignored. An Error, whose file is `name`, if the text is cut off or damaged, or larger than `most`
// bytes.
GrowingBytes gunzip(std::string_view bytes, const std::string& name, std::size_t most);

inline constexpr std::string_view kStandardInput = "standard input";
inline constexpr std::size_t kMostBytesHeld = std::size_t{16} << 30;

class InputBytes {
 public:
  explicit InputBytes(const std::string& path);
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;

  std::string_view text() const { return file_ ? file_->text() : held_.text(); }
  // For messages: the path, or "standard input" for "-".
  const std::string& name() const { return name_; }
  // Whether the path is the name of a file, so that its end says something about the format.
  bool is_file() const { return is_file_; }

 private:
  std::string name_;
  bool is_file_ = false;
  std::optional<MappedFile> file_;  // none where the bytes are held
  GrowingBytes held_;
};

}  // namespace pcgs::io
