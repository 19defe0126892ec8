#include "network/error_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pcgs::tokens {

using namespace errors;

namespace {

constexpr double kSmallestScale = 1e-6;  // equal losses have no scale; this changes nothing
constexpr double kSmallestUnit = 1e-140, kLargestUnit = 1e140;
constexpr float kLeastRho =
    std::ranges::min_element(kFilters, {}, [](const Filter& f) { return f.rho; })->rho;
constexpr double kLeastOfMean = 1e-6;  // the centre's square is at least this much of the mean one
constexpr double kMost = kLargestError, kMostSquare = kMost * kMost;

}  // namespace

float MeanAndCentre::count(float error) {
  mean.count();
  centre += (1 - double{mean.decay}) * (double{error} * double{error} - centre);
  // A centre that is never wrong: everybody's ratio is large, and finite.
  return static_cast<float>(1 / std::max(centre, 1e-6 * mean.mass));
}

void MeanAndCentre::save(StateWriter& out, Newcomer newcomer) const {
  mean.save(out, newcomer);
  out.f64(centre);
}

void MeanAndCentre::load(StateReader& in, double low, double high) {
  mean.load(in, low, high);
  centre = in.f64_within(0, 1.001 * kMostSquare * mean.mass, "a running mean");
}

std::string ErrorStream::schema_name() {
  std::string filters;
  for (const Filter& f : kFilters) filters += fmt::format("|{} {} {}", f.eta, f.rho, f.linear);
  return schema_named(
      fmt::format("pcgs-error-tokens-{}", kSchemaVersion),
      fmt::format("{} {} {}", kExpertFeatures, kSharedFeatures, kRecent),
      {kSquareSpans, kBiasSpans, kProductSpans, errors::kEvidenceSpans, kDistanceSpans, kScoreSpans,
       std::array{kUnitSpan, kLossSpan, kLargestError, kLargestSquare, kLeastRatio, kLargestCharge,
                  kLongestMemory}},
      filters);
}

ErrorStream::ErrorStream(std::size_t experts)
    : Stream(experts, {kExpertFeatures, kSharedFeatures, kFilters.size(), kLeastRho}),
      z_(experts),
      squares_(kSquareSpans, experts, {0, kMostSquare, Newcomer::kMiddling}),
      products_(kProductSpans, experts, {-2 * kMostSquare, 2 * kMostSquare, Newcomer::kMiddling}),
      distances_(kDistanceSpans, experts, {0, 4 * kMostSquare, Newcomer::kMiddling}),
      biases_(kBiasSpans, experts, {-kMost, kMost}),
      evidence_(errors::kEvidenceSpans, experts, {-2 * kMostSquare, 2 * kMostSquare}),
      scores_(kScoreSpans, kFilters.size(), {0, kMostSquare, Newcomer::kNobody}),
      latest_(kRecent * experts, 0.0f),
      anchor_(experts, 0.0f) {}

void ErrorStream::observe(std::span<const double> errors, std::span<const double> losses) {
  double mean = 0, variance = 0;
  for (const double l : losses) mean += l / static_cast<double>(experts_);
  for (const double l : losses) variance += (l - mean) * (l - mean) / static_cast<double>(experts_);
  count(variance, kLossSpan, kSmallestScale);
  measure_errors(errors);
  average_ratios(squares_, kSquares, [&](std::size_t k) { return z_[k] * z_[k]; });
  average_ratios(distances_, kDistances, [&](std::size_t k) {
    const float d = z_[k] - centre_;
    return d * d;
  });
  average_products();
  average_biases();
  remember_latest();
  judge_filters();  // before they see this round
  advance_filters();
  describe_situation();
  // Biases are at most 2, squares, distances and weights are logarithms; the rest can be large.
  signed_log1p(features_.data() + kProducts * experts_, (kDistances - kProducts) * experts_);
  signed_log1p(features_.data() + kLatest * experts_, kRecent * experts_);
  put_in_tokens(kExpertFeatures);
}

