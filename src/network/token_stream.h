// From losses to tokens: what the learned controller sees of each expert, round by round.
//
// Causal (a function of the losses observed so far), scale-free (losses are centred on the expert
// mean and measured in a running scale, so multiplying them all by a constant changes little more
// than the two shared features that name the scale and the level).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "network/tokens.h"
#include "pcgs/state.h"

namespace pcgs::tokens {

// What a token is made of. A model is trained on one schema and refuses every other.

// Averages: exponentially weighted means of these spans (a span of 0 is the last loss itself).
inline constexpr std::array kSpans = {0.0f,  1.0f,  2.0f,   4.0f,   8.0f,   16.0f,
                                      32.0f, 64.0f, 128.0f, 512.0f, 4096.0f};
inline constexpr std::array kTrendSpans = {4.0f, 16.0f};         // of a line fitted to the losses
inline constexpr std::array kDispersionSpans = {16.0f, 128.0f};  // of an expert's own noise
inline constexpr std::array kEvidenceSpans = {2.0f, 8.0f,
                                              32.0f};         // of losses in units of that noise
inline constexpr std::array kDriftAllowances = {0.3f, 1.0f};  // of the cumulative sums
inline constexpr float kExtremeSpan = 16;
inline constexpr std::array kRegretSpans = {32.0f, 512.0f,
                                            4096.0f};  // of losses beside a reference filter's

// What the numbers above are measured in, and how far they reach.
inline constexpr float kScaleSpan = 128;        // of the running scale and level
inline constexpr float kSmallestScale = 1e-6f;  // equal losses have no scale; this changes nothing
inline constexpr float kQuietest = 0.1f;      // own noise is taken to be at least this many scales
inline constexpr float kLargestEvidence = 3;  // in own noises: one wild loss says no more than that
inline constexpr float kLargestCharge = 20;   // in nats, of one round
inline constexpr float kLargestSum = 200;     // of the cumulative sums, in own noises
inline constexpr float kLongestMemory = 4096;    // rounds: longer counts are not told apart
inline constexpr std::size_t kSurpriseSpan = 4;  // index into kSpans: surprise beside that mean
inline constexpr std::size_t kNoiseSpan = 1;     // index into kDispersionSpans: own noise is that
inline constexpr std::size_t kRivalrySpan = 1;   // index into kRegretSpans: whose noise is shown

// Reference filters: Fixed Share at rates eta / scale and rho, and, with the likelihood of a winner
// that is `gap` scales better, under each expert's own noise.
inline constexpr std::array kFilterEta = {0.3f, 1.0f, 3.0f, 10.0f};
inline constexpr std::array kFilterRho = {1e-5f, 3e-4f, 5e-3f, 5e-2f};
inline constexpr std::array kLikelihoodGap = {0.5f, 1.0f, 2.0f};
inline constexpr float kLikelihoodRho = 2e-3f;
inline constexpr std::array kFilterSpans = {16.0f, 128.0f, 2048.0f};  // over which one is judged

inline constexpr std::size_t kShareFilters = kFilterEta.size() * kFilterRho.size();
inline constexpr std::size_t kFilters = kShareFilters + kLikelihoodGap.size();
inline constexpr std::size_t kLeadingFilter = kShareFilters + 1;  // whose weights say who leads
inline constexpr float kTakesOver = 0.6f;  // and how much of them makes a leader
inline constexpr std::size_t kReferenceFilter = 2 * kFilterRho.size() + 1;  // of the regrets

// Numbers of each expert, in this order.
inline constexpr std::size_t kAverages = 0;                                // mean at each span
inline constexpr std::size_t kGaps = kAverages + kSpans.size();            // beyond the least one
inline constexpr std::size_t kTrends = kGaps + kSpans.size();              // where a line leads
inline constexpr std::size_t kTrendGaps = kTrends + kTrendSpans.size();    // beyond the least one
inline constexpr std::size_t kEvidence = kTrendGaps + kTrendSpans.size();  // mean at each span
inline constexpr std::size_t kSums = kEvidence + kEvidenceSpans.size();    // cumulative sums
inline constexpr std::size_t kExtremes = kSums + kDriftAllowances.size();  // least and largest
inline constexpr std::size_t kRegrets = kExtremes + 2;                     // in their own noise
inline constexpr std::size_t kDispersions =
    kRegrets + kRegretSpans.size();  // log own noise / scale
inline constexpr std::size_t kRivalry = kDispersions + kDispersionSpans.size();  // log of theirs
inline constexpr std::size_t kLogWeights = kRivalry + 1;                         // of the filters
inline constexpr std::size_t kLeadership = kLogWeights + kFilters;               // see Leadership
inline constexpr std::size_t kLeadershipFeatures = 5;
inline constexpr std::size_t kExpertFeatures = kLeadership + kLeadershipFeatures;

// Numbers that all experts share, in this order: how each filter has done at each span beside the
// average expert; then the situation (see TokenStream::describe_situation).
inline constexpr std::size_t kFilterScores = 0;
inline constexpr std::size_t kSituation = kFilterScores + kFilters * kFilterSpans.size();
inline constexpr std::size_t kSituationFeatures = 10;
inline constexpr std::size_t kSharedFeatures = kSituation + kSituationFeatures;

inline constexpr std::size_t kFeatures = kExpertFeatures + kSharedFeatures;

// To be raised whenever what a feature means changes; a number above names another schema itself.
inline constexpr int kSchemaVersion = 2;

// Who has led before, for how long, and who came next: what makes returning winners recognisable.
//
// A filter's weights say who leads: whoever carries more than kTakesOver of them. A leader stays
// one until another takes over. Counts of rounds are told apart up to kLongestMemory.
class Leadership {
 public:
  explicit Leadership(std::size_t experts) : of_(experts) {}

