#include "network/token_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace pcgs::tokens {

namespace {

constexpr double kLargestScore = 1e7;  // a loss in scales: at most about 12 K

float log1p_of(double x) {
  return static_cast<float>(std::log1p(std::min(x, double{kLongestMemory})));
}

constexpr float kLeastRho = *std::min_element(kFilterRho.begin(), kFilterRho.end());
static_assert(kLeastRho <= kLikelihoodRho);

}  // namespace

std::string TokenStream::schema_name() {
  const auto others = {kSurpriseSpan, kNoiseSpan, kRivalrySpan, kLeadingFilter, kReferenceFilter};
  return schema_named(
      fmt::format("pcgs-tokens-{}", kSchemaVersion),
      fmt::format("{} {}", kExpertFeatures, kSharedFeatures),
      {kSpans, kTrendSpans, kDispersionSpans, kEvidenceSpans, kDriftAllowances, kRegretSpans,
       std::array{kExtremeSpan, kScaleSpan, kSmallestScale, kQuietest, kLargestEvidence,
                  kLargestCharge, kLargestSum, kLongestMemory, kLikelihoodRho, kTakesOver},
       kFilterEta, kFilterRho, kLikelihoodGap, kFilterSpans},
      fmt::format("|{}", fmt::join(others, "|")));
}

void Leadership::observe(std::span<const float> weights) {
  rounds_ += 1;
  age_ += 1;
  const auto top =
      static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  if (weights[top] > kTakesOver && top != leader_) {
    if (leader_ != kNobody) {
      Reigns& last = of_[leader_];
      const auto next = static_cast<double>(top);
      last.in_a_row = last.successor == next ? last.in_a_row + 1 : 1;
      last.successor = next;
      past_rounds_ += age_;
    }
    leader_ = top;
    of_[top].took_over += 1;
    reigns_ += 1;
    age_ = 0;
  }
  if (leader_ == kNobody) return;
  of_[leader_].led += 1;
  of_[leader_].last_led = rounds_;
}

void Leadership::describe(std::size_t k, float* out) const {
  const auto& [led, took_over, last_led, successor, in_a_row] = of_[k];
  out[0] = k == leader_ ? 1.0f : 0.0f;
  out[1] = log1p_of(static_cast<double>(of_.size()) * led / std::max(rounds_, 1.0));
  out[2] = log1p_of(took_over);
  out[3] = log1p_of(rounds_ - last_led);
  const bool follows = leader_ != kNobody && of_[leader_].successor == static_cast<double>(k);
  out[4] = follows ? log1p_of(of_[leader_].in_a_row) : 0.0f;
}

void Leadership::describe_reign(float* out) const {
  const double past = reigns_ - 1;  // that have ended
  out[0] = log1p_of(age_);
  out[1] = past > 0 ? log1p_of(past_rounds_ / past) : out[0];
  out[2] = out[0] - out[1];
  out[3] = log1p_of(reigns_);
}

void Leadership::save(StateWriter& out) const {
  std::size_t leader = leader_;
  std::vector<Reigns> after = of_;
  if (const ExpertChange* change = out.change()) {
    const auto place_of = [&](double k) {
      const std::size_t place =
          k == kNever ? ExpertChange::kNew : change->place_of(static_cast<std::size_t>(k));
      return place == ExpertChange::kNew ? kNever : static_cast<double>(place);
    };
    if (leader != kNobody) leader = change->place_of(leader);
    after = change->moved(std::span(of_), Reigns{});
    for (Reigns& one : after) one.successor = place_of(one.successor);
  }
  out.u64(leader);
  for (const double x : {rounds_, age_, reigns_, past_rounds_}) out.f64(x);
  for (const auto& [led, took_over, last_led, successor, in_a_row] : after) {
    for (const double x : {led, took_over, last_led, successor, in_a_row}) out.f64(x);
  }
}

