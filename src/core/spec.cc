#include "core/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "pcgs/error.h"

namespace pcgs {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Spec parse_spec(std::string_view kind, std::string_view text) {
  text = trimmed(text);
  const std::size_t mark = text.find_first_of(":{");
  if (mark == std::string_view::npos) return {text, {}};
  const bool braces = text[mark] == '{';
  if (braces && text.back() != '}') {
    throw Error(
        fmt::format("{} '{}' lacks its closing brace; write name{{option=value,...}}", kind, text));
  }
  std::string_view rest = text.substr(mark + 1);
  if (braces) rest.remove_suffix(1);
  Spec spec = {trimmed(text.substr(0, mark)), {}};
  if (braces && trimmed(rest).empty()) return spec;
  for (bool more = true; more;) {
    const std::size_t end = rest.find(braces ? ',' : ':');
    more = end != std::string_view::npos;
    spec.assignments.push_back(trimmed(rest.substr(0, end)));
    if (spec.assignments.back().empty()) {
      throw Error(
          fmt::format("{} '{}' has an empty option; write name{{option=value,...}}", kind, text));
    }
    if (more) rest.remove_prefix(end + 1);
  }
  return spec;
}

std::vector<std::string> split_list(std::string_view kind, std::string_view list) {
  std::vector<std::string> texts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '{') ++depth;
    if (i < list.size() && list[i] == '}') --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    const auto text = trimmed(list.substr(start, i - start));
    if (text.empty()) {
      throw Error(
          fmt::format("'{}' names no {} between two commas; leave the comma out", list, kind));
    }
    texts.emplace_back(text);
    start = i + 1;
  }
  return texts;
}

std::vector<double> option_values(std::string_view kind, const Spec& spec,
                                  std::span<const NumberOption> options) {
  std::vector<double> values;
  for (const auto& option : options) values.push_back(option.standard);
  std::vector<bool> seen(values.size());
  for (const std::string_view assignment : spec.assignments) {
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const std::string_view key = trimmed(assignment.substr(0, equals));
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&](const NumberOption& o) { return o.name == key; });
    if (option == options.end()) {
      throw Error(
          fmt::format("{} {} has no option '{}'; {}", kind, spec.name, key,
                      options.empty() ? "it has none" : "it takes " + listed_names(options)));
    }
    const auto at = static_cast<std::size_t>(option - options.begin());
    if (seen[at]) {
      throw Error(fmt::format("{} {} is given {} twice; give it once", kind, spec.name, key));
    }
    seen[at] = true;
    const std::string_view text =
        equals < assignment.size() ? trimmed(assignment.substr(equals + 1)) : "";
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, values[at]);
    if (problem != std::errc() || stop != end ||
        !(values[at] >= option->low && values[at] <= option->high)) {
      throw Error(fmt::format("{} {}: {} is '{}'; give a number in [{}, {}]", kind, spec.name, key,
                              text, option->low, option->high));
    }
  }
  return values;
}

}  // namespace pcgs
