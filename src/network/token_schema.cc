#include "network/token_schema.h"

#include <fmt/format.h>

#include <cstdint>

#include "data/fnv1a.h"

namespace pcgs::tokens {

std::string schema_name() {
  std::string all = fmt::format("{} {}", kExpertFeatures, kSharedFeatures);
  const auto add = [&](const auto& numbers) {
    all += '|';
    for (const float x : numbers) all += fmt::format("{} ", x);
  };
  add(kSpans);
  add(kTrendSpans);
  add(kDispersionSpans);
  add(kEvidenceSpans);
  add(kDriftAllowances);
  add(kRegretSpans);
  add(std::array{kExtremeSpan, kScaleSpan, kSmallestScale, kQuietest, kLargestEvidence,
                 kLargestCharge, kLargestSum, kLongestMemory, kLikelihoodRho, kTakesOver});
  add(kFilterEta);
  add(kFilterRho);
  add(kLikelihoodGap);
  add(kFilterSpans);
  for (const std::size_t index :
       {kSurpriseSpan, kNoiseSpan, kRivalrySpan, kLeadingFilter, kReferenceFilter}) {
    all += fmt::format("|{}", index);
  }
  return fmt::format("pcgs-tokens-{}-{:08x}", kSchemaVersion, fnv1a<std::uint32_t>(all));
}

}  // namespace pcgs::tokens
