// Blend: the combination of forecasts that people publish (blend.cc), and the derived experts that it is made
// of: forecasts made from forecasts, each with its formula and source where it is (derived.cc,
// stack.cc; derived_pool.cc lists them).
//
// A derived expert forecasts a round from what is known when the round is opened (Seen), and learns
// when the outcome comes, however late: what it needs to remember of the opening it writes into
// `kept`, which comes back with the outcome. forecast() changes nothing. Neither call allocates.
//
// Promises, checked for each of them by tests/combine/derived_test.cc: forecasts are finite, and
// probabilities for log loss; they depend on earlier outcomes only; the same rounds give the same bits;
// a missing expert does not matter; save and load change no later bit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "combine/outliers.h"
#include "core/kernels.h"
#include "pcgs/certificates.h"
#include "pcgs/losses.h"
#include "pcgs/method.h"
#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs {

class TransformerModel;

// `seasons`: rounds in a day, a week, ...; shortest first; may be empty. `network` was trained to combine;
// null: none takes part. `name` is what the registry would parse.
std::unique_ptr<Method> make_blend(std::size_t experts, std::vector<std::size_t> seasons,
                                   std::shared_ptr<const TransformerModel> network,
                                   std::string name);

}  // namespace pcgs

namespace pcgs::blend {

// One round as derived experts see it: everything was known when it was opened.
struct Seen {
  std::int64_t number = 0;              // 1, 2, ...
  std::span<const double> forecasts;    // [K] of the raw experts; a sleeper's is the centre
  std::span<const std::uint8_t> awake;  // [K] at least one
  ForecastRange range;                  // of the awake: what only averages them stays in it
  TaskLoss task;
  double mean = 0;                 // of the awake
  double centre = 0;               // a good combination of them: the forecast of kCentreIndex
  double unit = 1;                 // the usual size of the best expert's errors
  double loss_unit = 1;            // and of its losses
  std::span<const double> errors;  // [any] earlier errors of the centre, in units
  std::span<const double> made;    // forecasts of the derived experts before this one
  std::int64_t late = 0;           // when it is observed: as in Round
};

// Those that others lean on come first.
inline constexpr std::size_t kMeanIndex = 0;
inline constexpr std::size_t kCentreIndex = 1;

class Derived {
 public:
  virtual ~Derived() = default;

  virtual std::size_t kept() const { return 0; }
  virtual double forecast(const Seen& seen, std::span<double> kept) const = 0;
  // `made` is what it forecast then.
  virtual void observe(const Seen& seen, std::span<const double> kept, double made,
                       double outcome) = 0;
  // Adds `share` times the weights of the raw experts in its forecast; what is left of the share
  // belongs to the derived expert `base`, which comes before it. All in all they sum to 1.
  struct Rest {
    double share = 0;
    std::size_t base = 0;
  };
  virtual Rest add_weights(const Seen& seen, double share, std::span<double> weights) const = 0;

  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;
};

// Losses in units, as derived experts learn from them.
inline double usual_loss(const Seen& seen, double forecast, double outcome) {
  return in_units(seen.task(forecast, outcome), seen.loss_unit, kLargestLoss);
}

// What a derived expert is made for.
struct Setting {
  std::size_t experts = 1;           // K
  std::vector<std::size_t> seasons;  // rounds in a day, a week, ...; shortest first; may be empty
  std::shared_ptr<const TransformerModel> network = nullptr;  // null: none takes part
};

std::unique_ptr<Derived> make_mean();
std::unique_ptr<Derived> make_median(const Setting& setting);
std::unique_ptr<Derived> make_inverse_error(const Setting& setting, int power, double decay);
std::unique_ptr<Derived> make_filter(const Setting& setting, double eta, double rho);
// Of a method that learns from linearised losses.
std::unique_ptr<Derived> make_linear(const Setting& setting,
                                     std::unique_ptr<Method> (*make)(std::size_t experts));
std::unique_ptr<Derived> make_learned(const Setting& setting);
// Deviations from the mean or from the centre; with earlier errors of the centre or without.
struct StackOptions {
  double forgetting = 1, ridge = 1;
  bool from_centre = true, with_errors = true;
};
std::unique_ptr<Derived> make_stack(const Setting& setting, const StackOptions& options);
// Of the derived expert with this index, which comes before it.
std::unique_ptr<Derived> make_corrected(const Setting& setting, std::size_t index, bool seasonal);

// One for each phase of a season, so that what is learned at three in the morning is used at three in
// the morning.
std::unique_ptr<Derived> make_seasonal(std::size_t phases,
                                       const std::function<std::unique_ptr<Derived>()>& make);

// The errors of somebody's forecasts, by the number of their round, as far back as two seasons.
// Outcomes come late and in any order: what has not come is unknown.
class ErrorMemory {
 public:
  explicit ErrorMemory(const Setting& setting);

  // Two without a season, five with one.
  static std::size_t features(const Setting& setting) { return setting.seasons.empty() ? 2 : 5; }

