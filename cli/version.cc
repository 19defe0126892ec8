#include "version.h"

#include <fmt/format.h>

#include "core/kernels.h"
#include "pcgs_commit.h"

namespace pcgs::cli {

std::string version() {
  return fmt::format("pcgs {} (commit {}, {})", PCGS_VERSION, PCGS_COMMIT, instruction_set());
}

}  // namespace pcgs::cli
