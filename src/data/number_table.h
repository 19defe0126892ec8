// The tables of numbers that commands read: named columns, one row per round.
//
// A name that ends in .npy is read as NPY (npy.h) and its columns are called e1, e2, ..., eK;
// anything else is read as CSV (csv.h), and so are the same names with .gz behind them. What comes
// from standard input or a pipe has no name that tells, and is NPY if it begins like it. A NaN in an
// NPY file is a missing value, as an empty field, NA and the other words of csv.h are in CSV.
//
// A first column without a name is the index that pandas writes: left out if it counts the rows,
// taken for the times if it begins with a date and the request asks to find them, refused otherwise.
//
// Promises: at least one row and one column; every value finite, or NaN where it is missing and the
// request allows that; every text in UTF-8. Otherwise an Error that starts with the place,
//
//     FILE: row R (line N), column NAME: ...        (NPY: no line)
//
// and says what would be accepted. Infinite values are never accepted.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv.h"
#include "data/text.h"
#include "pcgs/matrix.h"
#include "pcgs/table.h"

namespace pcgs::io {

// Which columns of a table are wanted, and what they may hold.
//
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

struct NumberTable {
  std::vector<std::string> names;  // [columns]
  Matrix values;                   // [rows, columns]
  std::vector<TextColumn> texts;   // [request.text]
  // Found, where the request asks for that; its name may be empty: pandas' unnamed index.
  std::optional<TextColumn> times;
};

// `path` is what InputBytes takes: a file, a pipe or "-", gzipped or not.
NumberTable read_table(const std::string& path, const TableRequest& request = {});

// The same for a file that is in memory already, not gzipped; `path` tells the format and names the
// file.
NumberTable parse_table(std::string_view bytes, const std::string& path,
                        const TableRequest& request = {});

// What would make a number of a field that is text, as advice: "decimal = , if it is 2.5", with the options by option();
// empty if nothing would. Where more than one reading is possible, all of them, so that nobody guesses.
std::string format_advice(std::string_view field, NumberFormat format);

}  // namespace pcgs::io
