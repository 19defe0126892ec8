// Where a model comes from: what its file says of its training, and what a page shows of it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "network/model.h"
#include "options.h"
#include "show/training_result.h"
#include "trainer.h"

namespace pcgs::train {

// What a provenance needs beside the options.
struct RunFacts {
  std::size_t side_features = 0;
  double seconds = 0;
  bool on_gpu = false;
};

nlohmann::ordered_json provenance_of(const Options& options, const Report& last,
                                     const RunFacts& facts);

results::TrainingResult training_result(const Options& options, const infer::Config& network,
                                        TrainingOutcome outcome, const RunFacts& facts);

}  // namespace pcgs::train
