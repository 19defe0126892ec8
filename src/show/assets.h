// The files that go into every page: the scripts, the charts and the styles of web/, and the
// libraries that draw.
#pragma once

#include <span>
#include <string_view>

namespace pcgs::report {

struct Assets {
  struct Chart {
    std::string_view name, text;
  };
  std::string_view vega, vega_lite, vega_licence, vega_lite_licence;
  std::string_view script, styles;
  std::span<const Chart> charts;  // the templates of web/charts
};

// Null in a build without them.
const Assets* assets();

}  // namespace pcgs::report
