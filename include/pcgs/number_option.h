// A named number that a method or a family of sequences can be given.
#pragma once

#include <string_view>

namespace pcgs {

struct NumberOption {
  std::string_view name;
  std::string_view meaning;
  double standard = 0;  // the default
  double low = 0;       // accepted range, ends included
  double high = 0;
};

}  // namespace pcgs
