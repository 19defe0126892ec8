// A small reader of CSV files for tests: quoted cells, no embedded line breaks.
#pragma once

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::test {

inline std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

inline std::vector<std::vector<std::string>> csv_rows(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot open " + path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) rows.push_back(csv_cells(line));
  return rows;
}

// The numbers below the header.
inline Matrix csv_matrix(const std::string& path) {
  const auto rows = csv_rows(path);
  Matrix out(rows.size() - 1, rows.at(0).size());
  for (std::size_t t = 0; t < out.rows; ++t) {
    for (std::size_t k = 0; k < out.columns; ++k) {
      out.row(t)[k] = std::strtod(rows.at(t + 1).at(k).c_str(), nullptr);
    }
  }
  return out;
}

}  // namespace pcgs::test
