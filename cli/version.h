#pragma once

#include <string>

namespace pcgs::cli {

// What pcgs --version says: the version, the commit that was built and what the kernels compute with here. The
// last bits of results depend on the last two.
std::string version();

}  // namespace pcgs::cli
