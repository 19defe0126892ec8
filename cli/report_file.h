// The page that --report asks for.
#pragma once

#include <string>

#include "data/output_files.h"

namespace pcgs::cli {

// Nothing where no page is asked for; throws Error where this build makes none.
WholeFile* add_page(OutputSet& outputs, const std::string& path);

}  // namespace pcgs::cli
