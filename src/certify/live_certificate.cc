// best_path() and its sharp certificate, one round at a time:
//
//     sum_t eta_t (paid_t - l_t(p_t)) <= code(p) + sum_t eta_t (paid_t - m_t)
//
// where m_t = -ln(Z_t) / eta_t is the mix loss; paid_t - m_t is the mixability gap where the losses
// came in time, and the gap plus what lateness cost where they did not.
#include <cmath>
#include <limits>

#include "certify/path_steps.h"
#include "core/invariant.h"
#include "pcgs/certify.h"
#include "pcgs/error.h"

namespace pcgs {

LiveCertificate::LiveCertificate(std::size_t experts, std::span<const double> initial)
    : ways_(experts) {
  invariant(experts > 0, "a LiveCertificate has at least one expert");
  invariant(initial.empty() || initial.size() == experts, "one initial weight per expert");
  for (std::size_t k = 0; k < experts; ++k) {
    ways_[k].code = certify::start_cost(initial, experts, k);
  }
}

void LiveCertificate::observe(std::span<const double> losses, const ShareStep& step,
                              double mixture_loss) {
  invariant(losses.size() == ways_.size(), "one loss per expert");
  const double eta = step.controls.eta;
  const std::size_t best = certify::charge(ways_, losses, eta);
  best_ = ways_[best];
  // The price of the step to the next round is known now; best_ does not contain it yet.
  certify::move_on(ways_, best, step.controls, [](std::size_t) {});

  constant_eta_ = rounds_ == 0 || constant_eta_ == eta ? eta : 0;
  ++rounds_;
  total_eta_ += eta;
  weighted_paid_ += eta * mixture_loss;
  realised_gaps_ += eta * (mixture_loss - step.mix_loss);
}

Certificate LiveCertificate::weighted() const {
  return {weighted_paid_ - best_.weighted_loss, best_.code + realised_gaps_,
          certify::rounding_of(rounds_, ways_.size(), total_eta_, best_.code)};
}

Certificate LiveCertificate::certificate() const {
  if (constant_eta_ == 0 && rounds_ > 0) {
    throw Error("eta was not the same in every round; only the weighted regret is bounded");
  }
  const double unit = rounds_ == 0 ? 1 : constant_eta_;
  const Certificate w = weighted();
  return {w.regret / unit, w.bound / unit, w.rounding / unit};
}

void LiveCertificate::save(StateWriter& out) const {
  const auto save_cost = [&](const PathCost& cost) {
    out.f64(cost.loss);
    out.f64(cost.weighted_loss);
    out.f64(cost.code);
    out.u64(cost.switches);
  };
  out.u64(rounds_);
  for (const double x : {constant_eta_, total_eta_, weighted_paid_, realised_gaps_}) out.f64(x);
  save_cost(best_);
  for (const PathCost& way : ways_) save_cost(way);
}

void LiveCertificate::load(StateReader& in) {
  constexpr double kMost = 1e300;  // nothing in it can overflow soon
  rounds_ = in.u64();
  if (rounds_ >= std::uint64_t{1} << 62) in.fail("a count of rounds in it is out of range");
  constant_eta_ = in.f64_within(0, kMost, "eta");
  total_eta_ = in.f64_within(0, kMost, "the sum of eta");
  weighted_paid_ = in.f64_within(0, kMost, "the weighted loss");
  realised_gaps_ = in.f64_within(-kMost, kMost, "the sum of gaps");
  const auto load_cost = [&](PathCost& cost, double most_code) {
    cost.loss = in.f64_within(0, kMost, "the loss of a path");
    cost.weighted_loss = in.f64_within(0, kMost, "the weighted loss of a path");
    cost.code = in.f64_within(0, most_code, "the code length of a path");
    cost.switches = in.u64();
    if (cost.switches > rounds_) in.fail("a path in it has more switches than rounds");
  };
  load_cost(best_, kMost);
  bool any = false;
  for (PathCost& way : ways_) {
    load_cost(way, std::numeric_limits<double>::infinity());
    any = any || std::isfinite(way.code);
  }
  if (!any) in.fail("its certificate rules out every path");
}

}  // namespace pcgs
