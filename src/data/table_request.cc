#include "data/table_request.h"

#include <fmt/format.h>

#include <unordered_map>

#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

constexpr std::size_t kNamesListed = 10;

std::string list_of(std::span<const std::string> names) {
  std::string list;
  std::size_t listed = 0;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    if (listed == kNamesListed) return list + ", ...";
    list += (listed++ == 0 ? "" : ", ") + excerpt(name);
  }
  return list;
}

}  // namespace

SelectedColumns select_columns(std::span<const std::string> names, const TableRequest& request,
                               const std::string& path) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
  const auto find = [&](const std::string& name) {
    const auto found = index.find(name);
    if (found != index.end()) return found->second;
    throw Error(fmt::format("{}: there is no column {}; the columns are {}", path, excerpt(name),
                            list_of(names)));
  };
  const auto require = [&](bool holds, const std::string& name, std::string_view otherwise) {
    if (holds) return;
    throw Error(fmt::format("{}: column {} {}", path, excerpt(name), otherwise));
  };

  std::vector<bool> ignored(names.size());
  std::vector<bool> required(names.size());
  std::vector<bool> chosen(names.size());
  for (const std::string& name : request.ignore) ignored[find(name)] = true;
  for (const std::string& name : request.require) required[find(name)] = true;

  SelectedColumns selected;
  std::vector<WantedColumn>& columns = selected.numbers;
  std::vector<bool> is_text(names.size());
  for (const std::string& name : request.text) {
    const std::size_t i = find(name);
    require(!ignored[i], name, "is both asked for and ignored; do one of the two");
    require(!is_text[i], name, "is asked for twice as text; name it once");
    require(!required[i], name, "is asked for both as numbers and as text; do one of the two");
    is_text[i] = true;
    selected.texts.push_back(i);
  }

  const auto choose = [&](std::size_t i) {
    chosen[i] = true;
    columns.push_back({.index = i,
                       .may_be_missing = request.may_be_missing && request.may_be_missing(names[i]),
                       .may_be_ignored = request.keep.empty() && !required[i]});
  };
  for (const std::string& name : request.keep) {
    const std::size_t i = find(name);
    require(!ignored[i], name, "is both asked for and ignored; do one of the two");
    require(!is_text[i], name, "is asked for both as numbers and as text; do one of the two");
    require(!chosen[i], name, "is asked for twice; name it once");
    choose(i);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (ignored[i] || is_text[i] || chosen[i]) continue;
    if (!required[i]) selected.unnamed.push_back(i);
    if (request.keep.empty()) choose(i);
  }
  for (const std::string& name : request.require) {
    const std::size_t i = find(name);
    require(!ignored[i], name, "is needed but ignored; do not ignore it");
    require(chosen[i], name, "is needed but not among those asked for; ask for it too");
  }
  if (columns.empty()) {
    throw Error(fmt::format("{}: all of its columns are {} ({}); leave at least one", path,
                            request.text.empty() ? "ignored" : "ignored or read as text",
                            list_of(names)));
  }
  return selected;
}

}  // namespace pcgs::io
