// Any bytes as a pool of experts: made and played, or refused with an Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "data/invariant.h"
#include "forecasters/forecasters.h"
#include "pcgs/error.h"
#include "pcgs/experts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pcgs;
  Experts experts;
  try {
    experts = parse_experts({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const Error&) {
    return 0;
  }
  invariant(!experts.empty(), "a pool is not empty");
  if (experts.size() > 50) return 0;  // large pools take long and tell nothing new
  ExpertPool pool(std::move(experts));
  std::vector<double> forecasts(pool.size());
  for (int t = 0; t < 40; ++t) {
    pool.forecast(forecasts);
    for (const double x : forecasts)
      invariant(!std::isinf(x), "a forecast is a number, or missing");
    pool.observe(t % 11 == 7 ? std::nan("") : std::sin(t) * (t % 5 == 0 ? 1e12 : 1));
  }
  return 0;
}
