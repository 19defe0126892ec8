#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "data/json.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "forecasters/forecasters.h"
#include "pcgs/error.h"
#include "pcgs/experts.h"

namespace pcgs {

namespace {

std::size_t longest_reach(const Experts& experts) {
  std::size_t reach = 1;
  for (const auto& expert : experts) reach = std::max(reach, expert->reach());
  return reach;
}

// Seasons may coincide with each other's multiples and with the short lags: the first stays.
void add_new(Experts& experts, std::unique_ptr<Expert> expert) {
  const auto same = [&](const auto& other) { return other->name() == expert->name(); };
  if (std::none_of(experts.begin(), experts.end(), same)) experts.push_back(std::move(expert));
}

std::vector<std::size_t> lags_and(std::vector<std::size_t> lags, std::vector<std::size_t> more) {
  for (const std::size_t lag : more) {
    if (std::find(lags.begin(), lags.end(), lag) == lags.end()) lags.push_back(lag);
  }
  return lags;
}

void check(std::span<const std::size_t> seasons) {
  for (std::size_t i = 0; i < seasons.size(); ++i) {
    if (seasons[i] < 2 || seasons[i] > kLongestReach / 4 ||
        (i > 0 && seasons[i] <= seasons[i - 1])) {
      throw Error(
          fmt::format("the season {} cannot be used; give whole numbers from 2 to {}, the shortest "
                      "first",
                      seasons[i], kLongestReach / 4));
    }
  }
}

// Pools described in JSON (docs/experts.md):
//
//     {"seasons": [24, 168],                               the standard pool of these, optional
//      "experts": [{"kind": "lag", "lag": 48},             and these
//                  {"kind": "regression", "lags": [1, 2, 24], "forgetting": 0.995}]}
using json = nlohmann::ordered_json;

using Keys = std::vector<std::string_view>;

std::string shown(const json& value) { return excerpt(value.dump(-1, ' ', true)); }

// Where something stands in the file: at its top, or in one of the experts, from 1 on.
struct EntryPlace {
  const std::string& origin;
  std::size_t expert = 0;

  Error error(ErrorKind kind, std::string_view field, std::string_view why) const {
    const std::string before = expert > 0 ? fmt::format("expert {}: ", expert) : "";
    return {kind, {.file = origin, .field = std::string(field)}, before + std::string(why)};
  }
  // What make() gives; what it objects to is said with the place.
  template <class Make>
  auto located(const Make& make) const {
    try {
      return make();
    } catch (const Error& wrong) {
      if (!wrong.place().file.empty()) throw;
      throw error(wrong.kind(), wrong.place().field, wrong.what());
    }
  }
};

// One object of the file.
class Entry {
 public:
  Entry(const json& object, EntryPlace place, const Keys& keys) : object_(object), place_(place) {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      fail(ErrorKind::kUnknown, key,
           fmt::format("there is no key {} here; the keys are {}", shown(json(key)),
                       fmt::join(keys, ", ")));
    }
  }

  std::size_t steps(const char* key) const { return step(required(key), key); }
  std::size_t steps_or(const char* key, std::size_t otherwise) const {
    return object_.contains(key) ? steps(key) : otherwise;
  }
  double number(const char* key) const {
    const json& value = required(key);
    if (!value.is_number()) refuse(key, value, "a number");
    return value.get<double>();
  }
  double number_or(const char* key, double otherwise) const {
    return object_.contains(key) ? number(key) : otherwise;
  }
  std::vector<std::size_t> list(const char* key) const {
    const json& value = required(key);
    if (!value.is_array()) refuse(key, value, "a list such as [1, 2, 24]");
    std::vector<std::size_t> out;
    for (const json& one : value) out.push_back(step(one, key));
    return out;
  }
  bool has(const char* key) const { return object_.contains(key); }

  [[noreturn]] void fail(ErrorKind kind, std::string_view key, std::string_view why) const {
    throw place_.error(kind, key, why);
  }

