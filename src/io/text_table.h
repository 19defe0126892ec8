// A table of texts that can be printed, saved as CSV and typeset.
#pragma once

#include <string>
#include <vector>

namespace pcgs::io {

struct TextTable {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // each as long as the head
};

// The first column to the left, the others to the right, under the caption if there is one.
std::string text(const TextTable& table);
std::string csv(const TextTable& table);
// A LaTeX table in the booktabs style; "±" becomes $\pm$.
std::string latex(const TextTable& table, const std::string& label);

}  // namespace pcgs::io
