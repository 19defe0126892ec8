// The name that was probably meant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace pcgs::cli {

// Letters to insert, delete or replace to get from one to the other.
inline std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Requires a name to choose from; the first of several that are as near.
inline std::string nearest(const std::string& given, const std::vector<std::string>& names) {
  return *std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edits(given, a) < edits(given, b);
  });
}

}  // namespace pcgs::cli
