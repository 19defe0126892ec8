// Checks on numbers read from a state file: a valid checksum does not make them sane.
#include <fmt/format.h>

#include <cmath>

#include "methods/methods.h"

namespace pcgs {

namespace {

// No sum of numbers in [-1,1] gets this far, and sums and squares of it are still finite.
constexpr double kMost = 1e15;

}  // namespace

void load_weights(StateReader& in, std::span<double> weights) {
  in.f64s(weights);
  double total = 0;
  bool feasible = true;
  for (const double w : weights) {
    feasible = feasible && w >= 0;
    total += w;
  }
  if (!feasible || !(std::abs(total - 1) < 1e-9)) in.fail("its weights are not on the simplex");
}

void load_finite(StateReader& in, std::span<double> values, double low, const char* what) {
  in.f64s(values);
  for (const double x : values) {
    if (!(x >= low && x <= kMost)) in.fail(fmt::format("{} in it is {}", what, x));
  }
}

}  // namespace pcgs
