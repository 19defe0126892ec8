#include "report/study.h"

#include <fmt/format.h>

#include <algorithm>

#include "methods/hindsight.h"

namespace pcgs::report {

const ordered_json* named(const ordered_json& array, const std::string& name) {
  for (const auto& one : array) {
    if (one.at("name").get<std::string>() == name) return &one;
  }
  return nullptr;
}

const ordered_json& present(const ordered_json& array, const std::string& name) {
  const ordered_json* one = named(array, name);
  return one != nullptr ? *one : array.at(array.size());
}

const ordered_json* comparison(const ordered_json& entry, const std::string& a,
                               const std::string& b) {
  for (const auto& one : entry.at("comparisons")) {
    if (one.at("a").get<std::string>() == a && one.at("b").get<std::string>() == b) return &one;
  }
  return nullptr;
}

std::vector<std::string> method_names(const ordered_json& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    for (const auto& method : entry.at("methods")) {
      const auto name = method.at("name").get<std::string>();
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::size_t last_budget(const ordered_json& result) {
  const auto& switches = result.at("switches");
  return switches.at(switches.size() - 1).get<std::size_t>();
}

bool playable(const std::string& method) { return is_playable(method) && method != kLimit; }

std::string setting(const ordered_json& study) {
  const auto& config = study.at("config");
  std::string out = fmt::format("oracle with at most {} switches, {} sequences of {} rounds",
                                config.at("switches").get<std::size_t>(),
                                config.at("sequences").get<std::size_t>(),
                                config.at("rounds").get<std::size_t>());
  if (config.contains("experts")) {
    out += fmt::format(" and {} experts", config.at("experts").get<std::size_t>());
  }
  return out + fmt::format(", seed {}", config.at("seed").get<std::uint64_t>());
}

}  // namespace pcgs::report
