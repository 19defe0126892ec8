// The household benchmark's protocol: from a series to the losses that methods are compared on.
//
// The last observations are kept; experts run over all of them, strictly online. The first of them
// (the burn-in, or as many as the slowest expert needs before it speaks) are not judged; an expert
// that says nothing later, as after values that are out of all reason, is an error. The rest
// is split in time: a training part, on which rates are tuned and models fine-tuned, and a test
// part, on which everything is measured. Losses are squared errors divided by a quantile of those
// of the training part, and clipped at 1 or bounded as the options say.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pcgs/experts.h"
#include "pcgs/loss_scale.h"
#include "pcgs/matrix.h"

namespace pcgs::studies {

struct SplitOptions {
  std::size_t observations = 20000;  // the last so many; fewer if there are not so many
  double training = 0.7;             // share of the observations
  std::size_t burn_in = 48;
  double quantile = 0.95;
  LossBound bound = LossBound::kClip;
};

struct SplitLosses {
  std::size_t observations = 0;
  std::size_t burn_in = 0;  // observations that are not judged
  double scale = 0;         // what squared errors were divided by
  LossBound bound = LossBound::kClip;
  std::vector<std::string> experts;
  Matrix training, test;  // [T x K] in [0,1]
  Matrix test_errors;     // [T x K] squared, what `test` was made from
};

// Throws Error, naming `origin`, if too little is left of either part or an expert falls asleep.
SplitLosses split_losses(const std::vector<double>& series, ExpertPool pool,
                         const SplitOptions& options, const std::string& origin);

}  // namespace pcgs::studies
