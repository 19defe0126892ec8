// Forecasts that are distributions: the quantiles of several experts combined into one set, for one
// series or for a panel of related ones (locations, horizons, stores).
//
//     pcgs::QuantilePanel panel({.levels = {0.1, 0.5, 0.9}});
//     panel.add_expert("arima");
//     panel.add_expert("ets");
//     const auto north = panel.add_series("north");
//
//     const auto round = panel.open(north, quantiles);   // [K x P], NaN: not given
//     publish(panel.forecast(round));                    // [P], in order
//     panel.learn(round, outcome);                       // whenever it is known
//
// Experts may give some rounds, some series or some levels only, come later and leave; any number of
// rounds may be open. A forecast depends on what was learned before its round was opened, and on
// nothing else.
//
// How it combines. A model is not believed where it is far outside all others, or far from all that the
// series has done (combine/clipping.h). Four distributions are made: the linear pool with equal
// weights, with weights learned from scores (twice the mean pinball loss over the levels), with weights
// learned from scores of fourth roots, and one with these that is the quantile mean in the middle and
// the pool in the tails. Weights are ratios of scores, learned from all series, from their last rounds and
// from the series itself (combine/ratio_weights.h). The share recursion of each series says how much of
// each is published; it starts and restarts where all series together put their trust. Last, central intervals
// are stretched or shrunk around the median, by what they have held so far of the outcomes of all
// series (docs/quantiles.md).
//
// Promises: quantiles of a forecast are finite and in order. Without calibration they are between the
// least and the greatest of the experts' at their level, completed where they are missing, up to the
// rounding of log1p; with it, not below 0 where no expert gives a number below 0. Once as many rounds
// have been open together as ever will be, and no expert or series comes or goes, nothing is allocated.
// After an Error the panel is as it was before the call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/certificates.h"

namespace pcgs {

enum class QuantileScale {
  kRaw,
  kLog1p,  // ln(1 + x): combined and scored there, and published in the units of the forecasts
};

struct QuantileOptions {
  std::vector<double> levels;  // [P] rising, between 0 and 1
  QuantileScale scale = QuantileScale::kRaw;
  // Stretches central intervals until they hold the share of outcomes that they say. Does nothing where
  // levels are not symmetric (0.1, 0.9): there are no central intervals then.
  bool calibrate = true;
  // Proves as it goes what the published distributions of each series have achieved.
  bool certify = false;
};

// What is proved about the published distributions of a series, over the rounds learned so far in
// which not everybody was right. Scores are in units of a middling expert's of the round, on the scale
// that is combined on, and claims are about their means: "what was published is within
// certificate.bound of the best path over experts that existed, and of the best of those that are
// there, who before they came count as the best of the others". An expert that sleeps has lost what
// was combined.
struct ScoreClaims {
  std::uint64_t rounds = 0;
  ForecastClaim against_path, against_expert;
};

class QuantilePanel {
 public:
  // Throws Error for levels that are none.
  explicit QuantilePanel(QuantileOptions options);
  ~QuantilePanel();
  QuantilePanel(QuantilePanel&&) noexcept;
  QuantilePanel& operator=(QuantilePanel&&) noexcept;

  const QuantileOptions& options() const;
  std::span<const std::string> experts() const;  // [K] in the order of forecasts
  std::span<const std::string> series() const;   // in the order in which they were added

  // An Error if the name is there already. A newcomer counts as good as equal weights, and is
  // missing in the rounds that are open.
  std::size_t add_expert(std::string_view name);
  // An Error if there is none of that name. Experts behind it move up, in open rounds too.
  void remove_expert(std::string_view name);
  std::size_t add_series(std::string_view name);

  // Opens a round: [K x P] quantiles, finite or NaN (not given), above -1 on the scale log1p. Rounds
  // are numbered 1, 2, ... over all series.
  std::int64_t open(std::size_t series, std::span<const double> quantiles);
  // [P] what that open round publishes; NaN if nobody gave anything.
  std::span<const double> forecast(std::int64_t round) const;
  // Closes an open round. On arrival: what is learned counts for rounds that are opened later.
  void learn(std::int64_t round, double outcome);
  // Forgets one whose outcome will never come.
  void abandon(std::int64_t round);
  // The numbers of the open rounds, in the order of opening.
  std::vector<std::int64_t> open_rounds() const;
  std::size_t series_of(std::int64_t round) const;

  // [K] the weights of a coming round of that series in which everybody is awake, on the average over
  // the levels.
  std::vector<double> weights(std::size_t series) const;

  // Throws Error unless the options asked for it.
  ScoreClaims certificate(std::size_t series) const;

  std::int64_t rounds() const;  // learned
  // Experts' rounds whose quantiles crossed and were put in order, and those in which one was far
  // outside all others, so that it counted as what is at their edge: all of them, and [K] of each.
  std::int64_t crossed() const;
  std::int64_t outliers() const;
  std::span<const std::int64_t> outliers_by_expert() const;

  // A text of the owner's, kept with the state.
  const std::string& note() const;
  void set_note(std::string note);

  // run, save, load, run gives the bits of run, run.
  void save(const std::string& path) const;
  static QuantilePanel load(const std::string& path);
  std::vector<std::uint8_t> save_bytes() const;
  static QuantilePanel load_bytes(std::span<const std::uint8_t> file, const std::string& origin);

 private:
  struct Panel;
  explicit QuantilePanel(std::unique_ptr<Panel> panel);
  std::unique_ptr<Panel> panel_;
};

}  // namespace pcgs
