#include "network/error_schema.h"

#include <fmt/format.h>

#include <cstdint>

#include "data/fnv1a.h"

namespace pcgs::tokens::errors {

std::string schema_name() {
  std::string all = fmt::format("{} {} {}", kExpertFeatures, kSharedFeatures, kRecent);
  const auto add = [&](const auto& numbers) {
    all += '|';
    for (const float x : numbers) all += fmt::format("{} ", x);
  };
  add(kSquareSpans);
  add(kBiasSpans);
  add(kProductSpans);
  add(kEvidenceSpans);
  add(kDistanceSpans);
  add(kScoreSpans);
  add(std::array{kUnitSpan, kLossSpan, kLargestError, kLargestSquare, kLeastRatio, kLargestCharge,
                 kLongestMemory});
  for (const Filter& f : kFilters) all += fmt::format("|{} {} {}", f.eta, f.rho, f.linear);
  return fmt::format("pcgs-error-tokens-{}-{:08x}", kSchemaVersion, fnv1a<std::uint32_t>(all));
}

}  // namespace pcgs::tokens::errors
