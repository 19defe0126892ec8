#include "pcgs/share.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels.h"
#include "data/invariant.h"
#include "pcgs/method.h"

namespace pcgs {

void Share::FreeAligned::operator()(double* p) const {
  AlignedAllocator<double>{}.deallocate(p, 0);
}

Share::Share(std::size_t experts, std::span<const double> initial)
    : experts_(experts), arrays_(AlignedAllocator<double>{}.allocate(3 * padded(experts))) {
  const std::span all(arrays_.get(), 3 * padded(experts));
  std::fill(all.begin(), all.end(), 0.0);
  mantissa_ = all.first(padded(experts));
  debt_ = all.subspan(padded(experts), padded(experts));
  weights_ = all.last(padded(experts));
  invariant(experts > 0, "a Share has at least one expert");
  invariant(initial.empty() || initial.size() == experts, "one initial weight per expert");
  double total = 0;
  for (std::size_t k = 0; k < experts; ++k) {
    const double w = initial.empty() ? 1.0 / static_cast<double>(experts) : initial[k];
    invariant(w >= 0, "initial weights are not negative");
    weights_[k] = w < kernels::kSmallestPlain ? 0 : w;
    plain_ = plain_ && weights_[k] > 0;
    total += w;
  }
  invariant(std::abs(total - 1) < 1e-9, "initial weights sum to 1");
  std::copy(weights_.begin(), weights_.end(), mantissa_.begin());
}

const ShareStep& Share::step(std::span<const double> losses, const Controls& controls) {
  const auto& [eta, rho, q] = controls;
  invariant(losses.size() == experts_, "one loss per expert");
  invariant(q.empty() || q.size() == experts_, "one restart probability per expert");
  invariant(eta > 0 && std::isfinite(eta), "eta is positive and finite");
  invariant(rho >= 0 && rho < 1, "rho is in [0,1)");
  const double* restart = q.empty() ? nullptr : q.data();
  kernels::ShareSums sums{};
  if (!plain_ || !kernels::share_step_plain(weights_.data(), mantissa_.data(), losses.data(),
                                            experts_, eta, rho, restart, sums)) {
    if (plain_) std::copy(weights_.begin(), weights_.end(), mantissa_.begin());
    sums = kernels::share_step({mantissa_.data(), debt_.data(), weights_.data()}, losses.data(),
                               experts_, eta, rho, restart);
    plain_ = sums.least >= kernels::kSmallestPlain;
    if (!plain_ && rho > 0) add_small_restarts(controls);
  }
  // Also false for NaN, from whichever loss or restart probability it came.
  invariant(std::abs(sums.total - 1) < 1e-9, "losses are finite and q is on the simplex");
  last_.controls = controls;
  last_.mix_loss = sums.minus_log_z / eta;
  // In exact arithmetic the gap lies in [0, eta/8] for losses in [0,1] (Hoeffding); for tiny eta
  // the rounding of ln Z divided by eta can leave it.
  last_.gap = std::clamp(sums.mean_loss - last_.mix_loss, 0.0, eta / 8);
  return last_;
}

// The kernel leaves out restarts that do not lift a weight to kSmallestPlain. They add up in the
// log domain here: an expert may live on them alone.
void Share::add_small_restarts(const Controls& controls) {
  const double uniform = 1.0 / static_cast<double>(experts_);
  for (std::size_t k = 0; k < experts_; ++k) {
    const double q = controls.q.empty() ? uniform : controls.q[k];
    if (weights_[k] >= kernels::kSmallestPlain || q == 0) continue;
    const double restart = std::log(controls.rho) + std::log(q);
    if (mantissa_[k] == 0) {
      mantissa_[k] = 1;
      debt_[k] = -restart;
    } else {
      const double gained = restart - (std::log(mantissa_[k]) - debt_[k]);
      debt_[k] -=
          gained > 0 ? gained + std::log1p(std::exp(-gained)) : std::log1p(std::exp(gained));
    }
  }
}

double Share::log_weight(std::size_t expert) const {
  return weights_[expert] > 0 ? std::log(weights_[expert])
                              : std::log(mantissa_[expert]) - debt_[expert];
}

Share Share::after(const ExpertChange& change) const {
  std::vector<double> initial = change.shared_out<double>(weights());
  double total = 0;
  for (const double w : initial) total += w;
  for (double& w : initial) w /= total;
  Share out(change.after(), initial);
  if (plain_ && out.plain_) return out;
  // In logarithms: relative to those that stay, whoever has a debt keeps it.
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  std::vector<double> logs(change.after(), kNothing);
  double highest = kNothing, sum = 0;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    if (change.is_new(k)) continue;
    const std::size_t from = change.from(k);
    if (weights_[from] > 0 || mantissa_[from] > 0) logs[k] = log_weight(from);
    highest = std::max(highest, logs[k]);
  }
  if (highest == kNothing) return out;
  for (const double log : logs) sum += std::exp(log - highest);
  out.plain_ = false;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    if (change.is_new(k)) continue;
    const double log = logs[k] - highest - std::log(sum) + std::log(change.staying());
    const double w = std::exp(log);
    const bool comfortable = w >= kernels::kSmallestPlain;
    out.weights_[k] = comfortable ? w : 0;
    out.mantissa_[k] = comfortable ? w : log == kNothing ? 0 : 1;
    out.debt_[k] = comfortable || log == kNothing ? 0 : -log;
  }
  return out;
}

void Share::save(StateWriter& out) const {
  if (out.change() != nullptr) {
    const Share changed = after(*out.change());
    const StateWriter::Changing nobody(out, nullptr);
    changed.save(out);
    return;
  }
  out.f64s(weights());
  out.f64s({plain_ ? weights_.data() : mantissa_.data(), experts_});
  out.f64s({debt_.data(), experts_});
}

void Share::load(StateReader& in) {
  in.f64s({weights_.data(), experts_});
  in.f64s({mantissa_.data(), experts_});
  in.f64s({debt_.data(), experts_});
  bool sane = true;
  plain_ = true;
  for (std::size_t k = 0; k < experts_; ++k) {
    const double mantissa = mantissa_[k];
    const double debt = debt_[k];
    const double weight = weights_[k];
    if (weight >= kernels::kSmallestPlain) {
      sane = sane && weight <= 2 && weight == mantissa && debt == 0;
    } else {
      plain_ = false;
      // The debt may round to just below zero where the weight is just below the limit.
      sane = sane && weight >= 0 && std::isfinite(debt) &&
             (mantissa == 0 ? debt == 0
                            : mantissa >= kernels::kSmallestPlain && mantissa <= 2 && debt > -1e-9);
    }
  }
  if (!sane || !on_simplex(weights_)) in.fail("its weights are not on the simplex");
  last_ = {};
}

ShareMethod::ShareMethod(std::size_t experts, std::unique_ptr<Controller> controller)
    : share_(experts), controller_(std::move(controller)) {
  controller_->reset(experts);
}

void ShareMethod::learn(const Round& round) {
  share_.step(round.losses, controller_->after(round));
}

void ShareMethod::save(StateWriter& out) const {
  share_.save(out);
  controller_->save(out);
}

void ShareMethod::load(StateReader& in) {
  share_.load(in);
  controller_->load(in);
}

}  // namespace pcgs
