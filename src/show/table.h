// One model of a table: columns, and rows of numbers and texts. A terminal and a page show the same one.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs::show {

// A number is written as its column wants it and kept whole beside that, for copying.
struct Cell {
  std::string text{};
  std::string exact{};   // empty: the text is all there is
  bool missing = false;  // there is no number
};

inline Cell missing() { return {{}, {}, true}; }
// `format` is that of fmt, such as "{:.3f}". A number that is not finite is missing.
Cell number(double x, const char* format);
Cell number(const std::optional<double>& x, const char* format);
Cell whole(std::size_t x);
// Of 0.5: "50 %" in the format "{:.0f} %".
Cell share(const std::optional<double>& x, const char* format);
// Below 0 the combination is better: "-6.2 %".
Cell difference(const std::optional<double>& x);
// So many decimals, in all cells of a column.
Cell fixed(const std::optional<double>& x, int decimals);
// How many leave so many digits of a number.
int decimals_for(double x, int digits);

struct Table {
  struct Column {
    std::string name;
    std::string key{};  // where the number stands in the JSON
    bool wide = false;  // left out where there is little room, as in a terminal
  };
  std::string id{}, caption{};
  std::vector<Column> head{};
  std::vector<std::vector<Cell>> rows{};  // the first cell names the row
  std::vector<std::size_t> strong{};      // rows to look at
  std::size_t left = 1;                   // columns that begin on the left

  // Without wide columns that nothing stands in.
  void drop_empty_columns();
  // Puts the columns with these keys, in this order, behind the first ones on the left.
  void bring_forward(std::initializer_list<std::string_view> keys);
};

// For a terminal: under its caption if it has one, without wide columns.
std::string text(const Table& table);

}  // namespace pcgs::show
