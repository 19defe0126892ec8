// A named value that a method or a family of sequences can be given: name{eta=8,model=FILE}.
#pragma once

#include <string_view>

namespace pcgs {

struct Option {
  enum class Kind {
    kNumber,    // in [low, high]; `standard` unless another is given
    kOverride,  // in [low, high]; the method chooses unless one is given
    kText,      // not empty; nothing unless one is given
  };

  std::string_view name;
  std::string_view meaning;
  double standard = 0;  // the default
  double low = 0;       // accepted range, ends included
  double high = 0;
  Kind kind = Kind::kNumber;
};

}  // namespace pcgs
