#include "serve/settings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "pcgs/error.h"

namespace pcgs::worker {

namespace {

// The worker sets these itself.
constexpr std::array<std::string_view, 9> kTaken = {
    "auto.offset.reset",        "bootstrap.servers",    "enable.auto.commit",
    "enable.auto.offset.store", "enable.partition.eof", "group.id",
    "isolation.level",          "metadata.broker.list", "transactional.id"};

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

Settings read_settings(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw Error(fmt::format("{}: cannot be read", file));
  Settings out;
  std::string line;
  for (int row = 1; std::getline(in, line); ++row) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    const auto equals = text.find('=');
    const std::string name(trimmed(text.substr(0, std::min(equals, text.size()))));
    if (equals == std::string_view::npos || name.empty()) {
      throw Error(fmt::format("{}, line {}: is not NAME=VALUE", file, row));
    }
    if (std::ranges::find(kTaken, name) != kTaken.end()) {
      throw Error(
          fmt::format("{}, line {}: the worker sets {} itself; leave it out", file, row, name));
    }
    out.emplace_back(name, trimmed(text.substr(equals + 1)));
    try {
      configuration({out.back()});  // known at all
    } catch (const Error& wrong) {
      throw Error(fmt::format("{}, line {}: {}", file, row, wrong.what()));
    }
  }
  return out;
}

}  // namespace pcgs::worker
