#include "pcgs/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "control/controllers.h"
#include "methods/methods.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

template <class... Doubles>
std::unique_ptr<Method> steered(std::size_t experts,
                                std::unique_ptr<Controller> (*make)(Doubles...),
                                Doubles... options) {
  return std::make_unique<ShareMethod>(experts, make(options...));
}

using Options = std::span<const double>;

// Built on first use, so that it is there for objects made before main.
std::span<const MethodInfo> all_methods() {
  const static MethodOption kEta = {"eta", "learning rate", 4, 1e-6, 1e4};
  const static MethodOption kRho = {"rho", "restart rate", 0.01, 0, 0.999};
  const static MethodOption kUsualRho = {"rho", "restart rate without surprise", 0.01, 0, 0.5};
  static const MethodInfo kMethods[] = {
      {"hedge",
       "exponential weights, no restarts",
       "Freund and Schapire 1997",
       {kEta},
       [](std::size_t k, Options o) { return steered(k, make_hedge, o[0]); }},
      {"fixed-share",
       "uniform restarts at a constant rate",
       "Herbster and Warmuth 1998",
       {kEta, kRho},
       [](std::size_t k, Options o) { return steered(k, make_fixed_share, o[0], o[1]); }},
      {"variable-share",
       "restarts as large as the expert's loss",
       "Herbster and Warmuth 1998",
       {kEta, kRho},
       [](std::size_t k, Options o) { return make_variable_share(k, o[0], o[1]); }},
      {"genshare",
       "restarts towards the recently good, more after surprise",
       "this project",
       {kEta, kUsualRho},
       [](std::size_t k, Options o) { return steered(k, make_genshare, o[0], o[1]); }},
      {"past-posteriors",
       "restarts towards experts that were good before",
       "Bousquet and Warmuth 2002",
       {kEta, kRho},
       [](std::size_t k, Options o) { return steered(k, make_past_posteriors, o[0], o[1]); }},
      {"learn-alpha",
       "Bayes over a grid of fixed-share rates, nothing to tune",
       "Monteleoni and Jaakkola 2003",
       {},
       [](std::size_t k, Options) { return make_learn_alpha(k); }},
      {"adahedge",
       "exponential weights that set their own rate",
       "de Rooij et al. 2014",
       {},
       [](std::size_t k, Options) { return make_adahedge(k); }},
      {"squint",
       "an average over all learning rates",
       "Koolen and van Erven 2015",
       {},
       [](std::size_t k, Options) { return make_squint(k); }},
      {"ml-poly",
       "positive regrets, a rate for each expert",
       "Gaillard et al. 2014",
       {},
       [](std::size_t k, Options) { return make_ml_poly(k); }},
      {"boa",
       "Bernstein online aggregation, a rate for each expert",
       "Wintenberger 2017",
       {},
       [](std::size_t k, Options) { return make_boa(k); }},
  };
  return kMethods;
}

template <class Range>
std::string listed(const Range& range) {
  std::string out;
  for (const auto& item : range) out += (out.empty() ? "" : ", ") + std::string(item.name);
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "name{a=1,b=2}" or "name:a=1:b=2" -> name and {"a=1", "b=2"}.
std::pair<std::string_view, std::vector<std::string_view>> taken_apart(std::string_view spec) {
  spec = trimmed(spec);
  const std::size_t mark = spec.find_first_of(":{");
  if (mark == std::string_view::npos) return {spec, {}};
  const bool braces = spec[mark] == '{';
  if (braces && spec.back() != '}') {
    throw Error(
        fmt::format("method '{}' lacks its closing brace; write name{{option=value,...}}", spec));
  }
  std::string_view rest = spec.substr(mark + 1);
  if (braces) rest.remove_suffix(1);
  std::vector<std::string_view> options;
  if (braces && trimmed(rest).empty()) return {trimmed(spec.substr(0, mark)), {}};
  for (bool more = true; more;) {
    const std::size_t end = rest.find(braces ? ',' : ':');
    more = end != std::string_view::npos;
    options.push_back(trimmed(rest.substr(0, end)));
    if (options.back().empty()) {
      throw Error(
          fmt::format("method '{}' has an empty option; write name{{option=value,...}}", spec));
    }
    if (more) rest.remove_prefix(end + 1);
  }
  return {trimmed(spec.substr(0, mark)), options};
}

}  // namespace

std::span<const MethodInfo> registered_methods() { return all_methods(); }

std::unique_ptr<Method> make_method(std::string_view spec, std::size_t experts) {
  if (experts == 0) throw Error("there are no experts to combine; give at least one");
  const auto [name, given] = taken_apart(spec);
  const auto methods = all_methods();
  const auto info = std::find_if(methods.begin(), methods.end(),
                                 [n = name](const MethodInfo& m) { return m.name == n; });
  if (info == methods.end()) {
    throw Error(
        fmt::format("there is no method '{}'; choose one of {}", name, listed(all_methods())));
  }
  std::vector<double> values;
  for (const auto& option : info->options) values.push_back(option.standard);
  std::vector<bool> seen(values.size());
  for (const std::string_view assignment : given) {
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const std::string_view key = trimmed(assignment.substr(0, equals));
    const auto option = std::find_if(info->options.begin(), info->options.end(),
                                     [&](const MethodOption& o) { return o.name == key; });
    if (option == info->options.end()) {
      throw Error(
          fmt::format("method {} has no option '{}'; {}", name, key,
                      info->options.empty() ? "it has none" : "it takes " + listed(info->options)));
    }
    const auto at = static_cast<std::size_t>(option - info->options.begin());
    if (seen[at]) throw Error(fmt::format("method {} is given {} twice; give it once", name, key));
    seen[at] = true;
    const std::string_view text =
        equals < assignment.size() ? trimmed(assignment.substr(equals + 1)) : "";
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, values[at]);
    if (problem != std::errc() || stop != end ||
        !(values[at] >= option->low && values[at] <= option->high)) {
      throw Error(fmt::format("method {}: {} is '{}'; give a number in [{}, {}]", name, key, text,
                              option->low, option->high));
    }
  }
  return info->make(experts, values);
}

std::vector<std::string> split_specs(std::string_view list) {
  std::vector<std::string> specs;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '{') ++depth;
    if (i < list.size() && list[i] == '}') --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    const auto spec = trimmed(list.substr(start, i - start));
    if (spec.empty()) {
      throw Error(fmt::format("'{}' names no method between two commas; choose from {}", list,
                              listed(all_methods())));
    }
    specs.emplace_back(spec);
    start = i + 1;
  }
  return specs;
}

Aggregator make_aggregator(std::string_view spec, std::size_t experts,
                           Aggregator::Options options) {
  return Aggregator(make_method(spec, experts), std::move(options));
}

Aggregator load_aggregator(const std::string& path) { return Aggregator::load(path, make_method); }

}  // namespace pcgs
