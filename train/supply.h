// Where the sequences of a step come from: a function of the step alone, so that a training can be
// gone on with.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <future>
#include <vector>

#include "pool.h"

namespace pcgs::train {

struct TrainingPools {
  std::vector<Pool> pools;
  std::vector<double> shares;  // of the steps
};

class Supply {
 public:
  // The same sequences for ever.
  explicit Supply(TrainingPools pools) : pools_(std::move(pools)) {}

  // Others after every `steps` steps: set 0, 1, ..., each made while the one before it is trained on.
  // A network that sees a sequence a few times cannot learn it by heart.
  Supply(TrainingPools first, std::function<TrainingPools(std::int64_t set)> make,
         std::int64_t steps);

  const TrainingPools& at(std::int64_t step);

 private:
  std::function<TrainingPools(std::int64_t)> make_;
  std::int64_t steps_ = 0, set_ = 0;
  TrainingPools pools_;
  std::future<TrainingPools> next_;  // set_ + 1
};

}  // namespace pcgs::train
