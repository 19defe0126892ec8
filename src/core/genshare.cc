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
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/controllers.h"
#include "core/kernels.h"

namespace pcgs {

namespace {

constexpr double kLossSpan = 8;
constexpr double kFastSpan = 4;
constexpr double kSlowSpan = 64;
constexpr double kTemperature = 0.05;  // tau
constexpr double kUniformShare = 0.1;  // eps
constexpr double kSurpriseGain = 20;   // c
constexpr double kHighestRho = 0.5;

// An exponentially weighted mean of the given span decays by this factor a round.
constexpr double decay(double span) { return 1 - 1 / (span + 1); }

class GenShare final : public Controller {
 public:
  GenShare(double eta, double rho) : eta_(eta), rho_(rho) {}

  std::string name() const override { return fmt::format("genshare{{eta={},rho={}}}", eta_, rho_); }

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

  double eta_;
  double rho_;
  // Averages not yet corrected for their start at zero; dividing by the mass of the weights
  // corrects.
  std::vector<double> sums_;  // [K]
  double mass_ = 0, fast_ = 0, fast_mass_ = 0, slow_ = 0, slow_mass_ = 0;
  std::vector<double> q_;  // [K]
};

}  // namespace

std::unique_ptr<Controller> make_genshare(double eta, double rho) {
  return std::make_unique<GenShare>(eta, rho);
}

}  // namespace pcgs
