// The controllers of the share recursion; the .cc has the formula and the source above each of them.
#pragma once

#include <memory>

#include "pcgs/controller.h"

namespace pcgs {

std::unique_ptr<Controller> make_hedge(double eta);
std::unique_ptr<Controller> make_fixed_share(double eta, double rho);
std::unique_ptr<Controller> make_genshare(double eta, double rho);
std::unique_ptr<Controller> make_past_posteriors(double eta, double rho);

}  // namespace pcgs
