#include "outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pcgs/error.h"

namespace pcgs::cli {

void check_distinct(const std::vector<std::string>& outputs,
                    const std::vector<std::string>& inputs) {
  const auto canonical = [](const std::string& name) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, ignored), ignored);
  };
  std::vector<std::filesystem::path> taken;
  for (const auto& name : inputs) {
    if (!name.empty()) taken.push_back(canonical(name));
  }
  for (const auto& name : outputs) {
    if (name.empty()) continue;
    if (std::find(taken.begin(), taken.end(), canonical(name)) != taken.end()) {
      throw Error(fmt::format("{}: is named twice; give each output a file of its own", name));
    }
    taken.push_back(canonical(name));
  }
}

}  // namespace pcgs::cli
