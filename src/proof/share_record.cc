#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.h"
#include "pcgs/certificates.h"
#include "pcgs/error.h"
#include "proof/path_certificates.h"

namespace pcgs {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Weights this small are kept in another form (see Share) and may be shown as 0.
constexpr double kInvisible = 1e-138;
constexpr double kSimplexTolerance = 5e-10;
constexpr double kMostTolerance = 1e-2;  // of a weight, relatively

std::size_t checked(std::size_t experts, std::span<const double> initial) {
  if (experts == 0)
    throw Error(ErrorKind::kMissing, {.field = "experts"},
                "a certificate needs at least one expert");
  if (!initial.empty() && (initial.size() != experts || !on_simplex(initial, kSimplexTolerance))) {
    throw Error(
        ErrorKind::kValue, {.field = "initial"},
        fmt::format(
            "the initial weights of a certificate are not on the simplex; give {} that sum to 1",
            experts));
  }
  return experts;
}

bool near(double a, double b, double relative, double absolute) {
  return std::abs(a - b) <= relative * std::abs(b) + absolute;
}

bool is_uniform(std::span<const double> q) {
  const double uniform = 1.0 / static_cast<double>(q.size());
  return std::all_of(q.begin(), q.end(), [=](double x) { return x == uniform; });
}

// An expert with no weight and the learner's loss may have slept, where the row does not know; if it did
// not, its weight was 0 anyway.
bool may_have_slept(const TraceRow& row, std::size_t k) {
  return row.played[k] == 0 &&
         (!row.round.is_awake(k) || row.round.losses[k] == row.round.mixture_loss);
}

}  // namespace

ShareRecord::ShareRecord(std::size_t experts, std::span<const double> initial)
    : share_(checked(experts, initial), initial) {
  weights_.assign(share_.weights().begin(), share_.weights().end());
}

ShareRecord ShareRecord::of(const Trace& trace, std::span<const double> initial) {
  if (trace.rows().empty())
    throw Error(ErrorKind::kMissing, {.field = "trace"},
                "the trace has no rounds; there is nothing to certify");
  ShareRecord record(trace.rows().front().weights.size(), initial);
  for (const Trace::Row& row : trace.rows()) {
    const ShareStep step{{row.eta, row.rho, row.q}, row.mix_loss, row.gap};
    pcgs::Round round;
    round.number = row.round;
    round.losses = row.losses;
    round.mixture_loss = row.mixture_loss;
    round.learner_loss = row.learner_loss;
    round.scale = row.scale;
    record.add(TraceRow{round, row.weights, row.q.empty() ? nullptr : &step, row.forecast_loss});
  }
  return record;
}

Controls ShareRecord::controls(std::size_t t) const {
  const Round& round = rounds_[t];
  Controls controls{round.eta, round.rho, {}};
  if (round.q != kUniform) controls.q = {q_.data() + round.q, experts()};
  return controls;
}

std::span<const double> ShareRecord::weights(std::size_t t) const {
  return {weights_.data() + t * experts(), experts()};
}

void ShareRecord::add(std::span<const double> losses, const Controls& controls) {
  if (const auto objection = objection_to(losses, controls); !objection.empty()) {
    throw Error(ErrorKind::kValue, {.field = "losses"},
                fmt::format("round {} {}", rounds() + 1, objection));
  }
  const double paid = kernels::dot(share_.weights(), losses);
  learn(losses, controls, {paid, paid, 1});
}

void ShareRecord::add(const TraceRow& row) {
  const auto reject = [&](std::string_view what) {
    throw Error(ErrorKind::kMismatch, {.field = "trace"},
                fmt::format("round {} of the trace {}", row.round.number, what));
  };
  if (row.step == nullptr) reject("has no controls; only methods of the share form are certified");
  if (row.played.size() != experts()) reject("has another number of experts");
  if (!numbers_.insert(row.round.number).second) reject("is there twice");
  const Controls& controls = row.step->controls;
  if (const auto objection = objection_to(row.round.losses, controls); !objection.empty()) {
    reject(objection);
  }

  // Beyond that nothing would be checked.
  if (!(tolerance() <= kMostTolerance)) {
    reject("comes after rates of learning that leave no digits");
  }
  const bool on_time = could_have_played(row, weights(rounds()));
  bool late = false;
  for (std::size_t t = rounds(); t-- > 0 && !on_time && !late;) {
    late = could_have_played(row, weights(t));
  }
  if (!on_time && !late) reject("has weights that the recursion never had");
  const double paid = kernels::dot(row.played, row.round.losses);
  const auto k = static_cast<double>(experts());
  if (!near(row.round.mixture_loss, paid, 4 * (k + 8) * kEpsilon, 0)) {
    reject("has a mixture loss that is not its weights' loss");
  }
  late_rounds_ += late ? 1 : 0;
  forecasts_ += row.has_forecast() ? 1u : 0u;

  // -ln Z is as uncertain as a weight is, relatively, and the mix loss that divided by eta.
  const double uncertain = 4 * (k + drift_ + 8 + controls.eta) * kEpsilon / controls.eta;
  const double mixture = on_time ? kernels::dot(share_.weights(), row.round.losses) : paid;
  learn(row.round.losses, controls,
        {mixture, row.has_forecast() ? row.combined_loss() : mixture, row.round.scale});
  if (!near(row.step->mix_loss, share_.last().mix_loss, 0, uncertain)) {
    reject("has a mix loss that the recursion does not give");
  }
  if (!near(row.step->gap, share_.last().gap, 0, uncertain)) {
    reject("has a mixability gap that the recursion does not give");
  }
}

