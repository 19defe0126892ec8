// From losses to tokens: what the learned controller sees of each expert, round by round.
//
// Causal (a function of the losses observed so far), scale-free (losses are centred on the expert
// mean and measured in a running scale, so multiplying them all by a constant changes little more
// than the two shared features that name the scale and the level), for any number of experts, in
// O(K) memory. The only feature code there is: training and inference both use it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "network/leadership.h"
#include "network/running_mean.h"
#include "network/token_schema.h"
#include "pcgs/state.h"

namespace pcgs::tokens {

class TokenStream {
 public:
  static constexpr std::size_t kExpertFeatures = tokens::kExpertFeatures;
  static constexpr std::size_t kSharedFeatures = tokens::kSharedFeatures;
  static std::string schema_name() { return tokens::schema_name(); }

  explicit TokenStream(std::size_t experts);

  // One finished round: [K] losses in [0,1]. Does not allocate.
  void observe(std::span<const double> losses);

  // Of the last round observed; zeros before the first, and after load().
  // [K x kExpertFeatures] each expert's own numbers.
  std::span<const float> tokens() const { return tokens_; }
  // [kSharedFeatures] what is the same for all experts.
  std::span<const float> shared() const { return shared_; }
  // The typical difference between experts: the root of a running mean of their variance.
  double scale() const { return scale_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void centre(std::span<const double> losses);
  void average_losses();
  void measure_noise();
  void weigh_evidence();
  void advance_filters();
  void compare_with_reference();
  void judge_filters();
  void describe_situation();
  void assemble();

  std::span<float> feature(std::size_t index) {
    return {features_.data() + index * experts_, experts_};
  }
  std::span<float> filter(std::size_t index) {
    return {weights_.data() + index * experts_, experts_};
  }

  std::size_t experts_;
  double rounds_ = 0;
  double scale_ = 0;
  double variance_ = 0, variance_mass_ = 0;  // running mean of the experts' variance
  double level_ = 0, level_mass_ = 0;        // running mean of the mean loss
  double mean_ = 0, spread_ = 0;             // of this round's losses
  std::vector<float> centred_;               // [K] this round's losses less their mean
  std::vector<float> own_noise_;             // [K] each expert's, in losses

  std::vector<RunningMean> averages_;                   // of centred losses, one for each span
  std::vector<RunningMean> trend_once_, trend_twice_;   // the mean, and the mean of the means
  std::vector<RunningMean> dispersions_;                // of squared surprises
  std::vector<RunningMean> evidence_;                   // of centred losses in units of own noise
  std::vector<RunningMean> regrets_, squared_regrets_;  // beside the reference filter
  std::vector<float> sums_;                             // [2 x K] cumulative sums
  std::vector<float> extremes_;                         // [2 x K] fading minimum and maximum
  std::vector<float> weights_;                          // [filters x K]
  std::vector<RunningMean> scores_;  // [filters] at each span: a vector over filters
  Leadership leadership_;

  std::vector<float> charge_;    // [K] scratch
  std::vector<float> features_;  // [expert features x K]
  std::array<float, kSharedFeatures> shared_ = {};
  std::array<float, kFilters> filter_loss_ = {};  // beside the average expert, in scales
  std::vector<float> tokens_;                     // [K x kExpertFeatures]
};

}  // namespace pcgs::tokens