void Leadership::load(StateReader& in) {
  constexpr double kMost = 1e18;
  leader_ = static_cast<std::size_t>(in.u64());
  if (leader_ != kNobody && leader_ >= of_.size()) in.fail("a leader in it is no expert");
  for (double* x : {&rounds_, &age_, &reigns_, &past_rounds_}) {
    *x = in.f64_within(0, kMost, "a count of rounds");
  }
  for (Reigns& one : of_) {
    one.led = in.f64_within(0, kMost, "a count of leading rounds");
    one.took_over = in.f64_within(0, kMost, "a count of reigns");
    one.last_led = in.f64_within(0, rounds_, "the last round of a reign");
    one.successor = in.f64_within(kNever, static_cast<double>(of_.size() - 1), "a successor");
    one.in_a_row = in.f64_within(0, kMost, "a count of successions");
  }
}

TokenStream::TokenStream(std::size_t experts)
    : Stream(experts, {kExpertFeatures, kSharedFeatures, kFilters, kLeastRho}),
      centred_(experts),
      own_noise_(experts),
      averages_(kSpans, experts, {-1, 1}),
      trend_once_(kTrendSpans, experts, {-1, 1}),
      trend_twice_(kTrendSpans, experts, {-1, 1}),
      dispersions_(kDispersionSpans, experts, {0, 4, Newcomer::kMiddling}),
      evidence_(kEvidenceSpans, experts, {-kLargestEvidence, kLargestEvidence}),
      regrets_(kRegretSpans, experts, {-2, 2}),
      scores_(kFilterSpans, kFilters, {-kLargestScore, kLargestScore, Newcomer::kNobody}),
      sums_(kDriftAllowances.size() * experts, 0.0f),
      extremes_(2 * experts, 0.0f),
      leadership_(experts) {}

void TokenStream::observe(std::span<const double> losses) {
  centre(losses);
  measure_noise();  // before averages_, relative to which a loss is a surprise, see this round
  average_losses();
  weigh_evidence();
  advance_filters();
  compare_with_reference();
  leadership_.observe(filter(kLeadingFilter));
  judge_filters();
  describe_situation();
  // Everything up to the dispersions is in scales and can be large; the rest are logarithms.
  signed_log1p(features_.data(), kDispersions * experts_);
  put_in_tokens(kLeadership);
  for (std::size_t k = 0; k < experts_; ++k) leadership_.describe(k, token(k) + kLeadership);
}

void TokenStream::centre(std::span<const double> losses) {
  mean_ = 0;
  for (const double l : losses) mean_ += l;
  mean_ /= static_cast<double>(experts_);
  double variance = 0;
  for (std::size_t k = 0; k < experts_; ++k) {
    const double c = losses[k] - mean_;
    centred_[k] = static_cast<float>(c);
    variance += c * c;
  }
  variance /= static_cast<double>(experts_);
  spread_ = std::sqrt(variance);
  count(variance, kScaleSpan, double{kSmallestScale});
  const double decay = decay_of(kScaleSpan);
  level_ = decay * level_ + (1 - decay) * mean_;
  level_mass_ = decay * level_mass_ + (1 - decay);
}

void TokenStream::measure_noise() {
  const RunningMean& usual = averages_[kSurpriseSpan];
  const float to_mean = usual.mass > 0 ? usual.to_mean() : 0.0f;
  for (std::size_t i = 0; i < dispersions_.size(); ++i) {
    RunningMean& squares = dispersions_[i];
    squares.count();
    for (std::size_t k = 0; k < experts_; ++k) {
      const float surprise = centred_[k] - to_mean * usual.sums[k];
      squares.advance(k, surprise * surprise);
    }
    // ln(own noise / scale), bounded below.
    const auto factor = static_cast<float>(1 / (squares.mass * scale_ * scale_));
    const auto out = feature(kDispersions + i);
    for (std::size_t k = 0; k < experts_; ++k) out[k] = factor * squares.sums[k] + 1e-4f;
    if (i == kNoiseSpan) {
      const auto scale = static_cast<float>(scale_);
      for (std::size_t k = 0; k < experts_; ++k) {
        own_noise_[k] = scale * std::max(std::sqrt(out[k]), kQuietest);
      }
    }
    scaled_log(out.data(), experts_, 1.0f, out.data());
    for (float& x : out) x *= 0.5f;
  }
}