  void put(std::int64_t number, double error);
  // What is known of them when this round is forecast: the latest and the one before; with a season
  // also the latest of the same phase, the one before that, and the latest of the same phase of the
  // longest season (or two seasons ago). An error that is not known is 0.
  void recall(std::int64_t number, std::span<double> out) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double error_of(std::int64_t number) const;
  std::int64_t latest_of_phase(std::int64_t number, std::size_t season) const;

  std::vector<std::size_t> seasons_;  // none, or the shortest and the longest
  std::vector<std::int64_t> number_;  // [reach] of whom the error is; 0: nobody's
  std::vector<double> error_;         // [reach]
  std::int64_t latest_ = 0;           // the highest number with an error
};

// How large errors and losses usually are: the mean over about 500 rounds of the expert that has
// done best, among those that were awake at least half as often as anybody.
//
//     m(k) += ( min(e(k)^2, 100 max(m(k), best)) - m(k) ) / n        n = 1, 2, ..., 500, 500, ...
//     unit  = sqrt( min_k m(k) )
//
// and the same for losses. An outlier moves it by a fifth, at most. It is never below a
// thousandth of the spread of the forecasts. Before the first outcome the unit is their spread.
class Units {
 public:
  explicit Units(std::size_t experts);

  struct Size {
    double error, loss;
  };
  static bool possible(const Size& size);
  // Of the coming round; its spread is the root mean square of the deviations from the mean.
  Size size(const TaskLoss& task, double spread) const;
  // Takes in a round with at least one expert awake.
  void observe(const Seen& seen, double outcome);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::vector<double> squares_, losses_;  // [K] m of each expert; 0 before its first round
  std::vector<double> count_;             // [K] n
  double best_square_ = 0, best_loss_ = 0;
};

// All derived experts of a blend, and what they share: the usual size of errors, the centre and its
// earlier errors.
//
// An outlier is treated as missing: a forecast that is further from the median of all, by a factor of
// fifty, than both the best expert's usual error and its own usual distance. At least three experts
// have to be there, and nobody is judged in the first rounds.
class DerivedPool {
 public:
  explicit DerivedPool(const Setting& setting);

  std::size_t experts() const { return forecasts_.size(); }  // K
  std::size_t size() const { return derived_.size(); }       // M
  // [M] how much each is to be trusted before anything is known: 1, or less where it takes long to
  // learn and may go wrong on the way.
  std::span<const double> trust() const { return trust_; }
  // Numbers kept with an open round; made() of them are the derived forecasts.
  std::size_t kept() const { return kept_; }
  std::span<const double> made(std::span<const double> kept) const {
    return kept.subspan(made_at_, size());
  }
  // As if everybody had been awake, and nobody an outlier.
  void hear_all(std::span<double> kept) const {
    for (double& heard : kept.subspan(heard_at_, experts())) heard = 1;
  }
  bool could_have_kept(std::span<const double> kept) const;
  double loss_unit(std::span<const double> kept) const { return kept[kLossUnit]; }
  // [K] of the latest round that was forecast or observed; a sleeper's is the centre.
  std::span<const double> filled() const { return forecasts_; }

  // Forecasts a round and fills `kept`.
  void forecast(const OpenedRound& round, std::span<double> kept);
  // Learns from its outcome.
  void observe(const OpenedRound& round, std::span<const double> kept, double outcome,
               std::int64_t late);
  // Adds the weights of the raw experts in the derived forecasts, each times its share [M], which
  // is used up.
  void add_weights(const OpenedRound& round, std::span<const double> kept, std::span<double> shares,
                   std::span<double> weights);

  // All of them in order, with what they keep and how they are trusted.
  std::string description() const;

  // One that has learned nothing, for other experts, and which of its derived experts are here: a few are
  // there for some numbers of experts only.
  DerivedPool fresh_for(std::size_t experts) const;
  ExpertChange change_to(const DerivedPool& after) const;
  // What is kept with an open round, for the experts after a change.
  std::vector<double> kept_after(const ExpertChange& experts, std::span<const double> kept,
                                 std::span<const std::uint8_t> awake) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  enum At : std::size_t { kMedian, kMean, kCentre, kUnit, kLossUnit, kErrors };

  Seen seen(const OpenedRound& round, std::span<const double> kept);
  void find_heard(const OpenedRound& round, std::span<double> kept);
  double median(const OpenedRound& round);  // of the awake; the higher of two
  void observe_distances(const OpenedRound& round, double middle);

  Setting setting_;
  std::vector<std::string> names_;  // [M]
  std::vector<std::unique_ptr<Derived>> derived_;
  std::vector<double> trust_;
  Units units_;
  ErrorMemory centre_errors_;
  std::size_t errors_, heard_at_, made_at_, kept_ = 0;
  std::vector<std::size_t> kept_at_;  // [M] where each one's own begin
  std::vector<double> distance_;      // [K] usual one from the median of all
  std::uint64_t rounds_ = 0;          // that it is made of
  std::vector<double> forecasts_;     // [K] scratch
  std::vector<double> awake_;         // [K] scratch
  std::vector<std::uint8_t> heard_;   // [K] scratch: awake and no outlier
};

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
