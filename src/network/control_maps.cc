#include "network/control_maps.h"

#include <fmt/format.h>

#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr struct {
  const char* name;
  double ControlMaps::*field;
  double low, high;
  bool may_be_missing;
} kConstants[] = {
    {"rho_max", &ControlMaps::rho_max, 0, 0.999, false},
    {"uniform", &ControlMaps::uniform, 1e-9, 1, false},
    {"least_rate", &ControlMaps::least_rate, 1e-9, 1e3, false},
    {"constant_eta", &ControlMaps::constant_eta, 0, 1e4, false},
    {"constant_rho", &ControlMaps::constant_rho, 0, 0.999, true},
};

}  // namespace

ControlMaps control_maps_of(const infer::Model& model, const std::string& origin) {
  ControlMaps maps;
  for (const auto& [name, field, low, high, may_be_missing] : kConstants) {
    const auto at = model.config.controls.find(name);
    const bool missing = at == model.config.controls.end();
    if (missing && may_be_missing) continue;
    if (missing || !(at->second >= low && at->second <= high)) {
      throw Error(fmt::format("{} has no usable constant {}; it should be a number in [{}, {}]",
                              origin, name, low, high));
    }
    maps.*field = at->second;
  }
  return maps;
}

std::map<std::string, double> constants_of(const ControlMaps& maps) {
  std::map<std::string, double> constants;
  for (const auto& constant : kConstants) constants[constant.name] = maps.*constant.field;
  return constants;
}

}  // namespace pcgs
