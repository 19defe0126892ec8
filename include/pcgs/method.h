// A method is what plays: it holds weights over K experts and learns from finished rounds.
//
// Promises, checked by the contract suite for every registered method: weights are finite,
// non-negative and sum to 1 within 1e-12 after any bounded losses; weights depend on finished
// rounds only; the same rounds give the same bits; relabelling the experts relabels the weights;
// save and load change no later bit; learn() neither allocates nor throws.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>

#include "pcgs/controller.h"
#include "pcgs/round.h"
#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs {

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
  // The recursion inside, for traces and certificates; null for methods of another form.
  virtual const Share* share() const { return nullptr; }
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
  const Share* share() const override { return &share_; }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  Share share_;
  std::unique_ptr<Controller> controller_;
};

}  // namespace pcgs
