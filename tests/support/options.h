// Options of an aggregator, one of them given.
#pragma once

#include "pcgs/aggregator.h"

namespace pcgs::test {

inline Aggregator::Options bounded(const Bound& bound) {
  Aggregator::Options options;
  options.bound = bound;
  return options;
}

}  // namespace pcgs::test
