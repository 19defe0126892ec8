#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"

namespace pcgs {

namespace {

// Exponential weights: never restarts.
//
//     eta_t = eta        rho_t = 0
//
// Regret to the best single expert <= ln(K) / eta + eta T / 8.
// Freund and Schapire, A decision-theoretic generalization of on-line learning, 1997.
//
// Fixed Share: restarts uniformly at a constant rate.
//
//     eta_t = eta        rho_t = rho        q_t uniform, over all experts, the current one included
//
// Regret to the best path with S switches
//     <= (1/eta) [ ln K + S ln(K/rho) + (T-1) ln(1/(1-rho)) ] + eta T / 8.
// Herbster and Warmuth, Tracking the best expert, 1998.
class FixedShare : public Controller {
 public:
  FixedShare(std::string name, double eta, double rho)
      : eta_(eta), rho_(rho), name_(std::move(name)) {}

  std::string name() const final { return name_; }
  void reset(std::size_t) override {}
  Controls after(const Round&) override { return {eta_, rho_, {}}; }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 protected:
  double eta_, rho_;

 private:
  std::string name_;
};

// Heuristic Generalized Share: restarts towards the recently good, more when the learner does worse
// than it used to.
//
//     EWMA_t(k)   bias-corrected exponentially weighted mean loss of expert k, span kLossSpan
//     q_t(k)      = (1 - eps) softmax(-EWMA_t(k) / tau) + eps / K
//     x_t         = <w_t,l_t> - mean_k l_t(k), how the learner did beside the average expert
//     surprise_t  = fast EWMA of x - slow EWMA of x
//     rho_t       = clamp( rho_0 (1 + c surprise_t), rho_0 / 10, 1/2 )
//     eta_t       = eta
//
// The paper on Policy-Controlled Generalized Share uses such a baseline without defining it. The
// constants were set once, for losses in [0,1], and are the same for every task.

constexpr double kLossSpan = 8;
constexpr double kFastSpan = 4;
constexpr double kSlowSpan = 64;
constexpr double kTemperature = 0.05;  // tau
constexpr double kUniformShare = 0.1;  // eps
constexpr double kSurpriseGain = 20;   // c
constexpr double kHighestRho = 0.5;

// An exponentially weighted mean of the given span decays by this factor a round.
constexpr double decay(double span) { return 1 - 1 / (span + 1); }

class GenShare final : public FixedShare {
 public:
  using FixedShare::FixedShare;

  void reset(std::size_t experts) override {
    sums_.assign(experts, 0.0);
    q_.assign(experts, 0.0);
    mass_ = fast_ = slow_ = fast_mass_ = slow_mass_ = 0;
  }

  Controls after(const Round& round) override {
    const auto experts = static_cast<double>(sums_.size());
    mass_ = advance(mass_, decay(kLossSpan), 1);
    double total = 0;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      sums_[k] = advance(sums_[k], decay(kLossSpan), round.losses[k]);
      total += round.losses[k];
    }
    kernels::softmin(sums_, 1 / (kTemperature * mass_), q_);
    for (double& q : q_) q = (1 - kUniformShare) * q + kUniformShare / experts;

    const double beside_average = round.mixture_loss - total / experts;
    fast_ = advance(fast_, decay(kFastSpan), beside_average);
    fast_mass_ = advance(fast_mass_, decay(kFastSpan), 1);
    slow_ = advance(slow_, decay(kSlowSpan), beside_average);
    slow_mass_ = advance(slow_mass_, decay(kSlowSpan), 1);
    const double surprise = fast_ / fast_mass_ - slow_ / slow_mass_;
    const double rho = std::clamp(rho_ * (1 + kSurpriseGain * surprise), rho_ / 10, kHighestRho);
    return {eta_, rho, q_};
  }

  void save(StateWriter& out) const override {
    // A newcomer is taken to be middling.
    out.experts(sums_, std::accumulate(sums_.begin(), sums_.end(), 0.0) /
                           static_cast<double>(sums_.size()));
    for (const double x : {mass_, fast_, fast_mass_, slow_, slow_mass_}) out.f64(x);
  }

  void load(StateReader& in) override {
    in.f64s(sums_);
    for (const double x : sums_) {
      if (!(x >= 0 && x <= 1)) in.fail("an average loss in it is outside [0, 1]");
    }
    mass_ = in.f64_within(0, 1, "an averaging mass");
    fast_ = in.f64_within(-1, 1, "an average");
    fast_mass_ = in.f64_within(0, 1, "an averaging mass");
    slow_ = in.f64_within(-1, 1, "an average");
    slow_mass_ = in.f64_within(0, 1, "an averaging mass");
  }

 private:
  static double advance(double average, double keep, double value) {
    return keep * average + (1 - keep) * value;
  }

  // Averages not yet corrected for their start at zero; dividing by the mass of the weights
  // corrects.
  std::vector<double> sums_;  // [K]
  double mass_ = 0, fast_ = 0, fast_mass_ = 0, slow_ = 0, slow_mass_ = 0;
  std::vector<double> q_;  // [K]
};

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

constexpr std::size_t kSpans = 13;
constexpr double kPastUniformShare = 0.01;  // eps

class PastPosteriors final : public FixedShare {
 public:
  using FixedShare::FixedShare;

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
    const double uniform = kPastUniformShare / static_cast<double>(experts_);
    for (double& q : q_) q = (1 - kPastUniformShare) * q / total + uniform;
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
  std::size_t experts_ = 0;
  std::vector<double> sums_;             // [span][K] decayed sums of posteriors
  std::array<double, kSpans> masses_{};  // [span] decayed number of posteriors
  std::vector<double> q_;                // [K]
  std::vector<double> posterior_;        // [K] scratch
  bool started_ = false;
};

template <class Made>
std::unique_ptr<Controller> restarting(const char* name, double eta, double rho) {
  return std::make_unique<Made>(fmt::format("{}{{eta={},rho={}}}", name, eta, rho), eta, rho);
}

}  // namespace

std::unique_ptr<Controller> make_hedge(double eta) {
  return std::make_unique<FixedShare>(fmt::format("hedge{{eta={}}}", eta), eta, 0);
}

std::unique_ptr<Controller> make_fixed_share(double eta, double rho) {
  return restarting<FixedShare>("fixed-share", eta, rho);
}
std::unique_ptr<Controller> make_genshare(double eta, double rho) {
  return restarting<GenShare>("genshare", eta, rho);
}
std::unique_ptr<Controller> make_past_posteriors(double eta, double rho) {
  return restarting<PastPosteriors>("past-posteriors", eta, rho);
}

}  // namespace pcgs
