// From errors to tokens: what the controller that combines sees of each expert, round by round.
//
// Errors have a sign, so that tokens can say whose errors cancel: besides how large an expert's
// errors are, a token holds how they go together with those of a good combination, the centre, and
// what filters on linearised losses made of it. Everything is in units of the centre's usual error,
// so that multiplying all errors by a constant changes nothing.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "network/tokens.h"
#include "pcgs/state.h"

namespace pcgs::tokens::errors {

// What a token is made of where errors of forecasts are known, with their sign: for the controller
// that combines. A model is trained on one schema and refuses every other.

// Means over these spans: of squares, of errors, of products with the centre's error, of the
// evidence in those products, of squared distances from the centre, and of what filters paid.
inline constexpr std::array kSquareSpans = {3.0f, 12.0f, 48.0f, 200.0f, 1000.0f};
inline constexpr std::array kBiasSpans = {6.0f, 24.0f, 100.0f, 500.0f};
inline constexpr std::array kProductSpans = {3.0f, 12.0f, 48.0f, 200.0f, 1000.0f};
inline constexpr std::array kEvidenceSpans = {48.0f, 500.0f};
inline constexpr std::array kDistanceSpans = {24.0f, 500.0f};
inline constexpr std::array kScoreSpans = {16.0f, 128.0f, 1000.0f};
inline constexpr std::size_t kRecent = 6;  // errors of the last rounds as they were

// What the numbers above are measured in, and how far they reach.
inline constexpr float kUnitSpan = 128;      // of the centre's squared error
inline constexpr float kLossSpan = 128;      // of the typical difference between losses
inline constexpr float kLargestError = 20;   // in units
inline constexpr float kLargestSquare = 25;  // that the unit learns from, in squared units
inline constexpr float kLeastRatio = 1e-4f;  // of squares, before a logarithm
inline constexpr float kLargestCharge = 20;  // in nats, of one round
inline constexpr float kLongestMemory = 4096;

// Reference filters: Fixed Share on linearised squared errors, so that it learns which errors
// cancel, and on squared errors, in units. The centre is the mean of them all.
struct Filter {
  float eta, rho;
  bool linear;
};
inline constexpr std::array kFilters = {
    Filter{0.01f, 1e-4f, true}, Filter{0.05f, 1e-4f, true}, Filter{0.05f, 5e-3f, true},
    Filter{0.2f, 1e-3f, true},  Filter{0.2f, 2e-2f, true},  Filter{0.05f, 1e-4f, false},
    Filter{0.2f, 1e-3f, false}, Filter{0.5f, 1e-2f, false}, Filter{1.5f, 3e-2f, false}};

// Numbers of each expert, in this order.
inline constexpr std::size_t kSquares = 0;                              // ln(its / the centre's)
inline constexpr std::size_t kBiases = kSquares + kSquareSpans.size();  // in its own errors
inline constexpr std::size_t kProducts = kBiases + kBiasSpans.size();   // less the centre's own
inline constexpr std::size_t kEvidence = kProducts + kProductSpans.size();    // of those, in nats
inline constexpr std::size_t kDistances = kEvidence + kEvidenceSpans.size();  // ln
inline constexpr std::size_t kLatest = kDistances + kDistanceSpans.size();    // recent errors
inline constexpr std::size_t kLogWeights = kLatest + kRecent;                 // of the filters
inline constexpr std::size_t kExpertFeatures = kLogWeights + kFilters.size();

// Numbers that all experts share, in this order.
inline constexpr std::size_t kScores = 0;  // ln(filter's / centre's squared error)
inline constexpr std::size_t kSituation = kScores + kFilters.size() * kScoreSpans.size();
inline constexpr std::size_t kSituationFeatures = 6;
inline constexpr std::size_t kSharedFeatures = kSituation + kSituationFeatures;

// To be raised whenever what a feature means changes; a number above names another schema itself.
inline constexpr int kSchemaVersion = 1;

}  // namespace pcgs::tokens::errors

namespace pcgs::tokens {

// A mean beside that of the centre's squared errors.
struct MeanAndCentre {
  RunningMean mean;
  double centre = 0;  // as a sum of the mean

  MeanAndCentre(float span, std::size_t size) : mean(span, size) {}

  // One more round, in which the centre erred by this; to be called before sums are advanced. The
  // factor that makes them a ratio to the centre's mean.
  float count(float error);

  void save(StateWriter& out, Newcomer newcomer) const;
  void load(StateReader& in, double low, double high);
};

class ErrorStream : public Stream {
 public:
  static constexpr auto kExpertFeatures = errors::kExpertFeatures;
  static constexpr auto kSharedFeatures = errors::kSharedFeatures;

  explicit ErrorStream(std::size_t experts);

  // "pcgs-error-tokens-VERSION-HASH", the hash being of all the constants above.
  static std::string schema_name();

  // One finished round: [K] forecasts less the outcome, finite, and [K] losses in [0,1] that the
  // recursion learns from. Does not allocate.
  void observe(std::span<const double> errors, std::span<const double> losses);

  // [K] of the last round, as tokens(): ln(K w) of the centre's weights w, where a network that says
  // nothing would restart to.
  std::span<const float> anchor() const { return anchor_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void find_unit(std::span<const double> errors);
  void measure_errors(std::span<const double> errors);
  template <class Of>
  void average_ratios(Means<MeanAndCentre>& means, std::size_t first, const Of& of);
  void average_products();
  void average_biases();
  void remember_latest();
  void advance_filters();
  void judge_filters();
  void describe_situation();

  double unit_ = 0, unit_mass_ = 0;       // the centre's usual error; 0: none yet
  double last_centre_ = 0, product_ = 0;  // of successive errors of the centre
  float centre_ = 0;                      // its error this round, in units
  float mean_square_ = 0;                 // of all errors this round
  std::vector<float> z_;                  // [K] errors in units
  Means<MeanAndCentre> squares_, products_, distances_;
  Means<MeanAndSquare> biases_, evidence_;
  Means<MeanAndCentre> scores_;                                   // a vector over filters
  std::vector<float> latest_;                                     // [kRecent x K] newest first
  std::array<float, errors::kFilters.size()> filter_error_ = {};  // in units
  std::vector<float> anchor_;                                     // [K]
};

}  // namespace pcgs::tokens