// The root mean square of the first errors that are not all zero.
void ErrorStream::find_unit(std::span<const double> errors) {
  double most = 0, square = 0;
  for (const double e : errors) most = std::max(most, std::abs(e));
  if (most == 0) return;
  for (const double e : errors) square += (e / most) * (e / most);
  unit_ = std::clamp(most * std::sqrt(square / static_cast<double>(experts_)), kSmallestUnit,
                     kLargestUnit);
}

// Errors in units of the centre's usual one, as known before this round, and the centre's own.
void ErrorStream::measure_errors(std::span<const double> errors) {
  if (unit_ == 0) find_unit(errors);
  double mean_square = 0;
  for (std::size_t k = 0; k < experts_; ++k) {
    z_[k] = unit_ == 0 ? 0.0f : static_cast<float>(std::clamp(errors[k] / unit_, -kMost, kMost));
    mean_square += static_cast<double>(z_[k] * z_[k]) / static_cast<double>(experts_);
  }
  mean_square_ = static_cast<float>(mean_square);
  double centre = 0;
  for (std::size_t f = 0; f < kFilters.size(); ++f) {
    const auto w = filter(f);
    float error = 0;
    for (std::size_t k = 0; k < experts_; ++k) error += w[k] * z_[k];
    filter_error_[f] = std::clamp(error, -kLargestError, kLargestError);  // weights round
    centre += static_cast<double>(filter_error_[f]) / static_cast<double>(kFilters.size());
  }
  centre_ = std::clamp(static_cast<float>(centre), -kLargestError, kLargestError);
  if (unit_ == 0) return;
  // The mean square is 1 in units, so far; this round moves it, and the unit with it.
  const double decay = decay_of(kUnitSpan);
  const double square =
      std::clamp(centre * centre, kLeastOfMean * mean_square, double{kLargestSquare});
  const double before = decay * unit_mass_;
  unit_mass_ = before + (1 - decay);
  unit_ = std::clamp(unit_ * std::sqrt((before + (1 - decay) * square) / unit_mass_), kSmallestUnit,
                     kLargestUnit);
}

// ln of what `of` is of each expert, as a ratio to the centre's mean square.
template <class Of>
void ErrorStream::average_ratios(Means<MeanAndCentre>& means, std::size_t first, const Of& of) {
  for (std::size_t i = 0; i < means.size(); ++i) {
    const float ratio = means[i].count(centre_);
    const auto out = feature(first + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      out[k] = ratio * means[i].mean.advance(k, of(k)) + kLeastRatio;
    }
    scaled_log(out.data(), experts_, 1.0f, out.data());
  }
}

// How an expert's error goes together with the centre's: less than the centre's own square, and a
// larger weight of the expert would make the centre better.
void ErrorStream::average_products() {
  for (std::size_t i = 0; i < products_.size(); ++i) {
    RunningMean& mean = products_[i].mean;
    const float ratio = products_[i].count(centre_);
    const auto out = feature(kProducts + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      out[k] = 4 * ratio * mean.advance(k, centre_ * (z_[k] - centre_));
    }
  }
  constexpr double kNoEvidence = 1e-6;
  for (std::size_t i = 0; i < evidence_.size(); ++i) {
    auto& [mean, square] = evidence_[i];
    evidence_[i].count();
    const float root_of_rounds = evidence_[i].root_of_rounds();
    const auto floor = static_cast<float>(kNoEvidence * square.mass);
    const auto out = feature(errors::kEvidence + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      evidence_[i].advance(k, centre_ * (z_[k] - centre_));
      out[k] = root_of_rounds * mean.sums[k] / std::sqrt(square.sums[k] + floor);
    }
  }
}

void ErrorStream::average_biases() {
  for (std::size_t i = 0; i < biases_.size(); ++i) {
    auto& [mean, square] = biases_[i];
    biases_[i].count();
    const float to_mean = mean.to_mean();
    const auto out = feature(kBiases + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      biases_[i].advance(k, z_[k]);
      out[k] = 2 * to_mean * mean.sums[k] / std::sqrt(to_mean * square.sums[k] + 1e-6f);
    }
  }
}

