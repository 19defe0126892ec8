// The columns of texts and times that tables are made of.
#pragma once

#include "pcgs/table.h"

namespace pcgs::io {

using pcgs::TextColumn;
using pcgs::TimeColumn;

}  // namespace pcgs::io
