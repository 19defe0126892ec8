// Quantiles of the last thousand errors, in units of their scale.
//
// Before the first of them there are twenty of a Laplace law, whose mean size is 1; they are the
// first to leave. Beyond the largest error the tail goes on exponentially.
#pragma once

#include <cstddef>
#include <vector>

#include "pcgs/state.h"

namespace pcgs {

class ErrorQuantiles {
 public:
  ErrorQuantiles();

  void add(double error);
  // What an error is below with this probability, in (0, 1). One part in eight is the quantile of the
  // errors mirrored at 0: it steadies the tails and leaves errors as skewed as they are.
  double quantile(double probability) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double of_errors(double probability) const;

  std::vector<double> arrived_;  // [at most kMost] a ring: the oldest is at next_ once it is full
  std::vector<double> sorted_;   // the same numbers
  std::size_t next_ = 0;
};

}  // namespace pcgs
