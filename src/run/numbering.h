// Numbers for texts, in the order of their first appearance.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pcgs::compare {

class Numbering {
 public:
  std::size_t of(std::string_view text) {
    const auto [at, is_new] = numbers_.emplace(std::string(text), texts_.size());
    if (is_new) texts_.emplace_back(text);
    return at->second;
  }
  std::size_t size() const { return texts_.size(); }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace pcgs::compare
