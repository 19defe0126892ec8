// The table of a CSV file; see number_table.h for what it promises.
#pragma once

#include <string>
#include <string_view>

#include "data/number_table.h"

namespace pcgs::io {

NumberTable parse_csv_table(std::string_view text, const std::string& path,
                            const TableRequest& request);

}  // namespace pcgs::io
