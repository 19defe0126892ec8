// The tables of numbers that commands read: named columns, one row per round.
//
// A name that ends in .npy is read as NPY (npy.h) and its columns are called e1, e2, ..., eK;
// anything else is read as CSV (csv.h), and so are the same names with .gz behind them. What comes
// from standard input or a pipe has no name that tells, and is NPY if it begins like it. A NaN in an
// NPY file is a missing value, as an empty field, NA and the other words of number.h are in CSV.
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

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/table_request.h"
#include "data/text_column.h"
#include "pcgs/matrix.h"

namespace pcgs::io {

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

}  // namespace pcgs::io
