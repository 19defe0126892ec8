// Pools described in JSON (docs/experts.md):
//
//     {"seasons": [24, 168],                               the standard pool of these, optional
//      "experts": [{"kind": "lag", "lag": 48},             and these
//                  {"kind": "regression", "lags": [1, 2, 24], "forgetting": 0.995}]}
#include "forecasters/pool_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "data/json_depth.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

using nlohmann::json;

using Keys = std::vector<std::string_view>;

std::string joined(const Keys& names) {
  std::string out;
  for (const auto name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

std::string shown(const json& value) { return excerpt(value.dump(-1, ' ', true)); }

// One object of the file. Every complaint starts with where it is.
class Entry {
 public:
  Entry(const json& object, std::string where, const Keys& keys)
      : object_(object), where_(std::move(where)) {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      fail(fmt::format("there is no key {} here; the keys are {}", shown(json(key)), joined(keys)));
    }
  }

  std::size_t steps(const char* key) const { return step(required(key), key); }
  std::size_t steps_or(const char* key, std::size_t otherwise) const {
    return object_.contains(key) ? steps(key) : otherwise;
  }
  double number(const char* key) const {
    const json& value = required(key);
    if (!value.is_number()) fail(fmt::format("\"{}\" is {}; give a number", key, shown(value)));
    return value.get<double>();
  }
  double number_or(const char* key, double otherwise) const {
    return object_.contains(key) ? number(key) : otherwise;
  }
  std::vector<std::size_t> list(const char* key) const {
    const json& value = required(key);
    if (!value.is_array()) {
      fail(fmt::format("\"{}\" is {}; give a list such as [1, 2, 24]", key, shown(value)));
    }
    std::vector<std::size_t> out;
    for (const json& one : value) out.push_back(step(one, key));
    return out;
  }
  bool has(const char* key) const { return object_.contains(key); }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(fmt::format("{}: {}", where_, why));
  }

 private:
  const json& required(const char* key) const {
    if (!object_.contains(key)) fail(fmt::format("the key \"{}\" is missing; add it", key));
    return object_[key];
  }
  std::size_t step(const json& value, const char* key) const {
    if (value.is_number_unsigned()) return value.get<std::size_t>();
    fail(fmt::format("\"{}\" is {}; give a whole number of steps", key, shown(value)));
  }
  const json& object_;
  std::string where_;
};

std::unique_ptr<Expert> regression_from(const Entry& entry) {
  if (entry.has("window")) {
    for (const char* key : {"forgetting", "prior", "unit"}) {
      if (entry.has(key)) {
        entry.fail(fmt::format("\"window\" and \"{}\" exclude each other; leave one out", key));
      }
    }
    return rolling_regression_expert(entry.list("lags"), entry.steps("window"));
  }
  RegressionOptions options;
  options.forgetting = entry.number_or("forgetting", options.forgetting);
  options.prior = entry.number_or("prior", options.prior);
  options.unit = entry.number_or("unit", options.unit);
  return regression_expert(entry.list("lags"), options);
}

std::unique_ptr<Expert> holt_winters_from(const Entry& entry) {
  HoltWintersRates rates;
  rates.level = entry.number_or("level", rates.level);
  rates.trend = entry.number_or("trend", rates.trend);
  rates.seasonal = entry.number_or("seasonal", rates.seasonal);
  return holt_winters_expert(entry.steps("season"), rates);
}

struct Kind {
  std::string_view name;
  Keys keys;  // "kind" among them
  std::unique_ptr<Expert> (*make)(const Entry&);
};

const Kind kKinds[] = {
    {"lag", {"kind", "lag"}, [](const Entry& e) { return lag_expert(e.steps("lag")); }},
    {"mean", {"kind", "window"}, [](const Entry& e) { return mean_expert(e.steps("window")); }},
    {"ewma", {"kind", "rate"}, [](const Entry& e) { return ewma_expert(e.number("rate")); }},
    {"drift", {"kind", "window"}, [](const Entry& e) { return drift_expert(e.steps("window")); }},
    {"seasonal-mean",
     {"kind", "season", "seasons"},
     [](const Entry& e) {
       return seasonal_mean_expert(e.steps("season"), e.steps_or("seasons", 4));
     }},
    {"seasonal-change",
     {"kind", "season"},
     [](const Entry& e) { return seasonal_change_expert(e.steps("season")); }},
    {"regression", {"kind", "lags", "forgetting", "prior", "unit", "window"}, regression_from},
    {"holt-winters", {"kind", "season", "level", "trend", "seasonal"}, holt_winters_from},
};

std::unique_ptr<Expert> expert_from(const json& object, const std::string& where) {
  std::string kinds;
  for (const Kind& kind : kKinds) kinds += (kinds.empty() ? "" : ", ") + std::string(kind.name);
  if (!object.is_object() || !object.contains("kind") || !object["kind"].is_string()) {
    throw Error(fmt::format("{}: give an object with a \"kind\": {}", where, kinds));
  }
  const auto name = object["kind"].get<std::string>();
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    const Entry entry(object, where, kind.keys);
    try {
      return kind.make(entry);
    } catch (const Error& wrong) {
      const std::string why = wrong.what();
      if (why.rfind(where, 0) == 0) throw;
      entry.fail(why);
    }
  }
  throw Error(fmt::format("{}: there is no kind {}; the kinds are {}", where, shown(object["kind"]),
                          kinds));
}

}  // namespace

Experts parse_experts(std::string_view text, const std::string& origin) {
  if (is_deep_json(text)) {
    throw Error(fmt::format("{}: is nested more than {} deep; give an object with \"experts\"",
                            origin, kDeepestJson));
  }
  json file;
  try {
    file = json::parse(text);
  } catch (const json::exception& wrong) {
    throw Error(
        fmt::format("{}: is not JSON ({}); give an object with \"experts\"", origin, wrong.what()));
  }
  if (!file.is_object()) {
    throw Error(fmt::format("{}: is not a JSON object; give one with \"experts\"", origin));
  }
  const Entry top(file, origin, {"seasons", "experts"});
  Experts experts;
  if (top.has("seasons")) {
    try {
      experts = standard_experts(top.list("seasons"));
    } catch (const Error& wrong) {
      const std::string why = wrong.what();
      if (why.rfind(origin, 0) == 0) throw;
      top.fail(why);
    }
  }
  if (top.has("experts")) {
    const json& list = file["experts"];
    if (!list.is_array()) top.fail("\"experts\" is not a list; give a list of objects");
    for (std::size_t i = 0; i < list.size(); ++i) {
      experts.push_back(expert_from(list[i], fmt::format("{}: expert {}", origin, i + 1)));
      const std::string name = experts.back()->name();
      for (std::size_t k = 0; k + 1 < experts.size(); ++k) {
        if (experts[k]->name() != name) continue;
        throw Error(fmt::format("{}: expert {}: {} is in the pool already; give it once", origin,
                                i + 1, name));
      }
    }
  }
  if (experts.empty()) {
    top.fail("the pool is empty; give \"seasons\", or \"experts\" with at least one");
  }
  return experts;
}

Experts read_experts(const std::string& path) {
  const auto bytes = read_whole_file(path);
  return parse_experts({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace pcgs
