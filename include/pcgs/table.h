// What a run takes: named columns of numbers, of texts and of times, a row for each forecast.
//
// A table comes from a file (read_table() of run.h), or from whoever has its numbers in memory:
//
//     pcgs::Table table;
//     table.names = {"ridge", "tree", "load"};
//     table.values = pcgs::Matrix(rows, 3);          // NaN: missing
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/matrix.h"
#include "pcgs/note.h"

namespace pcgs {

// The texts of one column, one after the other in one buffer: a million short ones cost no
// allocation each.
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

struct TimeColumn {
  TextColumn text;         // as in the file, to be written back unchanged; its name is the column's
  std::vector<double> at;  // [rows] seconds since 1970-01-01 UTC; plain numbers if !calendar
  bool calendar = false;
};

struct Table {
  std::string origin = "the table";  // in front of what is said about it: a file, say
  std::vector<std::string> names;    // [C] of the columns of numbers
  Matrix values;                     // [rows x C] NaN: missing
  std::vector<TextColumn> texts{};   // times too, which are read where a request names them
  std::vector<TimeColumn> times{};   // those that are read already
  // [rows] where they are no column of `values`, so that a forecast may have their name; else empty.
  std::vector<double> outcomes{};
  Matrix side{};                    // [rows x any] side information from elsewhere
  std::vector<std::size_t> rows{};  // [rows] where each stands, for messages; empty: 1, 2, ...
  // [rows] how many of the first rows of its series have an outcome that is known when this one is
  // forecast, where neither a block nor a delay says it; never less than for the row before it. Empty:
  // they do.
  std::vector<std::size_t> known_at{};
  std::vector<Note> notes{};  // what was taken for granted where it was read
};

}  // namespace pcgs
