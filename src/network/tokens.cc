#define HWY_TARGET_INCLUDE "network/tokens.cc"
#include "network/tokens.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "data/checksums.h"

// clang-format off
#include "core/simd_inl.h"
#include <hwy/contrib/math/math-inl.h>  // after it
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcgs::tokens::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

// f over whole registers of the inputs, and over copies of the rest behind which stand zeros.
template <class Function, class... Inputs>
HWY_INLINE void ForEach(std::size_t n, float* out, const Function& f, const Inputs*... in) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, in + i)...), d, out + i);
  if (i == n) return;
  HWY_ALIGN float buffer[HWY_MAX_BYTES / sizeof(float)] = {};
  const auto rest_of = [&](const float* x) HWY_ATTR {
    for (std::size_t j = i; j < n; ++j) buffer[j - i] = x[j];
    return hn::Load(d, buffer);
  };
  hn::Store(f(rest_of(in)...), d, buffer);
  for (std::size_t j = i; j < n; ++j) out[j] = buffer[j - i];
}

void FilterStep(float* weights, const float* charge, std::size_t n, float rho) {
  const F d;
  VF sum = hn::Zero(d);
  const auto charged = [&](VF w, VF c) HWY_ATTR {
    const VF v = hn::Mul(w, hn::Exp(d, hn::Neg(c)));
    sum = hn::Add(sum, v);
    return v;
  };
  ForEach(n, weights, charged, weights, charge);
  const float total = hn::GetLane(hn::SumOfLanes(d, sum));
  const VF keep = hn::Set(d, (1 - rho) / total);
  const VF restart = hn::Set(d, rho / static_cast<float>(n));
  ForEach(
      n, weights, [&](VF v) HWY_ATTR { return hn::MulAdd(v, keep, restart); }, weights);
}

void ScaledLog(const float* x, std::size_t n, float factor, float* out) {
  const F d;
  const VF scale = hn::Set(d, factor);
  ForEach(
      n, out, [&](VF v) HWY_ATTR { return hn::Log(d, hn::Mul(v, scale)); }, x);
}

void SignedLog1p(float* x, std::size_t n) {
  const F d;
  ForEach(
      n, x, [&](VF v) HWY_ATTR { return hn::CopySign(hn::Log1p(d, hn::Abs(v)), v); }, x);
}

}  // namespace pcgs::tokens::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::tokens {

HWY_EXPORT(FilterStep);
HWY_EXPORT(ScaledLog);
HWY_EXPORT(SignedLog1p);

void filter_step(float* weights, const float* charge, std::size_t n, float rho) {
  HWY_DYNAMIC_DISPATCH(FilterStep)(weights, charge, n, rho);
}

void scaled_log(const float* x, std::size_t n, float factor, float* out) {
  HWY_DYNAMIC_DISPATCH(ScaledLog)(x, n, factor, out);
}

void signed_log1p(float* x, std::size_t n) { HWY_DYNAMIC_DISPATCH(SignedLog1p)(x, n); }

// ---- Means --------------------------------------------------------------------------------------

namespace {

void save_floats(StateWriter& out, std::span<const float> values) {
  for (const float x : values) out.f64(static_cast<double>(x));
}

}  // namespace

void load_floats(StateReader& in, std::span<float> values, double low, double high) {
  for (float& x : values) x = static_cast<float>(in.f64_within(low, high, "a feature"));
}

void save_experts(StateWriter& out, std::span<const float> values, float fresh) {
  if (out.change() == nullptr) return save_floats(out, values);
  save_floats(out, out.change()->moved(values, fresh));
}

void RunningMean::count() {
  const double d = decay;
  mass = d * mass + (1 - d);
  squared_mass = d * d * squared_mass + (1 - d) * (1 - d);
}

float RunningMean::trust() const { return static_cast<float>(1 / std::sqrt(squared_mass)); }

