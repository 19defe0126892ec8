#include "contract/specs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "pcgs/registry.h"

namespace pcgs::test {
namespace {

std::vector<Option> number_options(const MethodInfo& method) {
  std::vector<Option> options;
  for (const Option& option : method.options) {
    if (option.kind != Option::Kind::kText) options.push_back(option);
  }
  return options;
}

std::string with_options(const MethodInfo& method, const std::vector<double>& values) {
  const auto options = number_options(method);
  std::string spec(method.name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", values[i]);
    spec += (i == 0 ? "{" : ",") + std::string(options[i].name) + "=" + number;
  }
  return values.empty() ? spec : spec + "}";
}

// A value this far along the range; by factors where the range covers several powers of ten.
double along(const Option& option, double part) {
  if (option.low > 0 && option.high / option.low > 100) {
    return option.low * std::pow(option.high / option.low, part);
  }
  return option.low + (option.high - option.low) * part;
}

}  // namespace

std::vector<std::string> default_specs() {
  std::vector<std::string> specs;
  for (const MethodInfo& method : registered_methods()) {
    if (!method.traits.needs_forecasts) specs.emplace_back(method.name);
  }
  return specs;
}

std::vector<std::string> contract_specs() {
  std::vector<std::string> specs;
  for (const MethodInfo& method : registered_methods()) {
    if (method.traits.needs_forecasts) continue;  // forecast_specs()
    specs.emplace_back(method.name);
    std::vector<double> standard, lowest, highest;
    const auto options = number_options(method);
    for (const Option& option : options) {
      standard.push_back(option.standard);
      lowest.push_back(option.low);
      highest.push_back(option.high);
    }
    for (std::size_t i = 0; i < standard.size(); ++i) {
      // A rate that is given to a method that has its own, and nothing else.
      if (options[i].kind == Option::Kind::kOverride && options[i].name == "eta") {
        specs.push_back(fmt::format("{}{{eta={}}}", method.name, along(options[i], 0.6)));
      }
      if (options[i].kind != Option::Kind::kNumber) continue;
      for (double part : {0.25, 0.75}) {
        std::vector<double> values = standard;
        values[i] = along(options[i], part);
        specs.push_back(with_options(method, values));
      }
    }
    if (!standard.empty()) {
      specs.push_back(with_options(method, lowest));
      specs.push_back(with_options(method, highest));
    }
  }
  std::sort(specs.begin(), specs.end());
  specs.erase(std::unique(specs.begin(), specs.end()), specs.end());
  return specs;
}

std::vector<std::string> forecast_specs() {
  constexpr double kLongestSeason = 100;  // its phases have a state each
  std::vector<std::string> specs;
  for (const MethodInfo& method : registered_methods()) {
    if (!method.traits.needs_forecasts) continue;
    specs.emplace_back(method.name);
    for (const Option& option : number_options(method)) {
      for (const double part : {0.0, 0.25, 1.0}) {
        double value = along(option, part);
        if (option.low == 2) value = std::floor(value);  // a season
        if (option.low == 2 && value > kLongestSeason) continue;
        specs.push_back(fmt::format("{}{{{}={}}}", method.name, option.name, value));
      }
    }
  }
  return specs;
}

std::vector<std::string> all_specs() {
  std::vector<std::string> specs = contract_specs();
  for (std::string& spec : forecast_specs()) specs.push_back(std::move(spec));
  return specs;
}

std::string name_of_spec(const ::testing::TestParamInfo<std::string>& spec) {
  std::string name;
  for (char c : spec.param) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_plain || (!name.empty() && name.back() != '_')) name += is_plain ? c : '_';
  }
  return name;
}

}  // namespace pcgs::test
