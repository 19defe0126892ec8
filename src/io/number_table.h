// The tables of numbers that commands read: named columns, one row per round.
//
// A name that ends in .npy is read as NPY (npy.h) and its columns are called e1, e2, ..., eK;
// anything else is read as CSV (csv.h). A NaN in an NPY file is a missing value, as an empty field,
// NA, NaN, null or ? is in CSV.
//
// Promises: at least one row and one column; every value finite, or NaN where it is missing and the
// request allows that. Otherwise an Error that starts with the place,
//
//     FILE: row R (line N), column NAME: ...        (NPY: no line)
//
// and says what would be accepted. Infinite values are never accepted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/table_request.h"
#include "pcgs/matrix.h"

namespace pcgs::io {

struct NumberTable {
  std::vector<std::string> names;  // [columns]
  Matrix values;                   // [rows, columns]
};

NumberTable read_table(const std::string& path, const TableRequest& request = {});

// The same for a file that is in memory already; `path` tells the format and names the file.
NumberTable parse_table(std::string_view bytes, const std::string& path,
                        const TableRequest& request = {});

}  // namespace pcgs::io
