// best_path() and its sharp certificate, one round at a time:
//
//     sum_t eta_t (paid_t - l_t(p_t)) <= code(p) + sum_t eta_t (paid_t - m_t)
//
// where m_t = -ln(Z_t) / eta_t is the mix loss; paid_t - m_t is the mixability gap where the losses
// came in time, and the gap plus what lateness cost where they did not.
#include "pcgs/live_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/invariant.h"
#include "pcgs/error.h"
#include "proof/path_steps.h"

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
                              const Paid& paid) {
  invariant(losses.size() == ways_.size(), "one loss per expert");
  const double eta = step.controls.eta;
  const std::size_t best = certify::charge(ways_, losses, eta);
  best_ = ways_[best];
  // The price of the step to the next round is known now; best_ does not contain it yet.
  certify::move_on(ways_, best, step.controls, [](std::size_t) {});

  const double rate = eta / paid.scale;
  constant_eta_ = rounds_ == 0 || constant_eta_ == eta ? eta : 0;
  constant_rate_ = rounds_ == 0 || constant_rate_ == rate ? rate : 0;
  ++rounds_;
  total_eta_ += eta;
  total_rate_ += rate;
  weighted_paid_ += eta * paid.mixture;
  realised_gaps_ += eta * (paid.mixture - step.mix_loss);
  weighted_combined_ += eta * paid.combined;
  combined_gaps_ += eta * (paid.combined - step.mix_loss);
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

Certificate LiveCertificate::combined() const {
  if (rounds_ == 0) return {};
  const double rounding = certify::rounding_of(
      rounds_, ways_.size(), std::max(total_eta_, weighted_combined_), best_.code);
  return {(weighted_combined_ - best_.weighted_loss) / total_rate_,
          (best_.code + combined_gaps_) / total_rate_, rounding / total_rate_};
}

void LiveCertificate::save(StateWriter& out) const {
  const auto save_cost = [&](const PathCost& cost) {
    out.f64(cost.loss);
    out.f64(cost.weighted_loss);
    out.f64(cost.code);
    out.u64(cost.switches);
  };
  out.u64(rounds_);
  for (const double x : {constant_eta_, total_eta_, weighted_paid_, realised_gaps_, constant_rate_,
                         total_rate_, weighted_combined_, combined_gaps_}) {
    out.f64(x);
  }
  save_cost(best_);
  const auto ways = out.change() == nullptr
                        ? ways_
                        : certify::changed(ways_, certify::cheapest(ways_), *out.change(),
                                           out.change()->after(), rounds_);
  for (const PathCost& way : ways) save_cost(way);
}

void LiveCertificate::load(StateReader& in) {
  constexpr double kMost = 1e300;  // nothing in it can overflow soon
  rounds_ = in.u64();
  if (rounds_ >= std::uint64_t{1} << 62) in.fail("a count of rounds in it is out of range");
  constant_eta_ = in.f64_within(0, kMost, "eta");
  total_eta_ = in.f64_within(0, kMost, "the sum of eta");
  weighted_paid_ = in.f64_within(0, kMost, "the weighted loss");
  realised_gaps_ = in.f64_within(-kMost, kMost, "the sum of gaps");
  constant_rate_ = in.f64_within(0, kMost, "the rate");
  total_rate_ = in.f64_within(0, kMost, "the sum of rates");
  weighted_combined_ = in.f64_within(0, kMost, "the weighted loss of forecasts");
  combined_gaps_ = in.f64_within(-kMost, kMost, "the sum of gaps of forecasts");
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
