#include "network/error_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "data/checksums.h"
#include "network/token_kernels.h"

namespace pcgs::tokens::errors {

std::string schema_name() {
  std::string all = fmt::format("{} {} {}", kExpertFeatures, kSharedFeatures, kRecent);
  const auto add = [&](const auto& numbers) {
    all += '|';
    for (const float x : numbers) all += fmt::format("{} ", x);
  };
  add(kSquareSpans);
  add(kBiasSpans);
  add(kProductSpans);
  add(kEvidenceSpans);
  add(kDistanceSpans);
  add(kScoreSpans);
  add(std::array{kUnitSpan, kLossSpan, kLargestError, kLargestSquare, kLeastRatio, kLargestCharge,
                 kLongestMemory});
  for (const Filter& f : kFilters) all += fmt::format("|{} {} {}", f.eta, f.rho, f.linear);
  return fmt::format("pcgs-error-tokens-{}-{:08x}", kSchemaVersion, fnv1a<std::uint32_t>(all));
}

}  // namespace pcgs::tokens::errors

namespace pcgs::tokens {

using namespace errors;

namespace {

constexpr double kSmallestScale = 1e-6;  // equal losses have no scale; this changes nothing
constexpr double kSmallestUnit = 1e-140, kLargestUnit = 1e140;
constexpr float kLeastRho =
    std::ranges::min_element(kFilters, {}, [](const Filter& f) { return f.rho; })->rho;
constexpr double kLeastOfMean = 1e-6;  // the centre's square is at least this much of the mean one

}  // namespace

float ErrorStream::Beside::count(float error) {
  experts.count();
  centre += (1 - double{experts.decay}) * (double{error} * double{error} - centre);
  // A centre that is never wrong: everybody's ratio is large, and finite.
  return static_cast<float>(1 / std::max(centre, 1e-6 * experts.mass));
}

ErrorStream::ErrorStream(std::size_t experts)
    : experts_(experts),
      z_(experts),
      latest_(kRecent * experts, 0.0f),
      weights_(kFilters.size() * experts, 1 / static_cast<float>(experts)),
      charge_(experts),
      features_(kExpertFeatures * experts, 0.0f),
      anchor_(experts, 0.0f),
      tokens_(experts * kExpertFeatures, 0.0f) {
  for (const float span : kSquareSpans) squares_.emplace_back(span, experts);
  for (const float span : kProductSpans) products_.emplace_back(span, experts);
  for (const float span : kDistanceSpans) distances_.emplace_back(span, experts);
  for (const float span : kBiasSpans) {
    biases_.emplace_back(span, experts);
    own_squares_.emplace_back(span, experts);
  }
  for (const float span : errors::kEvidenceSpans) {
    evidence_.emplace_back(span, experts);
    squared_evidence_.emplace_back(span, experts);
  }
  for (const float span : kScoreSpans) scores_.emplace_back(span, kFilters.size());
}

void ErrorStream::observe(std::span<const double> errors, std::span<const double> losses) {
  rounds_ += 1;
  measure_losses(losses);
  measure_errors(errors);
  average_squares();
  average_products();
  average_biases();
  average_distances();
  remember_latest();
  judge_filters();  // before they see this round
  advance_filters();
  describe_situation();
  assemble();
}

void ErrorStream::measure_losses(std::span<const double> losses) {
  double mean = 0, variance = 0;
  for (const double l : losses) mean += l / static_cast<double>(experts_);
  for (const double l : losses) variance += (l - mean) * (l - mean) / static_cast<double>(experts_);
  const double decay = decay_of(kLossSpan);
  variance_ = decay * variance_ + (1 - decay) * variance;
  variance_mass_ = decay * variance_mass_ + (1 - decay);
  scale_ = std::max(std::sqrt(variance_ / variance_mass_), kSmallestScale);
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
  constexpr double kMost = kLargestError;
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

void ErrorStream::average_squares() {
  for (std::size_t i = 0; i < squares_.size(); ++i) {
    RunningMean& mean = squares_[i].experts;
    const float ratio = squares_[i].count(centre_);
    const auto out = feature(kSquares + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      mean.advance(k, z_[k] * z_[k]);
      out[k] = ratio * mean.sums[k] + kLeastRatio;
    }
    scaled_log(out.data(), experts_, 1.0f, out.data());
  }
}

// How an expert's error goes together with the centre's: less than the centre's own square, and a
// larger weight of the expert would make the centre better.
void ErrorStream::average_products() {
  for (std::size_t i = 0; i < products_.size(); ++i) {
    RunningMean& mean = products_[i].experts;
    const float ratio = products_[i].count(centre_);
    const auto out = feature(kProducts + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      mean.advance(k, centre_ * (z_[k] - centre_));
      out[k] = 4 * ratio * mean.sums[k];
    }
  }
  constexpr double kNoEvidence = 1e-6;
  for (std::size_t i = 0; i < evidence_.size(); ++i) {
    RunningMean& mean = evidence_[i];
    RunningMean& square = squared_evidence_[i];
    mean.count();
    square.count();
    const auto root_of_rounds = static_cast<float>(std::sqrt(mean.mass / mean.squared_mass));
    const auto floor = static_cast<float>(kNoEvidence * square.mass);
    const auto out = feature(errors::kEvidence + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      const float gain = centre_ * (z_[k] - centre_);
      mean.advance(k, gain);
      square.advance(k, gain * gain);
      out[k] = root_of_rounds * mean.sums[k] / std::sqrt(square.sums[k] + floor);
    }
  }
}

void ErrorStream::average_biases() {
  for (std::size_t i = 0; i < biases_.size(); ++i) {
    RunningMean& mean = biases_[i];
    RunningMean& square = own_squares_[i];
    mean.count();
    square.count();
    const float to_mean = mean.to_mean();
    const auto out = feature(kBiases + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      mean.advance(k, z_[k]);
      square.advance(k, z_[k] * z_[k]);
      out[k] = 2 * to_mean * mean.sums[k] / std::sqrt(to_mean * square.sums[k] + 1e-6f);
    }
  }
}

void ErrorStream::average_distances() {
  for (std::size_t i = 0; i < distances_.size(); ++i) {
    RunningMean& mean = distances_[i].experts;
    const float ratio = distances_[i].count(centre_);
    const auto out = feature(kDistances + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      const float d = z_[k] - centre_;
      mean.advance(k, d * d);
      out[k] = ratio * mean.sums[k] + kLeastRatio;
    }
    scaled_log(out.data(), experts_, 1.0f, out.data());
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
    const float least = *std::min_element(charge_.begin(), charge_.end());
    for (float& c : charge_) c -= least;
    const auto w = filter(f);
    filter_step(w.data(), charge_.data(), experts_, rho);
    scaled_log(w.data(), experts_, static_cast<float>(experts_), feature(kLogWeights + f).data());
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
    RunningMean& mean = scores_[i].experts;
    const float ratio = scores_[i].count(centre_);
    float* out = shared_.data() + kScores + i * kFilters.size();
    for (std::size_t f = 0; f < kFilters.size(); ++f) {
      mean.advance(f, filter_error_[f] * filter_error_[f]);
      out[f] = ratio * mean.sums[f] + kLeastRatio;
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

void ErrorStream::assemble() {
  // Biases are at most 2, squares, distances and weights are logarithms; the rest can be large.
  signed_log1p(features_.data() + kProducts * experts_, (kDistances - kProducts) * experts_);
  signed_log1p(features_.data() + kLatest * experts_, kRecent * experts_);
  for (std::size_t k = 0; k < experts_; ++k) {
    float* token = tokens_.data() + k * kExpertFeatures;
    for (std::size_t i = 0; i < kExpertFeatures; ++i) token[i] = features_[i * experts_ + k];
  }
}

void ErrorStream::save(StateWriter& out) const {
  for (const double x :
       {rounds_, scale_, variance_, variance_mass_, unit_, unit_mass_, last_centre_, product_}) {
    out.f64(x);
  }
  using enum RunningMean::Newcomer;
  for (const auto* group : {&squares_, &products_, &distances_}) {
    for (const auto& [mean, centre] : *group) {
      mean.save_experts(out, kMiddling);
      out.f64(centre);
    }
  }
  for (const auto& [mean, centre] : scores_) {
    mean.save(out);
    out.f64(centre);
  }
  const auto save_group = [&](const std::vector<RunningMean>& group,
                              RunningMean::Newcomer newcomer) {
    for (const RunningMean& mean : group) mean.save_experts(out, newcomer);
  };
  save_group(biases_, kZero);
  save_group(own_squares_, kMiddling);
  save_group(evidence_, kZero);
  save_group(squared_evidence_, kMiddling);
  save_expert_floats(out, latest_, 0);
  save_filters(out, weights_, kLeastRho);
}

void ErrorStream::load(StateReader& in) {
  constexpr double kMost = kLargestError, kSquare = kMost * kMost;
  rounds_ = in.f64_within(0, 1e18, "a count of rounds");
  scale_ = in.f64_within(0, 1, "a scale");
  variance_ = in.f64_within(0, 1.000001, "a running mean");
  variance_mass_ = in.f64_within(0, 1.000001, "an averaging mass");
  if (variance_ > variance_mass_) in.fail("a mean in it is larger than 1");
  unit_ = in.f64_within(0, kLargestUnit, "a unit");
  if (unit_ != 0 && unit_ < kSmallestUnit) in.fail("a unit in it is too small");
  unit_mass_ = in.f64_within(0, 1.000001, "an averaging mass");
  last_centre_ = in.f64_within(-kMost, kMost, "an error");
  product_ = in.f64_within(-kSquare, kSquare, "a running mean");
  struct Group {
    std::vector<Beside>& means;
    double low, high;
  };
  for (const Group& group :
       {Group{squares_, 0, kSquare}, Group{products_, -2 * kSquare, 2 * kSquare},
        Group{distances_, 0, 4 * kSquare}, Group{scores_, 0, kSquare}}) {
    for (auto& [mean, centre] : group.means) {
      mean.load(in, group.low, group.high);
      centre = in.f64_within(0, 1.001 * kSquare * mean.mass, "a running mean");
    }
  }
  struct Plain {
    std::vector<RunningMean>& means;
    double low, high;
  };
  for (const Plain& group : {Plain{biases_, -kMost, kMost}, Plain{own_squares_, 0, kSquare},
                             Plain{evidence_, -2 * kSquare, 2 * kSquare},
                             Plain{squared_evidence_, 0, 4 * kSquare * kSquare}}) {
    for (RunningMean& mean : group.means) mean.load(in, group.low, group.high);
  }
  load_floats(in, latest_, -kMost, kMost);
  load_floats(in, weights_, 0.9 * double{kLeastRho} / static_cast<double>(experts_), 1.001);
  for (std::size_t f = 0; f < kFilters.size(); ++f) {
    const auto w = filter(f);
    if (!(std::abs(std::accumulate(w.begin(), w.end(), 0.0) - 1) <= 1e-3)) {
      in.fail("a filter's weights in it do not sum to 1");
    }
  }
}

}  // namespace pcgs::tokens
