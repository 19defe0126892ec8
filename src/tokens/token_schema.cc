#include "tokens/token_schema.h"

#include <fmt/format.h>

#include <cstdint>

namespace pcgs::tokens {

std::string schema_name() {
  std::string all = fmt::format("{} {} {}", kExpertFeatures, kSharedFeatures, kLikelihoodRho);
  const auto add = [&](const auto& numbers) {
    all += '|';
    for (const float x : numbers) all += fmt::format("{} ", x);
  };
  add(kSpans);
  add(kTrendSpans);
  add(kDispersionSpans);
  add(kEvidenceSpans);
  add(kDriftAllowances);
  add(std::array{kExtremeSpan});
  add(kFilterEta);
  add(kFilterRho);
  add(kLikelihoodGap);
  add(kFilterSpans);
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : all) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return fmt::format("pcgs-tokens-{}-{:08x}", kSchemaVersion, hash);
}

}  // namespace pcgs::tokens
