// The page at GET /, which shows streams as they change: what of web/ it is made of.
#pragma once

#include <string_view>

namespace pcgs::serve {

struct LivePage {
  std::string_view html, styles, script;
};

LivePage live_page();

}  // namespace pcgs::serve
