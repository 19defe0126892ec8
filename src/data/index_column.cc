#include "data/index_column.h"

#include <charconv>
#include <limits>
#include <system_error>

#include "data/text.h"

namespace pcgs::io {

bool IndexColumn::counts_on(std::string_view field) {
  const std::string_view text = trimmed(field, " \t");
  std::int64_t number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stopped != text.data() + text.size()) return false;
  const bool goes_on =
      !last_ || (*last_ != std::numeric_limits<std::int64_t>::max() && number == *last_ + 1);
  last_ = number;
  return goes_on;
}

}  // namespace pcgs::io
