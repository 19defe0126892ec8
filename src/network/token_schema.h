// What a token is made of. A model is trained on one schema and refuses every other.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace pcgs::tokens {

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
inline constexpr std::size_t kLeadership = kLogWeights + kFilters;               // see leadership.h
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

// "pcgs-tokens-VERSION-HASH", the hash being of all the constants above.
std::string schema_name();

}  // namespace pcgs::tokens
