// A first column without a name, as pandas' to_csv() writes its index: 0, 1, 2, ...
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pcgs::io {

class IndexColumn {
 public:
  // Whether the field of the next row goes on counting: the first is any whole number, each other
  // one more than that before it.
  bool counts_on(std::string_view field);

 private:
  std::optional<std::int64_t> last_;
};

}  // namespace pcgs::io
