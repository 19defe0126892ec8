// A controller steers one Share: after each finished round it chooses (eta, rho, q).
//
// Every regret certificate of the share recursion holds for any controller, because controls may
// depend on finished rounds only, and finished rounds are all that after() is shown.
#pragma once

#include <memory>
#include <string>

#include "pcgs/round.h"
#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs {

class Controller {
 public:
  virtual ~Controller() = default;

  // Its name with every option, as the registry would parse it: "fixed-share{eta=4,rho=0.02}".
  virtual std::string name() const = 0;
  // Forget everything and prepare for this many experts. Called once before the first round.
  virtual void reset(std::size_t experts) = 0;
  // The controls that turn w_t into w_{t+1}. Must not allocate. q stays valid until the next call.
  virtual Controls after(const Round& round) = 0;
  // How many numbers of side information every round must bring; 0: any number, it may look at them
  // or not.
  virtual std::size_t side_needed() const { return 0; }
  // Whether every round must have forecasts and an outcome, and losses alone are not enough.
  virtual bool needs_forecasts() const { return false; }

  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;
};

}  // namespace pcgs