 private:
  const json& required(const char* key) const {
    if (!object_.contains(key)) {
      fail(ErrorKind::kMissing, key, fmt::format("the key \"{}\" is missing; add it", key));
    }
    return object_[key];
  }
  [[noreturn]] void refuse(const char* key, const json& value, std::string_view wanted) const {
    fail(ErrorKind::kValue, key, fmt::format("\"{}\" is {}; give {}", key, shown(value), wanted));
  }
  std::size_t step(const json& value, const char* key) const {
    if (value.is_number_unsigned()) return value.get<std::size_t>();
    refuse(key, value, "a whole number of steps");
  }
  const json& object_;
  EntryPlace place_;
};

std::unique_ptr<Expert> regression_from(const Entry& entry) {
  if (entry.has("window")) {
    for (const char* key : {"forgetting", "prior", "unit"}) {
      if (entry.has(key)) {
        entry.fail(ErrorKind::kRequest, key,
                   fmt::format("\"window\" and \"{}\" exclude each other; leave one out", key));
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

std::unique_ptr<Expert> expert_from(const json& object, const EntryPlace& place) {
  std::string kinds;
  for (const Kind& kind : kKinds) kinds += (kinds.empty() ? "" : ", ") + std::string(kind.name);
  if (!object.is_object() || !object.contains("kind") || !object["kind"].is_string()) {
    throw place.error(ErrorKind::kMissing, "kind",
                      fmt::format("give an object with a \"kind\": {}", kinds));
  }
  const auto name = object["kind"].get<std::string>();
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    const Entry entry(object, place, kind.keys);
    return place.located([&] { return kind.make(entry); });
  }
  throw place.error(
      ErrorKind::kUnknown, "kind",
      fmt::format("there is no kind {}; the kinds are {}", shown(object["kind"]), kinds));
}

}  // namespace

ExpertPool::ExpertPool(Experts experts)
    : experts_(std::move(experts)), past_(longest_reach(experts_)) {
  if (experts_.empty()) throw Error("a pool without experts forecasts nothing; give at least one");
  for (const auto& expert : experts_) {
    names_.push_back(expert->name());
    if (std::find(names_.begin(), names_.end() - 1, names_.back()) != names_.end() - 1) {
      throw Error(fmt::format("expert {} is given twice; give it once", names_.back()));
    }
  }
}

void ExpertPool::forecast(std::span<double> out) const {
  for (std::size_t k = 0; k < experts_.size(); ++k) {
    const double f = experts_[k]->forecast(past_);
    out[k] = std::isfinite(f) ? f : std::numeric_limits<double>::quiet_NaN();
  }
}

void ExpertPool::observe(double y) {
  if (std::isinf(y)) {
    throw Error(fmt::format("the series holds {}; give finite numbers, and NaN for gaps", y));
  }
  for (const auto& expert : experts_) expert->observe(past_, y);
  past_.add(y);
}

std::uint64_t ExpertPool::architecture() const {
  std::string all = "experts";
  for (const auto& name : names_) all += "\n" + name;
  return architecture_hash(all, experts_.size());
}

std::vector<std::uint8_t> ExpertPool::save_bytes() const {
  StateWriter out;
  past_.save(out);
  for (const auto& expert : experts_) expert->save(out);
  return out.file(architecture());
}

void ExpertPool::load_bytes(std::span<const std::uint8_t> file, const std::string& origin) {
  StateReader in(file, origin);
  if (in.architecture() != architecture()) in.fail("it was saved with other experts");
  const auto take = [&](StateReader& from) {
    past_.load(from);
    for (const auto& expert : experts_) expert->load(from);
    from.finish();
  };
  const auto before = save_bytes();
  try {
    take(in);
  } catch (...) {
    StateReader back(before, origin);
    take(back);
    throw;
  }
}

void ExpertPool::save(const std::string& path) const {
  WholeFile file(path);
  const auto bytes = save_bytes();
  file.write(bytes.data(), bytes.size());
  file.commit();
}

void ExpertPool::load(const std::string& path) { load_bytes(read_whole_file(path), path); }

Experts benchmark_experts(std::span<const std::size_t> seasons) {
  check(seasons);
  const bool seasonal = !seasons.empty();
  const std::size_t day = seasonal ? seasons[0] : 0;

  Experts pool;
  const auto add = [&](std::unique_ptr<Expert> expert) { add_new(pool, std::move(expert)); };
  for (const std::size_t lag : {1u, 2u, 3u}) add(lag_expert(lag));
  if (seasonal) {
    add(lag_expert(day));
    add(lag_expert(2 * day));
    for (const std::size_t season : seasons.subspan(1)) add(lag_expert(season));
  }
  for (const std::size_t window : {3u, 6u, 12u}) add(mean_expert(window));
  for (const std::size_t season : seasons) add(mean_expert(season));
  for (const double rate : {0.05, 0.1, 0.3, 0.5, 0.8}) add(ewma_expert(rate));
  if (seasonal) {
    add(seasonal_mean_expert(day, 4));
    add(seasonal_change_expert(day));
  } else {
    add(drift_expert(1));
    add(drift_expert(12));
  }
  using Lags = std::vector<std::size_t>;
  const auto regression = [&](Lags lags, const Lags& seasonal_lags, double forgetting) {
    RegressionOptions options;
    options.forgetting = forgetting;
    add(regression_expert(seasonal ? lags_and(std::move(lags), seasonal_lags) : std::move(lags),
                          options));
  };
  regression({1, 2, 3}, {day}, 1);
  regression({1, 2, 3, 4, 5, 6}, {day, day + 1}, 0.999);
  regression({1, 2}, {day}, 0.99);
  return pool;
}

Experts standard_experts(std::span<const std::size_t> seasons) {
  Experts experts = benchmark_experts(seasons);
  if (seasons.empty()) return experts;
  // Everything around now a season ago.
  std::vector<std::size_t> lags = {1, 2, 3, 4, 5, 6};
  for (const std::size_t season : seasons) {
    lags = lags_and(std::move(lags), {season - 1, season, season + 1});
  }
  RegressionOptions options;
  options.forgetting = 0.9995;
  experts.push_back(regression_expert(std::move(lags), options));
  return experts;
}

Experts parse_experts(std::string_view text, const std::string& origin) {
  const json file = io::parse_json(text, origin, "an object with \"experts\"");
  const EntryPlace place{origin};
  if (!file.is_object()) {
    throw place.error(ErrorKind::kFormat, "", "is not a JSON object; give one with \"experts\"");
  }
  const Entry top(file, place, {"seasons", "experts"});
  Experts experts;
  if (top.has("seasons")) {
    experts = place.located([&] { return standard_experts(top.list("seasons")); });
  }
  if (top.has("experts")) {
    const json& list = file["experts"];
    if (!list.is_array()) {
      top.fail(ErrorKind::kValue, "experts", "\"experts\" is not a list; give a list of objects");
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const EntryPlace here{origin, i + 1};
      experts.push_back(expert_from(list[i], here));
      const std::string name = experts.back()->name();
      for (std::size_t k = 0; k + 1 < experts.size(); ++k) {
        if (experts[k]->name() != name) continue;
        throw here.error(ErrorKind::kDuplicate, "",
                         fmt::format("{} is in the pool already; give it once", name));
      }
    }
  }
  if (experts.empty()) {
    top.fail(ErrorKind::kMissing, "experts",
             "the pool is empty; give \"seasons\", or \"experts\" with at least one");
  }
  return experts;
}

Experts read_experts(const std::string& path) {
  const auto bytes = read_whole_file(path);
  return parse_experts({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace pcgs
