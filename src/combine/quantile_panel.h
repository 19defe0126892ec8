// What a QuantilePanel is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "combine/calibration.h"
#include "combine/missing_quantiles.h"
#include "combine/quantile_levels.h"
#include "combine/quantile_pool.h"
#include "combine/quantile_weights.h"
#include "pcgs/quantiles.h"
#include "pcgs/state.h"

namespace pcgs {

struct QuantilePanel::Panel {
  explicit Panel(QuantileOptions options);

  // A round from its opening until its outcome is there, on the scale that is combined on.
  struct Round {
    std::int64_t number = 0;
    std::size_t series = 0;
    bool heard = false;               // somebody gave something; else what is below is empty
    std::vector<std::uint8_t> awake;  // [K]
    std::vector<double> forecasts;    // [K x P] complete; NaN for those asleep
    std::vector<double> of_vectors;   // [kVectors x P] the quantile mean with each
    std::vector<double> made;         // [kOperators x P]
    std::vector<double> combined;     // [P] of those
    std::vector<double> calibrated;   // [P] that one, stretched: what calibration learns from
    std::vector<double> published;    // [P] in the units of the forecasts
  };

  std::size_t experts() const { return names.size(); }
  std::size_t index_of(std::int64_t round) const;
  Round& new_round();
  void make_room(Round& round) const;
  double least_given_by(const Round& round, std::size_t expert) const;
  void take_forecasts(Round& round, std::span<const double> quantiles);
  void combine(Round& round);
  void calibrate(Round& round) const;
  void publish(Round& round) const;
  // [kVectors x K] the weight vectors over those awake, and [K] what they give together.
  void mix_vectors(const Round& round, std::span<double> into_vectors,
                   std::span<double> into_mixed) const;
  void learn_from(Round& round, double outcome);
  void learn_weights(Round& round, double y);
  void drop(std::size_t index);
  void resize_for_experts();
  void save(StateWriter& out) const;
  void load(StateReader& in);
  void save(StateWriter& out, const Round& round) const;
  void load(StateReader& in, Round& round);

  QuantileOptions options;
  levels::Levels levels;
  std::vector<std::string> names;                // [K]
  std::vector<std::string> series;               // names
  levels::Scope all;                             // learned from all series
  std::vector<levels::Scope> own;                // [series]
  std::vector<levels::RunningUnit> units;        // [series] of the scores of operators
  std::vector<levels::ScoreCertificate> proofs;  // [series] if it certifies
  levels::Calibration calibration;  // from all series; does nothing if it is not wanted
  std::vector<std::unique_ptr<Round>> open, free;
  std::int64_t next_round = 1, learned = 0, crossed = 0, outliers = 0;
  std::string note;

  // Of one call.
  std::vector<double> nothing;  // [P] NaN: the forecast of a round in which nobody is heard
  levels::Completion completion;
  levels::Pool pool;
  std::vector<double> vectors;  // [kVectors x K] weights of those awake, each on the simplex
  std::vector<double> mixed;    // [K] the weights that result
  double least_given = 0;       // of the numbers of those awake
  std::vector<double> scores, losses, scratch;
  std::vector<double> uncapped;  // [K] losses, for a proof
};

}  // namespace pcgs
