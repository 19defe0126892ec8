// The maps from a network's raw outputs to feasible controls: their constants, which training and
// use have in common and a model's file carries.
//
//     rho = rho_max sigmoid(r)                    or constant_rho
//     q   = (1 - uniform) softmax(s) + uniform / K
//     eta = (least_rate + softplus(e)) / scale    at most kLargestEta; or constant_eta
#pragma once

#include <map>
#include <string>

#include "network/model.h"

namespace pcgs {

struct ControlMaps {
  double rho_max = 0.5;
  double uniform = 0.01;     // eps: the share of q that is uniform
  double least_rate = 0.05;  // eta_min, in units of 1 / scale
  double constant_eta = 0;   // > 0: no rate is chosen, eta is this
  double constant_rho = 0;   // > 0: no restart rate is chosen, rho is this

  bool operator==(const ControlMaps&) const = default;
};

// Losses in [0,1] of which the typical difference is 1e-6 hardly differ; a rate beyond this would
// only follow their rounding.
inline constexpr double kLargestEta = 1e6;

// As a model's configuration holds them. A file without constant_rho is older than it: 0. Throws
// Error, naming `origin`, where another is missing or one is out of its range.
ControlMaps control_maps_of(const infer::Model& model, const std::string& origin);
std::map<std::string, double> constants_of(const ControlMaps& maps);

}  // namespace pcgs
