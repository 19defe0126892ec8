// Which columns of a table are wanted, and what they may hold.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/number.h"

namespace pcgs::io {

// Names of columns that the file does not have are an Error that lists those it has; so is a column
// named twice in `keep` or `text`, or both ignored and wanted, or wanted as numbers and as text.
//
// Every member has a default, so that a caller may name just those it sets.
struct TableRequest {
  // These columns, in this order; empty: all columns but those in `text`, in the file's order.
  std::vector<std::string> keep = {};
  // Left out and never looked at, so they may hold text.
  std::vector<std::string> ignore = {};
  // Must be among the columns that are read: say, the outcome. Asked for by name, so that no
  // message suggests to ignore them.
  std::vector<std::string> require = {};
  // Whether missing values of a column become NaN; without it, or where it says no, they are an
  // Error. Asked once per column.
  std::function<bool(std::string_view name)> may_be_missing = {};
  // Columns kept as text (times, series, names), trimmed, in this order; never numbers, and empty
  // where the file says nothing. An NPY file has none.
  std::vector<std::string> text = {};
  // Whether a column that nobody asked for and whose first field is a date (not a plain number) is
  // taken for the times. Several such columns are an Error; but where `keep` chooses columns, the
  // first of them is taken.
  bool find_times = false;
  // How numbers are written. An NPY file does not care.
  NumberFormat format = {};
  // Told, in one sentence, what was taken for granted, once the table has been read.
  std::function<void(const std::string&)> note = {};
};

// One column to read.
struct WantedColumn {
  std::size_t index = 0;  // in the file
  bool may_be_missing = false;
  bool may_be_ignored = false;  // so that a message may suggest it
};

struct SelectedColumns {
  std::vector<WantedColumn> numbers;  // at least one
  std::vector<std::size_t> texts;     // [request.text] indices in the file
  std::vector<std::size_t> unnamed;   // indices of those that the request does not name at all
};

// What the request means in a file that has these columns; an empty name is one that nobody gave.
// `path` names the file in messages.
SelectedColumns select_columns(std::span<const std::string> names, const TableRequest& request,
                               const std::string& path);

}  // namespace pcgs::io
