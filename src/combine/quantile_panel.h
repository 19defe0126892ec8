// What a QuantilePanel is made of.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "combine/calibration.h"
#include "combine/clipping.h"
#include "combine/missing_quantiles.h"
#include "combine/quantile_levels.h"
#include "combine/quantile_pool.h"
#include "combine/ratio_weights.h"
#include "combine/score_filters.h"
#include "pcgs/quantiles.h"
#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs {

struct QuantilePanel::Panel {
  using RatioWeights = levels::RatioWeights;

  explicit Panel(QuantileOptions options);

  // Six ways to make one distribution of several. Ratio weights come from scores as they are and from
  // those of fourth roots, which learn from small weeks as from large ones.
  enum Candidate : std::size_t {
    kEqualPool,  // the linear pool with equal weights: what losses are compared with
    kPool,       // with ratio weights from scores
    kRootPool,   // with ratio weights from scores of roots
    kTails,      // with these the quantile mean in the middle and the pool in the tails
    kEqualMean,  // the quantile mean with equal weights: for models that err to opposite sides
    kFollower,   // with weights that follow whoever is good in this series at present
    kCandidates
  };

  // A round from its opening until its outcome is there, on the scale that is combined on.
  struct Round {
    std::int64_t number = 0;
    std::size_t series = 0;
    bool heard = false;               // somebody gave something; else what is below is empty
    std::vector<std::uint8_t> awake;  // [K]
    std::vector<double> forecasts;    // [K x P] complete; NaN for those that are missing
    std::vector<double> made;         // [kCandidates x P]
    std::vector<double> combined;     // [P] of those
    std::vector<double> calibrated;   // [P] that one, stretched: what calibration learns from
    std::vector<double> published;    // [P] in the units of the forecasts
    std::optional<double> anchor;     // where the series was before it
  };

  struct Series {
    Series(std::span<const double> trust, std::size_t experts, bool certify);
    // Something of it is below 0: there is one kind of scores from then on.
    void give_up_roots();

    RatioWeights::Own scores, roots;  // of experts, from both kinds of scores
    bool has_roots = true;
    levels::ExpertWeights follower;
    levels::Anchor anchor;
    Share trust;  // in candidates
    std::optional<levels::ProvedScores> proof;
  };
  std::size_t experts() const { return names.size(); }
  std::size_t index_of(std::int64_t round) const;
  Round& new_round();
  void make_room(Round& round) const;
  void take_forecasts(Round& round, std::span<const double> quantiles);
  void combine(Round& round);
  void calibrate(Round& round) const;
  void publish(Round& round) const;
  void learn_from(Round& round, double outcome);
  void drop(std::size_t index);
  void resize_for_experts();
  void save(StateWriter& out) const;
  void load(StateReader& in);
  void save(StateWriter& out, const Round& round) const;
  void load(StateReader& in, Round& round);

  QuantileOptions options;
  levels::Levels levels;
  std::vector<std::string> names;   // [K]
  std::vector<std::string> titles;  // of the series
  std::vector<Series> series;
  RatioWeights scores, roots;       // what all series know
  levels::PooledTrust trust;        // of all series: where those of a series start and restart
  levels::Calibration calibration;  // from all series; does nothing if it is not wanted
  std::vector<std::int64_t> far;    // [K] rounds in which an expert was far outside all others
  std::vector<std::unique_ptr<Round>> open, free;
  std::int64_t next_round = 1, learned = 0, crossed = 0;
  std::string note;

  // Of one call.
  std::vector<double> nothing;  // [P] NaN: the forecast of a round in which nobody is heard
  levels::Completion completion;
  levels::Clipping clipping;
  levels::Pool pool;
  std::vector<double> clipped;                        // [K x P]
  std::vector<double> equal, own, rooted, following;  // [K] weights of those awake
  double least_given = 0;                             // of the numbers of those awake
  std::vector<double> losses;                         // [K]
  std::vector<double> mean;                           // [P] scratch
};

}  // namespace pcgs
