#include "pcgs/share.h"

#include <algorithm>
#include <cmath>

#include "core/invariant.h"
#include "core/kernels.h"

namespace pcgs {

Share::Share(std::size_t experts, std::span<const double> initial)
    : experts_(experts),
      mantissa_(padded(experts)),
      debt_(padded(experts)),
      weights_(padded(experts)) {
  invariant(experts > 0, "a Share has at least one expert");
  invariant(initial.empty() || initial.size() == experts, "one initial weight per expert");
  double total = 0;
  for (std::size_t k = 0; k < experts; ++k) {
    const double w = initial.empty() ? 1.0 / static_cast<double>(experts) : initial[k];
    invariant(w >= 0, "initial weights are not negative");
    mantissa_[k] = weights_[k] = w < kernels::kSmallestPlain ? 0 : w;
    total += w;
  }
  invariant(std::abs(total - 1) < 1e-9, "initial weights sum to 1");
}

const ShareStep& Share::step(std::span<const double> losses, const Controls& controls) {
  const auto& [eta, rho, q] = controls;
  invariant(losses.size() == experts_, "one loss per expert");
  invariant(q.empty() || q.size() == experts_, "one restart probability per expert");
  invariant(eta > 0 && std::isfinite(eta), "eta is positive and finite");
  invariant(rho >= 0 && rho < 1, "rho is in [0,1)");
  const auto sums =
      kernels::share_step({mantissa_.data(), debt_.data(), weights_.data()}, losses.data(),
                          experts_, eta, rho, q.empty() ? nullptr : q.data());
  // Also false for NaN, from whichever loss or restart probability it came.
  invariant(std::abs(sums.total - 1) < 1e-9, "losses are finite and q is on the simplex");
  last_.controls = controls;
  last_.mix_loss = sums.minus_log_z / eta;
  // In exact arithmetic the gap lies in [0, eta/8] for losses in [0,1] (Hoeffding); for tiny eta
  // the rounding of ln Z divided by eta can leave it.
  last_.gap = std::clamp(sums.mean_loss - last_.mix_loss, 0.0, eta / 8);
  return last_;
}

void Share::save(StateWriter& out) const {
  out.f64s({mantissa_.data(), experts_});
  out.f64s({debt_.data(), experts_});
  out.f64s({weights_.data(), experts_});
}

void Share::load(StateReader& in) {
  in.f64s({mantissa_.data(), experts_});
  in.f64s({debt_.data(), experts_});
  in.f64s({weights_.data(), experts_});
  double total = 0;
  bool sane = true;
  for (std::size_t k = 0; k < experts_; ++k) {
    const double mantissa = mantissa_[k];
    const double debt = debt_[k];
    const double weight = weights_[k];
    const bool plain = weight >= kernels::kSmallestPlain;
    sane =
        sane && (mantissa == 0 || (mantissa >= kernels::kSmallestPlain && mantissa <= 2)) &&
        (plain ? weight == mantissa && debt == 0
               : weight >= 0 && debt >= 0 && std::isfinite(debt) && (debt > 0) == (mantissa > 0));
    total += weights_[k];
  }
  if (!sane || !(std::abs(total - 1) < 1e-9)) in.fail("its weights are not on the simplex");
  last_ = {};
}

}  // namespace pcgs
