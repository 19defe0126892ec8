#include "core/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr std::string_view kNeedsQuotes = ",{}\"";

// Where the first of these characters stands outside double quotes; the size if none does.
std::size_t find_unquoted(std::string_view text, std::string_view characters) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && characters.find(text[i]) != std::string_view::npos) return i;
  }
  return text.size();
}

std::string without_quotes(std::string_view kind, std::string_view spec, std::string_view value) {
  if (value.empty() || value.front() != '"') {
    if (value.find_first_of(kNeedsQuotes) == std::string_view::npos) return std::string(value);
    throw Error(fmt::format(
        "{} '{}' has a brace or a quote in a value; write name{{option=\"value\"}}, with a quote "
        "inside it doubled",
        kind, spec));
  }
  std::string out;
  std::size_t i = 1;
  for (; i < value.size(); ++i) {
    if (value[i] == '"' && value.substr(i, 2) != "\"\"") break;
    if (value[i] == '"') ++i;
    out += value[i];
  }
  if (i + 1 == value.size()) return out;
  throw Error(
      fmt::format("{} '{}' {}; write name{{option=\"value\"}}", kind, spec,
                  i >= value.size() ? "lacks a closing quote" : "goes on behind a closing quote"));
}

double number_in(std::string_view text, const Option& option, std::string_view owner) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end || !(value >= option.low && value <= option.high)) {
    throw Error(fmt::format("{}: {} is '{}'; give a number in [{}, {}]", owner, option.name, text,
                            option.low, option.high));
  }
  return value;
}

}  // namespace

Spec parse_spec(std::string_view kind, std::string_view text) {
  text = trimmed(text);
  const std::size_t brace = std::min(text.find('{'), text.size());
  Spec spec = {std::string(trimmed(text.substr(0, brace))), {}};
  if (brace == text.size()) return spec;
  if (text.back() != '}') {
    throw Error(
        fmt::format("{} '{}' lacks its closing brace; write name{{option=value,...}}", kind, text));
  }
  std::string_view rest = text.substr(brace + 1, text.size() - brace - 2);
  if (trimmed(rest).empty()) return spec;
  for (bool more = true; more;) {
    const std::size_t end = find_unquoted(rest, ",");
    more = end < rest.size();
    const std::string_view assignment = trimmed(rest.substr(0, end));
    if (assignment.empty()) {
      throw Error(
          fmt::format("{} '{}' has an empty option; write name{{option=value,...}}", kind, text));
    }
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const auto value = assignment.substr(std::min(equals + 1, assignment.size()));
    spec.assignments.push_back({std::string(trimmed(assignment.substr(0, equals))),
                                without_quotes(kind, text, trimmed(value))});
    if (more) rest.remove_prefix(end + 1);
  }
  return spec;
}

std::string spec_text(const Spec& spec) {
  std::string out = spec.name;
  for (const auto& [key, value] : spec.assignments) {
    out += (out.size() == spec.name.size() ? '{' : ',') + key + '=';
    if (trimmed(value) == value && value.find_first_of(kNeedsQuotes) == std::string::npos) {
      out += value;
      continue;
    }
    out += '"';
    for (const char c : value) out += c == '"' ? std::string(2, c) : std::string(1, c);
    out += '"';
  }
  return spec.assignments.empty() ? out : out + '}';
}

std::vector<std::string> split_list(std::string_view kind, std::string_view list) {
  std::vector<std::string> texts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    at += find_unquoted(list.substr(at), "{},");
    if (at < list.size() && list[at] == '{') ++depth;
    if (at < list.size() && list[at] == '}') --depth;
    if (at < list.size() && (list[at] != ',' || depth > 0)) continue;
    const auto text = trimmed(list.substr(start, at - start));
    if (text.empty()) {
      throw Error(
          fmt::format("'{}' names no {} between two commas; leave the comma out", list, kind));
    }
    texts.emplace_back(text);
    start = at + 1;
  }
  return texts;
}

std::vector<OptionValue> option_values(std::string_view kind, const Spec& spec,
                                       std::span<const Option> options) {
  const std::string owner = fmt::format("{} {}", kind, spec.name);
  std::vector<OptionValue> values(options.size());
  std::vector<bool> seen(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].kind == Option::Kind::kNumber) values[i].number = options[i].standard;
  }
  for (const auto& [key, text] : spec.assignments) {
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&key = key](const Option& o) { return o.name == key; });
    if (option == options.end()) {
      throw Error(
          ErrorKind::kUnknown, {.field = std::string(key)},
          fmt::format("{} has no option '{}'; {}", owner, key,
                      options.empty() ? "it has none" : "it takes " + listed_names(options)));
    }
    const auto at = static_cast<std::size_t>(option - options.begin());
    if (seen[at]) {
      throw Error(ErrorKind::kDuplicate, {.field = std::string(key)},
                  fmt::format("{} is given {} twice; give it once", owner, key));
    }
    seen[at] = true;
    if (option->kind != Option::Kind::kText) {
      values[at].number = number_in(text, *option, owner);
    } else if (values[at].text = text; text.empty()) {
      throw Error(fmt::format("{}: {} is empty; give {}", owner, key, option->meaning));
    }
  }
  return values;
}

std::vector<double> number_values(std::string_view kind, const Spec& spec,
                                  std::span<const Option> options) {
  std::vector<double> numbers;
  for (const auto& value : option_values(kind, spec, options)) numbers.push_back(*value.number);
  return numbers;
}

}  // namespace pcgs
