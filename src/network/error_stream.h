// From errors to tokens: what the controller that combines sees of each expert, round by round.
//
// Errors have a sign, so that tokens can say whose errors cancel: besides how large an expert's
// errors are, a token holds how they go together with those of a good combination, the centre, and
// what filters on linearised losses made of it. Everything is in units of the centre's usual error,
// so that multiplying all errors by a constant changes nothing. Causal, for any number of experts,
// in O(K) memory. The only feature code there is: training and inference both use it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "network/error_schema.h"
#include "network/running_mean.h"
#include "pcgs/state.h"

namespace pcgs::tokens {

class ErrorStream {
 public:
  static constexpr std::size_t kExpertFeatures = errors::kExpertFeatures;
  static constexpr std::size_t kSharedFeatures = errors::kSharedFeatures;
  static std::string schema_name() { return errors::schema_name(); }

  explicit ErrorStream(std::size_t experts);

  // One finished round: [K] forecasts less the outcome, finite, and [K] losses in [0,1] that the
  // recursion learns from. Does not allocate.
  void observe(std::span<const double> errors, std::span<const double> losses);

  // Of the last round observed; zeros before the first, and after load().
  // [K x kExpertFeatures] each expert's own numbers.
  std::span<const float> tokens() const { return tokens_; }
  // [kSharedFeatures] what is the same for all experts.
  std::span<const float> shared() const { return shared_; }
  // [K] ln(K w) of the centre's weights w: where a network that says nothing would restart to.
  std::span<const float> anchor() const { return anchor_; }
  // The typical difference between the losses: the root of a running mean of their variance.
  double scale() const { return scale_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  // A running mean over experts beside that of the centre.
  struct Beside {
    RunningMean experts;
    double centre = 0;  // sum as in experts

    Beside(float span, std::size_t size) : experts(span, size) {}
    // One more round, in which the centre erred by this; to be called before sums are advanced. The
    // factor that makes them a ratio to the centre's mean.
    float count(float error);
  };

  void measure_losses(std::span<const double> losses);
  void find_unit(std::span<const double> errors);
  void measure_errors(std::span<const double> errors);
  void average_squares();
  void average_products();
  void average_biases();
  void average_distances();
  void remember_latest();
  void advance_filters();
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
  double scale_ = 0, variance_ = 0, variance_mass_ = 0;  // of losses
  double unit_ = 0, unit_mass_ = 0;                      // the centre's usual error; 0: none yet
  double last_centre_ = 0, product_ = 0;                 // of successive errors of the centre
  float centre_ = 0;                                     // its error this round, in units
  float mean_square_ = 0;                                // of all errors this round
  std::vector<float> z_;                                 // [K] errors in units
  std::vector<Beside> squares_, products_, distances_;
  std::vector<RunningMean> biases_, own_squares_;  // squares at the spans of biases
  std::vector<RunningMean> evidence_, squared_evidence_;
  std::vector<float> latest_;   // [kRecent x K] newest first
  std::vector<float> weights_;  // [filters x K]
  std::vector<Beside> scores_;  // a vector over filters

  std::vector<float> charge_;    // [K] scratch
  std::vector<float> features_;  // [expert features x K]
  std::array<float, kSharedFeatures> shared_ = {};
  std::array<float, errors::kFilters.size()> filter_error_ = {};  // in units
  std::vector<float> anchor_;                                     // [K]
  std::vector<float> tokens_;                                     // [K x kExpertFeatures]
};

}  // namespace pcgs::tokens
