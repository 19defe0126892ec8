// What a token is made of. A model is trained on one schema and refuses every other.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace pcgs::tokens {

// Averages: exponentially weighted means of these spans (a span of 0 is the last loss itself).
inline constexpr std::array kSpans = {0.0f,  1.0f,  2.0f,  4.0f,   8.0f,
                                      16.0f, 32.0f, 64.0f, 128.0f, 512.0f};
inline constexpr std::array kTrendSpans = {4.0f, 16.0f};         // of a line fitted to the losses
inline constexpr std::array kDispersionSpans = {16.0f, 128.0f};  // of an expert's own noise
inline constexpr std::array kEvidenceSpans = {2.0f, 8.0f,
                                              32.0f};         // of losses in units of that noise
inline constexpr std::array kDriftAllowances = {0.3f, 1.0f};  // of the cumulative sums
inline constexpr float kExtremeSpan = 16;

// Reference filters: Fixed Share at rates eta / scale and rho, and, with the likelihood of a winner
// that is `gap` scales better, under each expert's own noise.
inline constexpr std::array kFilterEta = {0.3f, 1.0f, 3.0f, 10.0f};
inline constexpr std::array kFilterRho = {3e-4f, 5e-3f, 5e-2f};
inline constexpr std::array kLikelihoodGap = {0.5f, 1.0f, 2.0f};
inline constexpr float kLikelihoodRho = 2e-3f;
inline constexpr std::array kFilterSpans = {16.0f, 128.0f};  // over which a filter is judged

inline constexpr std::size_t kShareFilters = kFilterEta.size() * kFilterRho.size();
inline constexpr std::size_t kFilters = kShareFilters + kLikelihoodGap.size();

// Numbers of each expert, in this order.
inline constexpr std::size_t kAverages = 0;                                // mean at each span
inline constexpr std::size_t kGaps = kAverages + kSpans.size();            // beyond the least one
inline constexpr std::size_t kTrends = kGaps + kSpans.size();              // where a line leads
inline constexpr std::size_t kTrendGaps = kTrends + kTrendSpans.size();    // beyond the least one
inline constexpr std::size_t kEvidence = kTrendGaps + kTrendSpans.size();  // mean at each span
inline constexpr std::size_t kSums = kEvidence + kEvidenceSpans.size();    // cumulative sums
inline constexpr std::size_t kExtremes = kSums + kDriftAllowances.size();  // least and largest
inline constexpr std::size_t kDispersions = kExtremes + 2;                 // log own noise / scale
inline constexpr std::size_t kLogWeights =
    kDispersions + kDispersionSpans.size();                         // of the filters
inline constexpr std::size_t kLeadership = kLogWeights + kFilters;  // see leadership.h
inline constexpr std::size_t kLeadershipFeatures = 5;
inline constexpr std::size_t kExpertFeatures = kLeadership + kLeadershipFeatures;

// Numbers that all experts share, in this order: how each filter has done at each span beside the
// average expert; then the situation (see TokenStream::describe_situation).
inline constexpr std::size_t kFilterScores = 0;
inline constexpr std::size_t kSituation = kFilterScores + kFilters * kFilterSpans.size();
inline constexpr std::size_t kSituationFeatures = 10;
inline constexpr std::size_t kSharedFeatures = kSituation + kSituationFeatures;

inline constexpr std::size_t kFeatures = kExpertFeatures + kSharedFeatures;

// To be raised whenever a number above, or what a feature means, changes.
inline constexpr int kSchemaVersion = 1;

// "pcgs-tokens-VERSION-HASH", the hash being of all the constants above.
std::string schema_name();

}  // namespace pcgs::tokens