void RunningMean::save(StateWriter& out, Newcomer newcomer) const {
  out.f64(mass);
  out.f64(squared_mass);
  if (newcomer == Newcomer::kNobody) return save_floats(out, sums);
  float fresh = 0;
  if (newcomer == Newcomer::kMiddling) {
    for (const float x : sums) fresh += x / static_cast<float>(sums.size());
  }
  save_experts(out, sums, fresh);
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

void MeanAndSquare::count() {
  mean.count();
  square.count();
}

float MeanAndSquare::root_of_rounds() const {
  return static_cast<float>(std::sqrt(mean.mass / mean.squared_mass));
}

void MeanAndSquare::save(StateWriter& out, Newcomer newcomer) const {
  mean.save(out, newcomer);
  square.save(out, Newcomer::kMiddling);
}

void MeanAndSquare::load(StateReader& in, double low, double high) {
  mean.load(in, low, high);
  square.load(in, 0, high * high);
}

// ---- A stream -----------------------------------------------------------------------------------

std::string schema_named(std::string_view prefix, std::string_view sizes,
                         std::initializer_list<std::span<const float>> numbers,
                         std::string_view others) {
  std::string all(sizes);
  for (const auto& some : numbers) all += fmt::format("|{} ", fmt::join(some, " "));
  all += others;
  return fmt::format("{}-{:08x}", prefix, fnv1a<std::uint32_t>(all));
}

Stream::Stream(std::size_t experts, const Sizes& sizes)
    : experts_(experts),
      charge_(experts),
      features_(sizes.expert_features * experts, 0.0f),
      shared_(sizes.shared_features, 0.0f),
      least_rho_(sizes.least_rho),
      weights_(sizes.filters * experts, 1 / static_cast<float>(experts)),
      tokens_(sizes.expert_features * experts, 0.0f) {}

void Stream::count(double variance, float span, double smallest_scale) {
  rounds_ += 1;
  const double decay = decay_of(span);
  variance_ = decay * variance_ + (1 - decay) * variance;
  variance_mass_ = decay * variance_mass_ + (1 - decay);
  scale_ = std::max(std::sqrt(variance_ / variance_mass_), smallest_scale);
}

void Stream::step_filter(std::size_t index, float rho, std::span<float> log_weights) {
  const float least = *std::min_element(charge_.begin(), charge_.end());
  for (float& c : charge_) c -= least;
  const auto w = filter(index);
  filter_step(w.data(), charge_.data(), experts_, rho);
  scaled_log(w.data(), experts_, static_cast<float>(experts_), log_weights.data());
}

void Stream::put_in_tokens(std::size_t end) {
  for (std::size_t k = 0; k < experts_; ++k) {
    float* const out = token(k);
    for (std::size_t i = 0; i < end; ++i) out[i] = features_[i * experts_ + k];
  }
}

void Stream::save(StateWriter& out) const {
  for (const double x : {rounds_, scale_, variance_, variance_mass_}) out.f64(x);
  if (out.change() == nullptr) return save_floats(out, weights_);
  std::vector<float> after = out.change()->shared_out(std::span(weights_));
  // Among fewer experts a restart leaves each more.
  const float restart = least_rho_ / static_cast<float>(out.change()->after());
  for (float& w : after) w = (1 - least_rho_) * w + restart;
  save_floats(out, after);
}

void Stream::load(StateReader& in) {
  rounds_ = in.f64_within(0, 1e18, "a count of rounds");
  scale_ = in.f64_within(0, 1, "a scale");
  variance_ = in.f64_within(0, 1.000001, "a running mean");
  variance_mass_ = in.f64_within(0, 1.000001, "an averaging mass");
  // A mean of what is at most 1, so that the scale of the next round is too.
  if (variance_ > variance_mass_) in.fail("a mean in it is larger than 1");
  load_floats(in, weights_, 0.9 * double{least_rho_} / static_cast<double>(experts_), 1.001);
  for (std::size_t f = 0; f * experts_ < weights_.size(); ++f) {
    const auto w = filter(f);
    if (!(std::abs(std::accumulate(w.begin(), w.end(), 0.0) - 1) <= 1e-3)) {
      in.fail("a filter's weights in it do not sum to 1");
    }
  }
}

}  // namespace pcgs::tokens
#endif  // HWY_ONCE
