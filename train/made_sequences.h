// Made-up sequences: what is trained on, and what training is judged by, where nobody brings losses
// of their own.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/progress.h"
#include "pool.h"
#include "supply.h"
#include "trainer.h"

namespace pcgs::train {

// Of the sequences and of the steps, this share is of one family, as it is in the suite.
struct Favoured {
  std::string family;
  double share;
};

struct MadeSequences {
  std::size_t count = 20000;  // to train on
  std::size_t held_out = 32;  // of each kind
  double families = 0.6;      // share of those to train on that are of the suite's families
  std::size_t switches = 12;  // of the oracle
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  bool errors = false;      // of forecasts, for a controller that combines; no families then
  std::string family = {};  // this one alone, as it is in the suite
  std::vector<Favoured> favoured = {};  // beside all the others, which share what is left
};

// Names the shapes of the pools and what part of sequences and steps each takes.
std::string plan_of_pools(bool errors);

// The set of this number: a function of it and of the numbers above, but for `threads`, on which
// nothing depends.
TrainingPools made_pools(const MadeSequences& made, std::int64_t set, torch::Device device,
                         const std::function<void()>& finished_one);

// Every family, the prior, and forecasters of made-up series; or made-up errors, of many and of few
// experts, and of forecasters. Never trained on with this seed, and
// never evaluation sequences.
std::vector<HeldOut> made_held_out(const MadeSequences& made, torch::Device device,
                                   const io::Monitor& monitor = io::progress_bars(true));

}  // namespace pcgs::train
