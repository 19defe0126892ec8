#include "network/running_mean.h"

namespace pcgs::tokens {

void save_floats(StateWriter& out, std::span<const float> values) {
  for (const float x : values) out.f64(static_cast<double>(x));
}

void load_floats(StateReader& in, std::span<float> values, double low, double high) {
  for (float& x : values) x = static_cast<float>(in.f64_within(low, high, "a feature"));
}

void save_expert_floats(StateWriter& out, std::span<const float> values, float fresh) {
  if (out.change() == nullptr) return save_floats(out, values);
  save_floats(out, out.change()->moved(values, fresh));
}

void save_filters(StateWriter& out, std::span<const float> weights, float least_rho) {
  if (out.change() == nullptr) return save_floats(out, weights);
  std::vector<float> after = out.change()->shared_out(weights);
  // Among fewer experts a restart leaves each more.
  const float restart = least_rho / static_cast<float>(out.change()->after());
  for (float& w : after) w = (1 - least_rho) * w + restart;
  save_floats(out, after);
}

void RunningMean::save_experts(StateWriter& out, Newcomer newcomer) const {
  out.f64(mass);
  out.f64(squared_mass);
  float fresh = 0;
  if (newcomer == Newcomer::kMiddling) {
    for (const float x : sums) fresh += x / static_cast<float>(sums.size());
  }
  save_expert_floats(out, sums, fresh);
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