void ErrorStream::remember_latest() {
  const auto n = static_cast<std::ptrdiff_t>(experts_);
  std::copy_backward(latest_.begin(), latest_.end() - n, latest_.end());
  std::copy(z_.begin(), z_.end(), latest_.begin());
  std::copy(latest_.begin(), latest_.end(), features_.data() + kLatest * experts_);
}

void ErrorStream::advance_filters() {
  for (std::size_t f = 0; f < kFilters.size(); ++f) {
    const auto [eta, rho, linear] = kFilters[f];
    const float error = filter_error_[f];
    for (std::size_t k = 0; k < experts_; ++k) {
      const float loss = linear ? 2 * error * (z_[k] - error) : z_[k] * z_[k];
      charge_[k] = std::clamp(eta * loss, -kLargestCharge, kLargestCharge);
    }
    step_filter(f, rho, feature(kLogWeights + f));
  }
  std::fill(anchor_.begin(), anchor_.end(), 0.0f);
  for (std::size_t f = 0; f < kFilters.size(); ++f) {
    const auto w = filter(f);
    for (std::size_t k = 0; k < experts_; ++k) anchor_[k] += w[k];
  }
  const auto factor = static_cast<float>(experts_) / static_cast<float>(kFilters.size());
  scaled_log(anchor_.data(), experts_, factor, anchor_.data());
}

void ErrorStream::judge_filters() {
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    RunningMean& mean = scores_[i].mean;
    const float ratio = scores_[i].count(centre_);
    float* out = shared_.data() + kScores + i * kFilters.size();
    for (std::size_t f = 0; f < kFilters.size(); ++f) {
      out[f] = ratio * mean.advance(f, filter_error_[f] * filter_error_[f]) + kLeastRatio;
    }
    scaled_log(out, kFilters.size(), 1.0f, out);
    for (std::size_t f = 0; f < kFilters.size(); ++f) out[f] *= 3;
  }
}

void ErrorStream::describe_situation() {
  const double decay = decay_of(kUnitSpan);
  product_ = decay * product_ + (1 - decay) * double{centre_} * last_centre_;
  last_centre_ = centre_;
  float* out = shared_.data() + kSituation;
  out[0] = std::log(static_cast<float>(experts_));
  out[1] = static_cast<float>(std::log1p(std::min(rounds_, double{kLongestMemory})));
  out[2] = std::log(mean_square_ + 1e-3f);
  out[3] = std::log(centre_ * centre_ + 1e-3f);
  out[4] = static_cast<float>(std::clamp(3 * product_ / variance_mass_, -5.0, 5.0));
  out[5] = static_cast<float>(std::log(scale_));
}

void ErrorStream::save(StateWriter& out) const {
  Stream::save(out);
  for (const double x : {unit_, unit_mass_, last_centre_, product_}) out.f64(x);
  for (const auto* means : {&squares_, &products_, &distances_, &scores_}) means->save(out);
  for (const auto* means : {&biases_, &evidence_}) means->save(out);
  save_experts(out, latest_, 0);
}

void ErrorStream::load(StateReader& in) {
  Stream::load(in);
  unit_ = in.f64_within(0, kLargestUnit, "a unit");
  if (unit_ != 0 && unit_ < kSmallestUnit) in.fail("a unit in it is too small");
  unit_mass_ = in.f64_within(0, 1.000001, "an averaging mass");
  last_centre_ = in.f64_within(-kMost, kMost, "an error");
  product_ = in.f64_within(-kMostSquare, kMostSquare, "a running mean");
  for (auto* means : {&squares_, &products_, &distances_, &scores_}) means->load(in);
  for (auto* means : {&biases_, &evidence_}) means->load(in);
  load_floats(in, latest_, -kMost, kMost);
}

}  // namespace pcgs::tokens
