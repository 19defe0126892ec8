// Any bytes as the household file: read, or refused with an Error. What is read keeps the reader's
// promises at every resolution.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/invariant.h"
#include "pcgs/error.h"
#include "research/electricity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pcgs::invariant;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t rows = 0;
  for (const std::size_t minutes : {1u, 10u, 1440u}) {
    try {
      const auto series =
          pcgs::studies::parse_household(text, {.path = "fuzz", .minutes = minutes});
      invariant(minutes == 1 || series.rows == rows, "as many rows at every resolution");
      rows = series.rows;
      invariant(!series.values.empty() && series.values.size() + series.missing <= series.rows,
                "at most a mean for each row with a value");
      invariant(minutes > 1 || series.values.size() + series.missing == series.rows,
                "at one minute, exactly one");
      // A sum of finite values may pass the largest double.
      for (const double y : series.values) invariant(minutes > 1 || std::isfinite(y), "finite");
    } catch (const pcgs::Error&) {
      invariant(rows == 0, "accepted at every resolution or at none");
    }
  }
  return 0;
}
