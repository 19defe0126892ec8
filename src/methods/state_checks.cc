#include <fmt/format.h>

#include "core/combination.h"
#include "methods/methods.h"

namespace pcgs {

namespace {

// No sum of regrets or of their squares gets this far, and sums of it are still finite.
constexpr double kMost = 1e200;

}  // namespace

void load_weights(StateReader& in, std::span<double> weights) {
  in.f64s(weights);
  if (!on_simplex(weights)) in.fail("its weights are not on the simplex");
}

void load_finite(StateReader& in, std::span<double> values, double low, const char* what) {
  in.f64s(values);
  for (const double x : values) {
    if (!(x >= low && x <= kMost)) in.fail(fmt::format("{} in it is {}", what, x));
  }
}

}  // namespace pcgs
