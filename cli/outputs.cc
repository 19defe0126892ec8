#include "outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "data/whole_file.h"
#include "pcgs/error.h"
#include "say.h"
#include "show/report.h"

namespace pcgs::cli {

namespace {

bool is_name(const std::string& name) { return !name.empty() && name != "-"; }

}  // namespace

void finish_earlier(const NamedFiles& files, bool quiet) {
  std::vector<std::string> outputs, folders;
  const auto add = [&](const std::string& name) {
    std::error_code ignored;
    const std::string folder =
        std::filesystem::is_directory(name, ignored) ? place_of(name) : folder_of(place_of(name));
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  };
  for (const auto& name : files.outputs) {
    if (!is_name(name)) continue;
    outputs.push_back(name);
    add(name);
  }
  for (const auto& name : files.inputs) {
    if (is_name(name)) add(name);
  }
  const Recovery recovery = recover_outputs(folders);
  for (const auto& sentence : recovery.left) complain(sentence);
  if (quiet) return;
  for (const auto& sentence : recovery.done) complain(sentence);
  if (const auto stale = stale_temporaries(outputs); !stale.empty()) {
    complain(fmt::format("a command that was killed left {}; nobody needs {}",
                         fmt::join(stale, ", "), stale.size() == 1 ? "it" : "them"));
  }
}

void check_distinct(const NamedFiles& files) {
  std::set<std::string> taken;
  for (const auto& name : files.inputs) {
    if (is_name(name)) taken.insert(place_of(name));
  }
  for (const auto& name : files.outputs) {
    if (is_name(name) && !taken.insert(place_of(name)).second) {
      throw Error(fmt::format("{}: is named twice; give each output a file of its own", name));
    }
  }
}

WholeFile* add_page(OutputSet& outputs, const std::string& path) {
  if (path.empty()) return nullptr;
  report::require_available();
  return &outputs.add(path);
}

}  // namespace pcgs::cli
