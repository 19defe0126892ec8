// Fixed Share: restarts uniformly at a constant rate.
//
//     eta_t = eta        rho_t = rho        q_t uniform, over all experts, the current one included
//
// Regret to the best path with S switches
//     <= (1/eta) [ ln K + S ln(K/rho) + (T-1) ln(1/(1-rho)) ] + eta T / 8.
// Herbster and Warmuth, Tracking the best expert, 1998.
#include <fmt/format.h>

#include "core/controllers.h"

namespace pcgs {

namespace {

class FixedShare final : public Controller {
 public:
  FixedShare(double eta, double rho) : eta_(eta), rho_(rho) {}

  std::string name() const override {
    return fmt::format("fixed-share{{eta={},rho={}}}", eta_, rho_);
  }
  void reset(std::size_t) override {}
  Controls after(const Round&) override { return {eta_, rho_, {}}; }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  double eta_;
  double rho_;
};

}  // namespace

std::unique_ptr<Controller> make_fixed_share(double eta, double rho) {
  return std::make_unique<FixedShare>(eta, rho);
}

}  // namespace pcgs
