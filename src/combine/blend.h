// Blend: the combination of forecasts that people publish (blend.cc), and the derived experts that it is made
// of: forecasts made from forecasts, each with its formula and source where it is (averages.cc, weighted.cc,
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
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "combine/outliers.h"
#include "core/kernels.h"
#include "pcgs/losses.h"
#include "pcgs/method.h"
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
enum class Regrets { kMlPoly, kMlProd, kMlEwa, kBoa };
std::unique_ptr<Derived> make_linear(const Setting& setting, Regrets regrets);
std::unique_ptr<Derived> make_learned(const Setting& setting);
// Deviations from the mean or from the centre; with earlier errors of the centre or without.
struct StackOptions {
  double forgetting = 1, ridge = 1;
  bool from_centre = true, with_errors = true;
};
std::unique_ptr<Derived> make_stack(const Setting& setting, const StackOptions& options);
// Of the derived expert with this index, which comes before it.
std::unique_ptr<Derived> make_corrected(const Setting& setting, std::size_t index, bool seasonal);

// A copy for each phase of a season, so that what is learned at three in the morning is used at
// three in the morning.
std::unique_ptr<Derived> make_seasonal(std::vector<std::unique_ptr<Derived>> phases);

}  // namespace pcgs::blend
