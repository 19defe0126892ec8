// A table of texts that can be printed, saved as CSV and typeset.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pcgs::io {

struct TextTable {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // each as long as the head, if there is one
  std::size_t left = 1;                        // columns that begin on the left
};

// The first columns to the left, the others to the right, under the caption and the head if there
// are any. Widths count letters, not bytes.
std::string text(const TextTable& table);
std::string csv(const TextTable& table);
// A LaTeX table in the booktabs style; "±" becomes $\pm$.
std::string latex(const TextTable& table, const std::string& label);

// "1 round", "12 rounds".
std::string counted(std::size_t n, const char* what);
// "66 ns", "12 us", "34 ms".
std::string time_text(double ns);

}  // namespace pcgs::io
