// Values under names, in order; in JSON an object.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pcgs::results {

template <class T>
struct ByName {
  std::vector<std::pair<std::string, T>> by_name;

  bool operator==(const ByName&) const = default;
};

}  // namespace pcgs::results