void TokenStream::average_losses() {
  const auto one_over_scale = static_cast<float>(1 / scale_);
  const auto put = [&](std::size_t index, std::size_t gap_index, float factor, const auto& value) {
    const auto out = feature(index);
    const auto gap = feature(gap_index);
    for (std::size_t k = 0; k < experts_; ++k) out[k] = factor * value(k);
    const float least = *std::min_element(out.begin(), out.end());
    for (std::size_t k = 0; k < experts_; ++k) gap[k] = out[k] - least;
  };
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    RunningMean& average = averages_[i];
    average.count();
    for (std::size_t k = 0; k < experts_; ++k) average.advance(k, centred_[k]);
    put(kAverages + i, kGaps + i, average.trust() * one_over_scale,
        [&](std::size_t k) { return average.sums[k]; });
  }
  // 2 m - m(m): the line through two exponential means, at the present round.
  for (std::size_t i = 0; i < trend_once_.size(); ++i) {
    RunningMean& once = trend_once_[i];
    RunningMean& twice = trend_twice_[i];
    once.count();
    twice.count();
    const float to_mean = once.to_mean();
    for (std::size_t k = 0; k < experts_; ++k) {
      twice.advance(k, to_mean * once.advance(k, centred_[k]));
    }
    const float again = twice.to_mean();
    // As an average of that span: the trust without its mean.
    const auto weight = static_cast<float>(once.mass) * once.trust();
    put(kTrends + i, kTrendGaps + i, weight * one_over_scale,
        [&](std::size_t k) { return 2 * to_mean * once.sums[k] - again * twice.sums[k]; });
  }
  const float fade = decay_of(kExtremeSpan);
  const auto low = feature(kExtremes), high = feature(kExtremes + 1);
  for (std::size_t k = 0; k < experts_; ++k) {
    float& least = extremes_[k];
    float& most = extremes_[experts_ + k];
    least = std::min(centred_[k], fade * least);
    most = std::max(centred_[k], fade * most);
    low[k] = one_over_scale * least;
    high[k] = one_over_scale * most;
  }
}

void TokenStream::weigh_evidence() {
  for (std::size_t k = 0; k < experts_; ++k) {
    charge_[k] = std::clamp(centred_[k] / own_noise_[k], -kLargestEvidence, kLargestEvidence);
  }
  for (std::size_t i = 0; i < evidence_.size(); ++i) {
    RunningMean& average = evidence_[i];
    average.count();
    const float trust = average.trust();
    const auto out = feature(kEvidence + i);
    for (std::size_t k = 0; k < experts_; ++k) out[k] = trust * average.advance(k, charge_[k]);
  }
  // Page's cumulative sums: how much lower than the expert mean the losses have been since they
  // began to be.
  for (std::size_t i = 0; i < kDriftAllowances.size(); ++i) {
    const auto out = feature(kSums + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      float& sum = sums_[i * experts_ + k];
      sum = std::clamp(sum - charge_[k] - kDriftAllowances[i], 0.0f, kLargestSum);
      out[k] = sum;
    }
  }
}

void TokenStream::advance_filters() {
  const auto one_over_scale = static_cast<float>(1 / scale_);
  for (std::size_t f = 0; f < kFilters; ++f) {
    float loss = 0;
    const auto w = filter(f);
    for (std::size_t k = 0; k < experts_; ++k) loss += w[k] * centred_[k];
    filter_loss_[f] = loss * one_over_scale;
  }
  for (std::size_t f = 0; f < kShareFilters; ++f) {
    const float rate = kFilterEta[f / kFilterRho.size()] * one_over_scale;
    for (std::size_t k = 0; k < experts_; ++k) charge_[k] = rate * centred_[k];
    step_filter(f, kFilterRho[f % kFilterRho.size()], feature(kLogWeights + f));
  }
  // Minus the log likelihood ratio of normal noise of the expert's own size, for a winner whose
  // mean is `gap` scales below the others'.
  for (std::size_t i = 0; i < kLikelihoodGap.size(); ++i) {
    for (std::size_t k = 0; k < experts_; ++k) {
      const float gap = kLikelihoodGap[i] * static_cast<float>(scale_) / own_noise_[k];
      const float z =
          std::clamp(centred_[k] / own_noise_[k], -kLargestEvidence - gap, kLargestEvidence);
      charge_[k] = std::clamp(gap * (z + gap / 2), -kLargestCharge, kLargestCharge);
    }
    step_filter(kShareFilters + i, kLikelihoodRho, feature(kLogWeights + kShareFilters + i));
  }
}

