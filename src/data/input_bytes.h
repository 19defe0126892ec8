// The bytes of an input: a file (mapped), "-" for standard input, either gzipped (told by its first
// bytes, whatever its name).
//
// What is neither a file nor a folder (a pipe, as in `pcgs run <(zcat x)`, or a device) is read to
// its end like standard input. A folder, a file that is not there, a gzipped text that is cut off
// or damaged, or more than 16 GiB that must be held in memory are an Error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "data/growing_bytes.h"
#include "data/mapped_file.h"

namespace pcgs::io {

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