  void observe(std::span<const float> weights);  // [K]

  // Five numbers of expert k: does it lead; ln(1 + K times its share of the rounds); ln(1 + times
  // it took over); ln(1 + rounds since it led); and, where it followed the present leader the last
  // time, ln(1 + times it did so in a row), else 0.
  void describe(std::size_t k, float* out) const;

  // Of the whole: ln(1 + age of this reign), ln(1 + mean length of the past ones), their
  // difference, ln(1 + number of reigns).
  void describe_reign(float* out) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  static_assert(kNobody == ExpertChange::kNew, "a leader that leaves makes nobody the leader");

  static constexpr double kNever = -1;

  // Of one expert.
  struct Reigns {
    double led = 0, took_over = 0, last_led = 0;  // counts, and the round
    double successor = kNever, in_a_row = 0;      // who followed it, how often so
  };

  std::size_t leader_ = kNobody;
  double rounds_ = 0, age_ = 0, reigns_ = 0, past_rounds_ = 0;  // counts; past: of ended reigns
  std::vector<Reigns> of_;                                      // [K]
};

class TokenStream : public Stream {
 public:
  static constexpr std::size_t kExpertFeatures = tokens::kExpertFeatures;
  static constexpr std::size_t kSharedFeatures = tokens::kSharedFeatures;
  // "pcgs-tokens-VERSION-HASH", the hash being of all the constants above.
  static std::string schema_name();

  explicit TokenStream(std::size_t experts);

  // One finished round: [K] losses in [0,1]. Does not allocate.
  void observe(std::span<const double> losses);

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

  double level_ = 0, level_mass_ = 0;  // running mean of the mean loss
  double mean_ = 0, spread_ = 0;       // of this round's losses
  std::vector<float> centred_;         // [K] this round's losses less their mean
  std::vector<float> own_noise_;       // [K] each expert's, in losses

  Means<RunningMean> averages_;                  // of centred losses
  Means<RunningMean> trend_once_, trend_twice_;  // the mean, and the mean of the means
  Means<RunningMean> dispersions_;               // of squared surprises
  Means<RunningMean> evidence_;                  // of centred losses in units of own noise
  Means<MeanAndSquare> regrets_;                 // beside the reference filter
  Means<RunningMean> scores_;                    // a vector over filters
  std::vector<float> sums_;                      // [2 x K] cumulative sums
  std::vector<float> extremes_;                  // [2 x K] fading minimum and maximum
  Leadership leadership_;
  std::array<float, kFilters> filter_loss_ = {};  // beside the average expert, in scales
};

}  // namespace pcgs::tokens
