// Which columns of a table are wanted, and what they may hold.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs::io {

// Names of columns that the file does not have are an Error that lists those it has; so is a column
// named twice in `keep`, or both ignored and wanted.
//
// Every member has a default, so that a caller may name just those it sets.
struct TableRequest {
  // These columns, in this order; empty: all columns, in the file's order.
  std::vector<std::string> keep = {};
  // Left out and never looked at, so they may hold text.
  std::vector<std::string> ignore = {};
  // Must be among the columns that are read: say, the outcome. Asked for by name, so that no
  // message suggests to ignore them.
  std::vector<std::string> require = {};
  // Whether missing values of a column become NaN; without it, or where it says no, they are an
  // Error. Asked once per column.
  std::function<bool(std::string_view name)> may_be_missing = {};
};

// One column to read.
struct WantedColumn {
  std::size_t index = 0;  // in the file
  bool may_be_missing = false;
  bool may_be_ignored = false;  // so that a message may suggest it
};

// The columns that the request means in a file that has these; at least one. `path` names the file
// in messages.
std::vector<WantedColumn> select_columns(std::span<const std::string> names,
                                         const TableRequest& request, const std::string& path);

}  // namespace pcgs::io
