#include "combine/error_scale.h"

#include <algorithm>
#include <cmath>

namespace pcgs {

namespace {

constexpr double kTiny = 1e-140, kHuge = 1e140;
constexpr double kSlow = 250, kFast = 16;  // rounds that the means reach back
constexpr double kFewOfPhase = 10;         // rounds of a phase that weigh as much as all the others
constexpr double kMostOfPhase = 60;
constexpr double kWild = 8;
constexpr double kLargestFeature = 3;

// A feature is trusted as in the beginning until the data say otherwise.
constexpr std::array<double, ErrorScale::kFeatures> kExponents = {0.5, 1, 0.3};
constexpr double kCurvature = 20, kMemory = 0.999, kStep = 0.5;
constexpr double kLeastExponent = -0.5, kMostExponent = 2;
constexpr double kLargestSurprise = 6;

double ratio_feature(double a, double b) {
  return std::clamp(std::log(a / b), -kLargestFeature, kLargestFeature);
}

}  // namespace

ErrorScale::ErrorScale(std::size_t season)
    : phase_(season, 1.0), seen_(season), exponents_(kExponents) {
  curvature_.fill(kCurvature);
}

std::size_t ErrorScale::phase_of(std::int64_t number) const {
  return static_cast<std::size_t>(number) % phase_.size();
}

double ErrorScale::phase(std::size_t index) const {
  return (kFewOfPhase + seen_[index] * phase_[index]) / (kFewOfPhase + seen_[index]);
}

ErrorScale::Opened ErrorScale::open(std::int64_t number, double disagreement) const {
  Opened out;
  out.disagreement = std::min(disagreement, kHuge);
  if (!knows()) {
    out.guessed = out.disagreement >= kTiny;
    if (out.guessed) out.scale = out.disagreement;
    return out;
  }
  const double slow = std::max(slow_, kTiny);
  out.features[0] = ratio_feature(std::max(fast_, kTiny), slow);
  if (!phase_.empty()) out.features[1] = ratio_feature(phase(phase_of(number)), 1);
  if (usual_disagreement_ > 0 && out.disagreement >= kTiny) {
    out.features[2] = ratio_feature(out.disagreement, usual_disagreement_);
  }
  double log_ratio = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) log_ratio += exponents_[i] * out.features[i];
  out.scale = std::clamp(slow * std::exp(log_ratio), kTiny, kHuge);
  return out;
}

void ErrorScale::observe(std::int64_t number, const Opened& opened, double error) {
  const double size = std::min(std::abs(error), kHuge);
  if (opened.scale > 0 && !opened.guessed) {
    const double surprise = std::min(size / opened.scale, kLargestSurprise) - 1;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      const double x = opened.features[i];
      curvature_[i] = kMemory * curvature_[i] + (1 - kMemory) * kCurvature + x * x;
      exponents_[i] = std::clamp(exponents_[i] + kStep * surprise * x / curvature_[i],
                                 kLeastExponent, kMostExponent);
    }
  }

  const double usual = phase_.empty() ? size : std::min(size / phase(phase_of(number)), kHuge);
  count_ = std::min(count_ + 1, kSlow);
  const double most = slow_ == 0 ? kHuge : std::max(kWild * slow_, latest_);
  slow_ += (std::min(usual, most) - slow_) / count_;
  fast_ += (std::min(usual, most) - fast_) / std::min(count_, kFast);
  latest_ = usual;

  if (!phase_.empty()) {
    const std::size_t at = phase_of(number);
    const double here = std::max(std::sqrt(slow_ * fast_), kTiny);
    seen_[at] = std::min(seen_[at] + 1, kMostOfPhase);
    phase_[at] += (std::min(size / here, kWild) - phase_[at]) / seen_[at];
  }
  if (opened.disagreement >= kTiny) {
    disagreements_ = std::min(disagreements_ + 1, kSlow);
    if (disagreements_ == 1) usual_disagreement_ = opened.disagreement;
    const double ratio = opened.disagreement / usual_disagreement_;
    usual_disagreement_ =
        std::clamp(usual_disagreement_ * std::pow(ratio, 1 / disagreements_), kTiny, kHuge);
  }
}

bool ErrorScale::possible(const Opened& opened) {
  const bool scale = opened.scale == 0 || (opened.scale >= kTiny && opened.scale <= kHuge);
  return scale && (!opened.guessed || opened.scale > 0) && opened.disagreement >= 0 &&
         opened.disagreement <= kHuge &&
         std::all_of(opened.features.begin(), opened.features.end(),
                     [](double x) { return std::abs(x) <= kLargestFeature; });
}

void ErrorScale::save(StateWriter& out) const {
  for (const double x : {count_, slow_, fast_, latest_, usual_disagreement_, disagreements_}) {
    out.f64(x);
  }
  out.f64s(phase_);
  out.f64s(seen_);
  out.f64s(exponents_);
  out.f64s(curvature_);
}

void ErrorScale::load(StateReader& in) {
  count_ = in.f64_within(0, kSlow, "a count of errors");
  slow_ = in.f64_within(0, kHuge, "the usual error");
  fast_ = in.f64_within(0, kHuge, "the recent error");
  latest_ = in.f64_within(0, kHuge, "the latest error");
  usual_disagreement_ = in.f64_within(0, kHuge, "the usual disagreement");
  disagreements_ = in.f64_within(0, kSlow, "a count of disagreements");
  if ((usual_disagreement_ > 0) != (disagreements_ > 0) ||
      (usual_disagreement_ > 0 && usual_disagreement_ < kTiny)) {
    in.fail("its usual disagreement is damaged");
  }
  in.f64s(phase_);
  in.f64s(seen_);
  for (std::size_t i = 0; i < phase_.size(); ++i) {
    if (!(phase_[i] >= 0 && phase_[i] <= kWild && seen_[i] >= 0 && seen_[i] <= kMostOfPhase)) {
      in.fail("the usual error of a phase in it is damaged");
    }
  }
  in.f64s(exponents_);
  in.f64s(curvature_);
  for (std::size_t i = 0; i < kFeatures; ++i) {
    // Below the start only by rounding.
    const bool sane = exponents_[i] >= kLeastExponent && exponents_[i] <= kMostExponent &&
                      curvature_[i] >= kCurvature / 2 && curvature_[i] <= 1e5;
    if (!sane) in.fail("the exponents of its intervals are damaged");
  }
}

}  // namespace pcgs
