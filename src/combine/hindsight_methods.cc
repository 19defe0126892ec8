#include "combine/hindsight_methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/spec.h"
#include "methods/methods.h"
#include "pcgs/error.h"

namespace pcgs {

std::span<const HindsightMethod> hindsight_methods() {
  static const auto& kMethods = *[] {
    std::vector<std::string> hedge, fixed_share;
    for (const double eta : kEtaGrid) {
      hedge.push_back(fmt::format("hedge{{eta={}}}", eta));
      for (const double rho : kRhoGrid) {
        fixed_share.push_back(fmt::format("fixed-share{{eta={},rho={}}}", eta, rho));
      }
    }
    return new const std::vector<HindsightMethod>{{"hedge*", std::move(hedge)},
                                                  {kTunedFixedShare, std::move(fixed_share)}};
  }();
  return kMethods;
}

const HindsightMethod* find_hindsight_method(std::string_view spec) {
  for (const HindsightMethod& method : hindsight_methods()) {
    if (method.name == spec) return &method;
  }
  if (is_playable(spec)) return nullptr;
  throw Error(ErrorKind::kUnknown, {.field = "method"},
              fmt::format("'{}' cannot be tuned in hindsight; the starred methods are {}", spec,
                          listed_names(hindsight_methods())));
}

std::vector<std::string> candidates_of(const std::string& spec) {
  const HindsightMethod* tuned = find_hindsight_method(spec);
  return tuned != nullptr ? tuned->candidates : std::vector{spec};
}

}  // namespace pcgs
