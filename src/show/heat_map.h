// Rows, columns, and for each pair a colour from worse to better and a text.
#pragma once

#include <string>
#include <vector>

#include "show/blocks.h"

namespace pcgs::report {

struct HeatMap {
  struct Cell {
    double value;  // NaN: an empty cell
    std::string text;
    std::string note;  // below it, small; empty: none
  };
  std::vector<std::string> rows, columns;
  std::vector<Cell> cells;  // [rows x columns]

  const Cell& at(std::size_t row, std::size_t column) const {
    return cells[row * columns.size() + column];
  }
};

// `low` is the worst colour and `high` the best. Rows are methods and columns families, unless the
// chart's values say otherwise; they and its texts are for the caller to add.
Chart heat_map(const HeatMap& map, double low, double high, const char* row = "method",
               const char* column = "family");

}  // namespace pcgs::report
