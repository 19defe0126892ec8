// Blend: the combination of forecasts that people publish. See blend.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pcgs/method.h"

namespace pcgs {

class TransformerModel;

// What takes part; less than everything shows what a part is worth.
struct BlendParts {
  bool linear = true;   // methods on linearised losses
  bool learned = true;  // a network
  // Its weights, which combine; the shipped ones if there are none.
  std::shared_ptr<const TransformerModel> network = nullptr;
  bool derived = true;  // anything but averages and those two
  bool tails = true;    // large losses stay large in the second level
};

// `seasons`: rounds in a day, a week, ...; shortest first; may be empty. `name` is what the registry
// would parse.
std::unique_ptr<Method> make_blend(std::size_t experts, std::vector<std::size_t> seasons,
                                   const BlendParts& parts, std::string name);

}  // namespace pcgs
