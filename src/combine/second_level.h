// The second level: combines N forecasts, raw and derived, that have been made already.
//
//     members   eight Fixed Share filters on losses relative to their own (eta .005 to .3, rho .001
//               to .03), starting from and restarting to a prior that gives the raw experts a
//               twentieth together; ML-Poly and BOA on linearised losses of the derived ones
//     published a third each of: the mean of the members, ML-Poly and BOA over the members on
//               linearised losses
//
// No setting is best everywhere, so none is chosen: where one is better for long, ML-Poly and BOA
// follow it, and the mean stays as an anchor. A loss above fifty usual ones counts as fifty. Outcomes
// that come together, late, say much the same: where one comes n rounds late, eta and the fifty are
// divided by sqrt(1 + n).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "combine/blend.h"
#include "pcgs/certificates.h"
#include "pcgs/losses.h"
#include "pcgs/method.h"
#include "pcgs/share.h"

namespace pcgs::blend {

class SecondLevel {
 public:
  // The first `raw` forecasts are the raw experts'; the others' share of the prior is as their
  // trust.
  SecondLevel(std::size_t raw, std::span<const double> trust);

  // Its members, in order.
  static std::string description();

  std::size_t kept() const { return members_ + final_.size(); }
  // The published forecast. Fills `kept`.
  double forecast(std::span<const double> forecasts, std::span<double> kept);
  // What became of a round.
  struct Outcome {
    const TaskLoss& task;
    double value;
    double loss_unit;
    double together;   // what it counts, in (0,1], beside outcomes that came with it
    double published;  // the forecast
  };
  void observe(std::span<const double> forecasts, std::span<const double> kept,
               const Outcome& outcome);
  // Starts to prove what is published, if that has not been done.
  ForecastCertificate& certify();
  // [N] the share of each forecast in the published one, now.
  std::span<const double> shares();

  // What a change of the raw and of the derived experts is for all N, whose prior will be that of
  // `after`.
  ExpertChange change_to(const SecondLevel& after, const ExpertChange& raw,
                         const ExpertChange& derived) const;

  // With null, or the change of all N and of the derived.
  void save(StateWriter& out, const ExpertChange* all, const ExpertChange* derived) const;
  void load(StateReader& in);

 private:
  void learn_filter(std::size_t i, double made, const Outcome& outcome);
  void learn_regrets(Method& method, std::span<const double> forecasts, double made,
                     const Outcome& outcome);

  std::size_t raw_, members_ = 0;
  std::vector<double> prior_;                     // [N]
  std::vector<Share> filters_;                    // over N
  std::vector<double> usual_, rounds_;            // [filters] mean of its losses, and of how many
  std::vector<std::unique_ptr<Method>> regrets_;  // over the derived
  std::vector<std::unique_ptr<Method>> final_;    // over the members
  std::vector<double> raw_losses_;                // [N] scratch: of the round that is learned
  std::vector<double> losses_, shares_;           // [N] scratch
  std::vector<double> linear_losses_;             // scratch: of derived experts or of members
  std::optional<ForecastCertificate> proved_;     // if anybody asks
};

}  // namespace pcgs::blend
