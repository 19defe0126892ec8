// The files that go into every page: the script and the styles of web/, and the libraries that
// draw.
#pragma once

#include <string_view>

namespace pcgs::report {

struct Assets {
  std::string_view vega, vega_lite, script, styles;
  std::string_view vega_licence, vega_lite_licence;
};

// Null in a build without them.
const Assets* assets();

}  // namespace pcgs::report
