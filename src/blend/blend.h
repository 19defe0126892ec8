// Blend: the combination of forecasts that people publish. See blend.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pcgs/method.h"

namespace pcgs {

// `seasons`: rounds in a day, a week, ...; shortest first; may be empty. `name` is what the registry
// would parse.
std::unique_ptr<Method> make_blend(std::size_t experts, std::vector<std::size_t> seasons,
                                   std::string name);

}  // namespace pcgs