double ShareRecord::tolerance() const {
  return 4 * (static_cast<double>(experts()) + drift_ + 8) * kEpsilon;
}

std::string ShareRecord::objection_to(std::span<const double> losses,
                                      const Controls& controls) const {
  const auto& [eta, rho, q] = controls;
  if (losses.size() != experts()) {
    return fmt::format("has {} losses for {} experts", losses.size(), experts());
  }
  for (const double l : losses) {
    if (!(l >= 0 && l <= 1)) return fmt::format("has the loss {}; it must be in [0, 1]", l);
  }
  if (!(eta > 0 && std::isfinite(eta))) {
    return fmt::format("has eta {}; it must be positive and finite", eta);
  }
  if (!(rho >= 0 && rho < 1)) return fmt::format("has rho {}; it must be in [0, 1)", rho);
  if (!q.empty() && (q.size() != experts() || !on_simplex(q, kSimplexTolerance))) {
    return fmt::format("has restart probabilities that are not {} numbers summing to 1", experts());
  }
  return {};
}

// Whether the recursion, holding these weights, would have played what the row says.
bool ShareRecord::could_have_played(const TraceRow& row, std::span<const double> weights) const {
  double awake_weight = 0;
  std::size_t awake = 0;
  for (std::size_t k = 0; k < experts(); ++k) {
    if (may_have_slept(row, k)) continue;
    awake_weight += weights[k];
    ++awake;
  }
  if (awake == 0) return false;
  const bool normal = awake_weight >= std::numeric_limits<double>::min();
  const double total = awake == experts() ? 1 : awake_weight;
  const double even = 1.0 / static_cast<double>(awake);
  const double relative = tolerance();
  for (std::size_t k = 0; k < experts(); ++k) {
    if (may_have_slept(row, k)) continue;
    const double expected = normal ? weights[k] / total : even;
    const double unseen = normal ? std::min(kInvisible / total, kEpsilon) : 0;
    if (!near(row.played[k], expected, relative, unseen)) return false;
  }
  return true;
}

void ShareRecord::learn(std::span<const double> losses, const Controls& controls,
                        const LiveCertificate::Paid& paid) {
  const auto& [eta, rho, q] = controls;
  const double on_time = kernels::dot(share_.weights(), losses);
  const bool uniform = q.empty() || is_uniform(q);
  const ShareStep& step = share_.step(losses, controls);
  rounds_.push_back({eta, rho, paid.mixture, step.gap, uniform ? kUniform : q_.size()});
  if (!uniform) q_.insert(q_.end(), q.begin(), q.end());
  losses_.insert(losses_.end(), losses.begin(), losses.end());
  weights_.insert(weights_.end(), share_.weights().begin(), share_.weights().end());

  constant_eta_ = rounds() == 1 || constant_eta_ == eta ? eta : 0;
  total_eta_ += eta;
  const double rate = eta / paid.scale;
  total_rate_ += rate;
  total_paid_ += paid.mixture;
  weighted_paid_ += eta * paid.mixture;
  realised_gaps_ += eta * step.gap + eta * (paid.mixture - on_time);
  worst_gaps_ += eta * (eta / 8) + eta * (paid.mixture - on_time);
  weighted_combined_ += eta * paid.combined;
  combined_gaps_ += eta * (paid.combined - step.mix_loss);
  drift_ += eta + 8;
  // A weight that is kept as a debt in nats is as uncertain, relatively, as the debt is absolutely.
  const auto w = share_.weights();
  if (*std::min_element(w.begin(), w.end()) < kInvisible) drift_ += total_eta_;
}

}  // namespace pcgs
