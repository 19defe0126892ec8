#include "tokens/running_mean.h"

namespace pcgs::tokens {

void save_floats(StateWriter& out, std::span<const float> values) {
  for (const float x : values) out.f64(static_cast<double>(x));
}

void load_floats(StateReader& in, std::span<float> values, double low, double high) {
  for (float& x : values) x = static_cast<float>(in.f64_within(low, high, "a feature"));
}

void RunningMean::save(StateWriter& out) const {
  out.f64(mass);
  out.f64(squared_mass);
  save_floats(out, sums);
}

void RunningMean::load(StateReader& in, double low, double high) {
  mass = in.f64_within(0, 1.000001, "an averaging mass");
  // No round yet, or at least the weight of one: a mean divides by it.
  if (mass != 0 && mass < 1 - double{decay}) {
    in.fail("an averaging mass in it is less than one round's");
  }
  squared_mass = in.f64_within(0, 1.000001, "an averaging mass");
  const double most = 1.001 * mass;  // float rounds
  load_floats(in, sums, most * low, most * high);
}

}  // namespace pcgs::tokens
