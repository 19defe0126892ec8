// What training goes on from after it was stopped, in a file.
//
// The file is a list of tensors as libtorch saves them, in this order: the numbers of Standing
// behind the format's version; what it belongs to and the course so far, as bytes; the weights; the
// best weights; the optimiser's state.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adamw.h"
#include "show/training_result.h"

namespace pcgs::train {

struct Standing {
  std::int64_t step = 0;
  std::int64_t best_step = 0;
  std::int64_t without_better = 0;  // checks
  std::int64_t skipped = 0;
  double best_score = kNoScore;
  double seconds = 0;

  static constexpr double kNoScore = 1e300;
};

// The training that a checkpoint is of: everything that its steps depend on, by name. Neither names
// nor values hold tabs or line ends.
using Belonging = std::map<std::string, std::string>;

// What a step reads and changes.
struct Trained {
  std::vector<torch::Tensor> weights, best;
  AdamW& optimiser;
};

void save_checkpoint(const std::string& path, const Belonging& belonging, const Standing& standing,
                     const results::TrainingCourse& course, const Trained& trained);

struct Resumed {
  Standing standing;
  results::TrainingCourse course;
};

// Throws Error, in one sentence that says what differs, for a file that is no checkpoint or one of
// another training; `trained` is then as it was.
Resumed load_checkpoint(const std::string& path, const Belonging& belonging, Trained& trained);

}  // namespace pcgs::train
