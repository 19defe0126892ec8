// A method is what plays: it holds weights over K experts and learns from finished rounds.
//
// Promises, checked by the contract suite for every registered method: weights are finite,
// non-negative and sum to 1 within 1e-12 after any bounded losses; weights depend on finished
// rounds only; the same rounds give the same bits; relabelling the experts relabels the weights;
// save and load change no later bit; learn() neither allocates nor throws; a state that is saved for
// experts that come and go (state.h) loads, and goes on so.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pcgs/controller.h"
#include "pcgs/round.h"
#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs {

class ForecastCertificate;

// A round that is being opened, as a Combiner sees it.
struct OpenedRound {
  std::int64_t number = 0;              // 1, 2, ...
  std::span<const double> forecasts;    // [K] a sleeper's is 0
  std::span<const std::uint8_t> awake;  // [K] at least one
  const TaskLoss& task;
};

// Makes the combined forecast itself, where a method does more than weigh the experts.
class Combiner {
 public:
  // How many numbers are kept with each open round, so that what is learned from its outcome,
  // however late, is what was known when it was opened.
  virtual std::size_t kept() const = 0;
  // The combined forecast, finite. Fills `kept`, and `weights` [K] with the share that each expert
  // has in it (zero for sleepers). Changes nothing in the method and does not allocate.
  virtual double combine(const OpenedRound& round, std::span<double> kept,
                         std::span<double> weights) = 0;
  // The same numbers, of a round that is still open, for the experts after a change; `awake` is whoever
  // of them was, at least one.
  virtual std::vector<double> kept_after(const ExpertChange& change, std::span<const double> kept,
                                         std::span<const std::uint8_t> awake) const = 0;
  // Whether combine() could have left these, for numbers that come from a file.
  virtual bool could_have_kept(std::span<const double> kept) const = 0;
  // A number made from everything that its state for so many experts consists of, in order, so that a
  // state of anything else is told from a damaged one.
  virtual std::uint64_t signature(std::size_t experts) const = 0;

 protected:
  ~Combiner() = default;
};

class Method {
 public:
  virtual ~Method() = default;

  // Its name with every option, as the registry would parse it.
  virtual std::string name() const = 0;
  // [K] what to play next.
  virtual std::span<const double> weights() const = 0;
  virtual void learn(const Round& round) = 0;
  // How many numbers of side information every round must bring; 0: any number.
  virtual std::size_t side_needed() const { return 0; }
  // Whether losses alone are not enough.
  virtual bool needs_forecasts() const { return false; }
  // For methods that need forecasts and combine them in a way of their own; null for those that
  // play weights.
  virtual Combiner* combiner() { return nullptr; }
  // The recursion inside, for traces and certificates; null for methods of another form.
  virtual const Share* share() const { return nullptr; }
  // Starts to prove what the published forecasts achieve, before the first round, and returns where
  // that is kept; null for methods that cannot. A method does not save it: its owner does.
  virtual ForecastCertificate* certify_forecasts() { return nullptr; }
  // What a change of the experts is for the forecasts of that certificate, raw and others.
  virtual ExpertChange change_of_forecasts(const ExpertChange& experts) const { return experts; }
  // The latest round as the recursion inside learned it, where that is not as it was given; null
  // otherwise. Valid until the next one.
  virtual const Round* as_learned() const { return nullptr; }
  // A proof about the rounds learned so far, for methods of another form that bring one: what was
  // paid for them, the sum of their mixture losses, is at most what any path of experts with at
  // most this many switches lost, plus this; rounds follow each other in the order in which they
  // were learned. Infinite where nothing is proved.
  virtual double switching_bound(std::size_t /*switches*/) const {
    return std::numeric_limits<double>::infinity();
  }

  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;
};

// The share recursion steered by a controller.
class ShareMethod final : public Method {
 public:
  ShareMethod(std::size_t experts, std::unique_ptr<Controller> controller);

  std::string name() const override { return controller_->name(); }
  std::span<const double> weights() const override { return share_.weights(); }
  void learn(const Round& round) override;
  std::size_t side_needed() const override { return controller_->side_needed(); }
  bool needs_forecasts() const override { return controller_->needs_forecasts(); }
  const Share* share() const override { return &share_; }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  Share share_;
  std::unique_ptr<Controller> controller_;
};

}  // namespace pcgs
