// Options of an aggregator, one of them given.
#pragma once

#include "pcgs/aggregator.h"

namespace pcgs::test {

inline Aggregator::Options scaled(const LossScale& scale) {
  Aggregator::Options options;
  options.scale = scale;
  return options;
}

inline Aggregator::Options certified() {
  Aggregator::Options options;
  options.certify = true;
  return options;
}

}  // namespace pcgs::test
