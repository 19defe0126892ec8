// What a token is made of where errors of forecasts are known, with their sign: for the controller
// that combines. A model is trained on one schema and refuses every other.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace pcgs::tokens::errors {

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

// "pcgs-error-tokens-VERSION-HASH", the hash being of all the constants above.
std::string schema_name();

}  // namespace pcgs::tokens::errors
