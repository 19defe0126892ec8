// The training loop: batches, steps, held-out scores, checkpoints.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <string>
#include <vector>

#include "adamw.h"
#include "checkpoint.h"
#include "controller_net.h"
#include "course.h"
#include "pool.h"
#include "processes.h"
#include "recipe.h"
#include "supply.h"

namespace pcgs::train {

struct TrainerOptions {
  Recipe recipe;
  ControlMaps maps;
  std::int64_t steps = 3000;
  double minutes = 0;  // > 0: be done by then; the schedule follows whichever runs out first
  std::int64_t tokens_per_step = 64 * 600 * 32;  // sequences x rounds x experts
  double rate = 2e-3;                            // learning rate at its highest
  std::int64_t warm_up = 100;                    // steps; then a cosine down to a fiftieth
  double weight_decay = 1e-3;
  double clip = 1;  // of the gradient's norm
  std::uint64_t seed = 1;
  std::int64_t check_every = 250;   // steps between held-out scores
  std::int64_t patience = 0;        // checks without a better score before stopping; 0: never
  bool narrow = false;              // bfloat16
  std::vector<std::string> frozen;  // tensors whose name contains one of these stay as they are
  std::string checkpoint;           // file, written at every check; empty: none
  Belonging data;                   // what the sequences are made from, for checkpoints to know
};

// At this step, when this part of the training is over, in [0,1]: a line up, then a cosine down.
double learning_rate(const TrainerOptions& options, std::int64_t step, double done);

// Sequences that are never trained on. Where they are of one family, they are compared with the
// Fixed Share that is best for the family, as the suite does.
struct HeldOut {
  std::string name;
  Pool pool;
  std::vector<double> limit = {};  // [N] what the limit loses, where there is one
};

struct HeldOutScore {
  std::string name;
  double regret = 0;  // mean dynamic regret
  double tuned = 0;   // of the Fixed Share that is best for all of them together
  double wins = 0;    // share of sequences on which it is below that
  double beyond = 0;  // mean of beyond_tuned()
  bool combines = false;
  bool has_limit = false;
  double limit = 0;  // mean dynamic regret of the limit
};

// The tensors that are not frozen, which alone are given gradients. Throws Error if there are none.
std::vector<torch::Tensor> choose_trained(ControllerNet& net,
                                          const std::vector<std::string>& frozen);

// The processes share the sequences out; the scores do not depend on how many there are. `judged` is
// told how many sequences more have been played by this one.
std::vector<HeldOutScore> held_out_scores(
    const ControllerNet& net, const TrainerOptions& options, const std::vector<HeldOut>& held_out,
    const Processes& processes = {},
    const std::function<void(std::int64_t)>& judged = [](std::int64_t) {});

struct Report {
  std::int64_t step = 0;            // 0: the weights as they were given
  double loss = 0;                  // mean of the training loss since the last report
  double sequences_per_second = 0;  // of all processes together
  std::int64_t skipped = 0;         // steps with a gradient that was not finite
  std::vector<HeldOutScore> scores;
  double score = 0;            // mean of `beyond`; less is better
  double best_score = 0;       // so far
  std::int64_t best_step = 0;  // after which the score was best so far
};

// Told of everything while it happens. May throw, which ends the training.
struct Watcher {
  std::function<void(const Report&)> checked = [](const Report&) {};
  std::function<void(const Step&)> stepped = [](const Step&) {};
  std::function<void(std::int64_t sequences)> judged = [](std::int64_t) {};  // so many more
};

struct TrainingOutcome {
  Report last;  // with the scores of the weights that stay
  results::TrainingCourse course;
  double seconds_before = 0;  // of the training that a checkpoint was gone on from
};

// Trains, and leaves the weights with the best held-out score in the net: those it was given, if
// none are better. Goes on from the checkpoint if its file exists, as if it had never stopped. Throws
// Error where the checkpoint cannot be read or written, or belongs to a training with another net,
// data, or options; only how long it goes on and when it is looked at may change.
//
// With several processes, each must be given the same; results agree with those of one up to the
// order of sums. Only the first writes checkpoints.
TrainingOutcome train(ControllerNet& net, const TrainerOptions& options, Supply& supply,
                      const std::vector<HeldOut>& held_out, const Watcher& watcher = {},
                      const Processes& processes = {});

}  // namespace pcgs::train