// What each expert has lost beyond a filter that follows the best ones, in units of how much that
// varies: between experts that err together it says who is better where own noise would drown it.
void TokenStream::compare_with_reference() {
  constexpr float kNoRivalry = 1e-6f;  // squared scales: equal losses are no evidence
  const auto scale = static_cast<float>(scale_);
  const float reference = filter_loss_[kReferenceFilter] * scale;
  for (std::size_t i = 0; i < regrets_.size(); ++i) {
    auto& [mean, square] = regrets_[i];
    regrets_[i].count();
    const float root_of_rounds = regrets_[i].root_of_rounds();
    const float floor = kNoRivalry * scale * scale * static_cast<float>(square.mass);
    const auto out = feature(kRegrets + i);
    for (std::size_t k = 0; k < experts_; ++k) {
      regrets_[i].advance(k, centred_[k] - reference);
      out[k] = root_of_rounds * mean.sums[k] / std::sqrt(square.sums[k] + floor);
    }
    if (i != kRivalrySpan) continue;
    const auto factor = static_cast<float>(1 / (square.mass * scale_ * scale_));
    const auto noise = feature(kRivalry);
    for (std::size_t k = 0; k < experts_; ++k) noise[k] = factor * square.sums[k] + kNoRivalry;
    scaled_log(noise.data(), experts_, 1.0f, noise.data());
    for (float& x : noise) x *= 0.5f;
  }
}

void TokenStream::judge_filters() {
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    RunningMean& average = scores_[i];
    average.count();
    const float trust = average.trust();
    for (std::size_t f = 0; f < kFilters; ++f) {
      shared_[kFilterScores + i * kFilters + f] = trust * average.advance(f, filter_loss_[f]);
    }
  }
}

void TokenStream::describe_situation() {
  signed_log1p(shared_.data() + kFilterScores, kSituation - kFilterScores);
  float* out = shared_.data() + kSituation;
  const double level = level_ / level_mass_;
  out[0] = static_cast<float>(std::log(scale_));
  out[1] = static_cast<float>(std::log(level + 1e-3));
  out[2] = static_cast<float>(std::log(static_cast<double>(experts_)));
  out[3] = static_cast<float>(std::log1p(std::min(rounds_, double{kLongestMemory})));
  out[4] = static_cast<float>(std::log((spread_ + 1e-6) / scale_));
  out[5] = static_cast<float>(std::clamp((mean_ - level) / scale_, -10.0, 10.0));
  leadership_.describe_reign(out + 6);
}

void TokenStream::save(StateWriter& out) const {
  Stream::save(out);
  out.f64(level_);
  out.f64(level_mass_);
  for (const auto* means :
       {&averages_, &trend_once_, &trend_twice_, &dispersions_, &evidence_, &scores_}) {
    means->save(out);
  }
  regrets_.save(out);
  save_experts(out, sums_, 0);
  save_experts(out, extremes_, 0);
  leadership_.save(out);
}

void TokenStream::load(StateReader& in) {
  Stream::load(in);
  level_ = in.f64_within(0, 1.000001, "a running mean");
  level_mass_ = in.f64_within(level_, 1.000001, "a running mean");
  for (auto* means :
       {&averages_, &trend_once_, &trend_twice_, &dispersions_, &evidence_, &scores_}) {
    means->load(in);
  }
  regrets_.load(in);
  load_floats(in, sums_, 0, kLargestSum);
  load_floats(in, extremes_, -1, 1);
  leadership_.load(in);
}

}  // namespace pcgs::tokens
