// Numbers that depend on how often the path they are measured against may switch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pcgs::results {

// JSON has no infinity: what is not finite is no number in a result.
inline std::optional<double> finite(double x) {
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}

// One value for each budget, in the order of the budgets; none where no path stays awake. In JSON
// an object whose keys are the budgets.
template <class T>
struct ByBudget {
  std::vector<std::pair<std::size_t, std::optional<T>>> at_budgets;

  // Null if this budget was not asked for.
  const std::optional<T>* find(std::size_t switches) const {
    const auto at = std::find_if(at_budgets.begin(), at_budgets.end(),
                                 [&](const auto& one) { return one.first == switches; });
    return at == at_budgets.end() ? nullptr : &at->second;
  }
  // Requires that it was.
  const std::optional<T>& at(std::size_t switches) const { return *find(switches); }
  bool has_all(const std::vector<std::size_t>& switches) const {
    return std::all_of(switches.begin(), switches.end(),
                       [&](std::size_t s) { return find(s) != nullptr; });
  }
  bool operator==(const ByBudget&) const = default;
};

inline ByBudget<double> by_budget(const std::vector<std::size_t>& switches,
                                  const std::vector<double>& values) {
  ByBudget<double> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (out.find(switches[i]) != nullptr) continue;
    out.at_budgets.emplace_back(switches[i], finite(values[i]));
  }
  return out;
}

// Values under names, in order; in JSON an object.

template <class T>
struct ByName {
  std::vector<std::pair<std::string, T>> by_name;

  bool operator==(const ByName&) const = default;
};

}  // namespace pcgs::results
