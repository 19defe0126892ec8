// Exponential weights: never restarts.
//
//     eta_t = eta        rho_t = 0
//
// Regret to the best single expert <= ln(K) / eta + eta T / 8.
// Freund and Schapire, A decision-theoretic generalization of on-line learning, 1997.
#include <fmt/format.h>

#include "core/controllers.h"

namespace pcgs {

namespace {

class Hedge final : public Controller {
 public:
  explicit Hedge(double eta) : eta_(eta) {}

  std::string name() const override { return fmt::format("hedge{{eta={}}}", eta_); }
  void reset(std::size_t) override {}
  Controls after(const Round&) override { return {eta_, 0, {}}; }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  double eta_;
};

}  // namespace

std::unique_ptr<Controller> make_hedge(double eta) { return std::make_unique<Hedge>(eta); }

}  // namespace pcgs
