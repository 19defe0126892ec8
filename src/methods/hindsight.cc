#include "methods/hindsight.h"

#include <fmt/format.h>

#include "methods/grid.h"
#include "pcgs/error.h"

namespace pcgs {

std::vector<std::string> hindsight_candidates(std::string_view spec) {
  if (spec.empty() || spec.back() != '*') return {};
  std::vector<std::string> candidates;
  if (spec == "hedge*") {
    for (const double eta : kEtaGrid) candidates.push_back(fmt::format("hedge{{eta={}}}", eta));
  } else if (spec == "fixed-share*") {
    for (const double eta : kEtaGrid) {
      for (const double rho : kRhoGrid) {
        candidates.push_back(fmt::format("fixed-share{{eta={},rho={}}}", eta, rho));
      }
    }
  } else {
    throw Error(fmt::format(
        "'{}' cannot be tuned in hindsight; the starred methods are fixed-share* and hedge*",
        spec));
  }
  return candidates;
}

}  // namespace pcgs
