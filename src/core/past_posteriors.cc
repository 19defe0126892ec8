// Mixing past posteriors: restarts towards experts that were good before, so that coming back to
// one of a small set of experts is cheap.
//
//     v_0     uniform; v_s the posterior after round s, before its restart
//     E_tau   exponentially weighted mean of v_0 .. v_{t-1} of span tau:
//             the weight of v_s is proportional to (1 - 1/(tau+1))^(t-1-s)
//     q_t     = (1 - eps) mean of E_tau over tau in {1, 2, 4, ..., 4096} + eps / K
//     eta_t   = eta        rho_t = rho
//
// The "decaying past" of Bousquet and Warmuth, Tracking a small set of experts by mixing past
// posteriors, 2002, weighs v_s by 1/(t-s), which needs the whole past. The integral of
// exp(-lag/tau)/tau over ln tau is 1/lag, so averages at geometrically spaced spans give that shape
// from 13 K numbers, whatever t.
//
// v_{t-1} is not shown to a controller, but w_t = (1-rho) v_{t-1} + rho q_{t-1} is, and both rho
// and q_{t-1} were chosen here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/controllers.h"
#include "core/simplex.h"

namespace pcgs {

namespace {

constexpr std::size_t kSpans = 13;
constexpr double kUniformShare = 0.01;  // eps

class PastPosteriors final : public Controller {
 public:
  PastPosteriors(double eta, double rho) : eta_(eta), rho_(rho) {}

  std::string name() const override {
    return fmt::format("past-posteriors{{eta={},rho={}}}", eta_, rho_);
  }

  void reset(std::size_t experts) override {
    experts_ = experts;
    sums_.assign(kSpans * experts, 0.0);
    masses_.fill(0);
    q_.assign(experts, 1.0 / static_cast<double>(experts));
    posterior_.assign(experts, 0.0);
    started_ = false;
  }

  Controls after(const Round& round) override {
    // The weights before the first round are v_0 itself; later ones contain the previous restart.
    const double rho = started_ ? rho_ : 0;
    started_ = true;
    for (std::size_t k = 0; k < experts_; ++k) {
      posterior_[k] = std::max(0.0, (round.weights[k] - rho * q_[k]) / (1 - rho));
    }
    std::fill(q_.begin(), q_.end(), 0.0);
    for (std::size_t i = 0; i < kSpans; ++i) {
      const double keep = 1 - 1 / (std::ldexp(1.0, static_cast<int>(i)) + 1);
      masses_[i] = keep * masses_[i] + 1;
      const double share = 1 / masses_[i];
      double* sum = sums_.data() + i * experts_;
      for (std::size_t k = 0; k < experts_; ++k) {
        sum[k] = keep * sum[k] + posterior_[k];
        q_[k] += share * sum[k];
      }
    }
    // Normalising here keeps the rounding of the recovered posteriors from adding up.
    double total = 0;
    for (const double q : q_) total += q;
    const double uniform = kUniformShare / static_cast<double>(experts_);
    for (double& q : q_) q = (1 - kUniformShare) * q / total + uniform;
    return {eta_, rho_, q_};
  }

  void save(StateWriter& out) const override {
    // After a change of the experts the restart can no longer be taken out of the weights: they are
    // the posterior then, as in the beginning.
    out.u64(started_ && out.change() == nullptr ? 1 : 0);
    out.weights(sums_);
    out.f64s(masses_);
    out.weights(q_);
  }

  void load(StateReader& in) override {
    started_ = in.u64() != 0;
    in.f64s(sums_);
    in.f64s(masses_);
    in.f64s(q_);
    // Each sum of posteriors must have the mass that it claims, and q must be a distribution.
    const auto has_mass = [](std::span<const double> values, double mass) {
      return mass >= 0 && mass <= 1e6 && adds_up(values, mass, 1e-6 * (1 + mass));
    };
    bool sane = has_mass(q_, 1);
    for (std::size_t i = 0; i < kSpans; ++i) {
      sane = sane && has_mass(std::span(sums_).subspan(i * experts_, experts_), masses_[i]);
    }
    if (!sane) in.fail("an average of past weights in it does not add up");
  }

 private:
  double eta_;
  double rho_;
  std::size_t experts_ = 0;
  std::vector<double> sums_;             // [span][K] decayed sums of posteriors
  std::array<double, kSpans> masses_{};  // [span] decayed number of posteriors
  std::vector<double> q_;                // [K]
  std::vector<double> posterior_;        // [K] scratch
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Controller> make_past_posteriors(double eta, double rho) {
  return std::make_unique<PastPosteriors>(eta, rho);
}

}  // namespace pcgs
