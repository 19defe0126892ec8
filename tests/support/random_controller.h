// A controller with random weights, for the tokens that this program makes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "network/error_stream.h"
#include "network/model.h"
#include "network/random_model.h"
#include "network/token_stream.h"

namespace pcgs::test {

inline infer::Model random_controller(std::size_t side, std::uint64_t seed) {
  infer::Config config = typical_config(infer::AttentionKind::kInduced);
  config.features = tokens::kExpertFeatures;
  config.shared = tokens::kSharedFeatures;
  config.side = side;
  config.controls = constants_of(ControlMaps{});
  infer::Model model = random_model(config, seed);
  model.token_schema = tokens::TokenStream::schema_name();
  return model;
}

// The same for errors of forecasts.
inline infer::Model random_combiner(std::uint64_t seed) {
  infer::Config config = typical_config(infer::AttentionKind::kInduced);
  config.features = tokens::errors::kExpertFeatures;
  config.shared = tokens::errors::kSharedFeatures;
  config.side = 0;
  config.controls = constants_of(ControlMaps{});
  infer::Model model = random_model(config, seed);
  model.token_schema = tokens::ErrorStream::schema_name();
  return model;
}

}  // namespace pcgs::test
