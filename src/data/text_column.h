// The texts of one column, one after the other in one buffer: a million short ones cost no
// allocation each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs::io {

class TextColumn {
 public:
  std::string name;  // as in the header; empty where the file gives none

  void add(std::string_view text) {
    letters_.append(text);
    ends_.push_back(letters_.size());
  }

  // Valid until the next add().
  std::string_view operator[](std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(letters_).substr(begin, ends_[row] - begin);
  }

  std::size_t size() const { return ends_.size(); }

 private:
  std::string letters_;
  std::vector<std::size_t> ends_;  // [rows] where in letters_ each text ends
};

}  // namespace pcgs::io
