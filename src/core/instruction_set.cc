#include "core/instruction_set.h"

#include <hwy/highway.h>

namespace pcgs {

// As Highway chooses: the best that is compiled and that the machine has, which is the lowest bit.
std::string instruction_set() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);
}

}  // namespace pcgs
