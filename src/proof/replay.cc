#include "proof/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pcgs/error.h"

namespace pcgs::verify {

namespace {

// Where rounding explains more than this, relatively, nothing can be said about a row.
constexpr double kMostDrift = 1e-4;
constexpr double kSimplexTolerance = 5e-10;
constexpr double kVisible =
    -322.3619130191664;  // ln 1e-140: weights below are played as 0 (see Share)
// Beyond this logarithms and their drift stop, so that they stay numbers.
constexpr double kLeast = -1e300;
constexpr double kNever = -std::numeric_limits<double>::infinity();

// ln(exp(a) + exp(b)), and the share of a in the sum.
struct LogSum {
  double value, share;
};
LogSum log_add(double a, double b) {
  const double high = std::max(a, b);
  if (high == kNever) return {kNever, 1};
  const double difference = std::exp(-std::abs(a - b));
  const double low_share = difference / (1 + difference);
  return {high + std::log1p(difference), a >= b ? 1 - low_share : low_share};
}

// ln sum_k exp(x(k))
double log_sum(std::span<const double> x) {
  const double highest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double one : x) sum += std::exp(one - highest);
  return highest + std::log(sum);
}

[[noreturn]] void refuse(const std::string& what) { throw Error(what); }

}  // namespace

Replay::Replay(std::size_t experts)
    : log_weights_(experts, -std::log(static_cast<double>(experts))),
      drift_(experts, 0.0),
      history_(log_weights_),
      updated_(experts),
      updated_drift_(experts) {}

void Replay::check_ranges(const TraceRow& row) const {
  const auto& [eta, rho, q] = row.step->controls;
  for (std::size_t k = 0; k < log_weights_.size(); ++k) {
    const double loss = row.round.losses[k];
    if (!(loss >= 0 && loss <= 1)) {
      refuse(fmt::format("has the loss {}; it must be in [0, 1]", loss));
    }
    if (!row.round.is_awake(k) && row.played[k] != 0) {
      refuse(fmt::format("has the weight {} where an expert slept", row.played[k]));
    }
  }
  if (!(eta > 0 && std::isfinite(eta))) {
    refuse(fmt::format("has eta {}; it must be positive and finite", eta));
  }
  if (!(rho >= 0 && rho < 1)) refuse(fmt::format("has rho {}; it must be in [0, 1)", rho));
  double total = 0;
  for (const double x : q) {
    if (!(x >= 0)) refuse(fmt::format("has the restart probability {}", x));
    total += x;
  }
  if (!(std::abs(total - 1) <= kSimplexTolerance)) {
    refuse(fmt::format("has restart probabilities that sum to {}", total));
  }
}

double Replay::mean_drift() const {
  double mean = 0;
  for (std::size_t k = 0; k < drift_.size(); ++k) mean += std::exp(log_weights_[k]) * drift_[k];
  return mean;
}

// Whether the recursion, with these weights, would have played what the row says: what is visible,
// renormalised over the awake; evenly where none of them is.
bool Replay::could_have_played(const TraceRow& row, std::span<const double> log_weights) const {
  const std::size_t experts = log_weights.size();
  const auto& round = row.round;
  // A weight at the limit is played or not, and the row says which.
  const auto is_played = [&](std::size_t k) {
    const double above = log_weights[k] - kVisible;
    const double off = drift_[k] + kRounding * (8 - kVisible);
    return above > 4 * off || (above >= -4 * off && row.played[k] > 0);
  };
  std::size_t awake = 0;
  std::vector<double> played;  // logarithms
  for (std::size_t k = 0; k < experts; ++k) {
    if (!round.is_awake(k)) continue;
    ++awake;
    if (is_played(k)) played.push_back(log_weights[k]);
  }
  if (awake == 0) return false;
  const bool even = played.empty();
  // Where nobody sleeps, nothing is renormalised.
  const double log_total = even || awake == experts ? 0 : log_sum(played);
  // What is below the limit may have been left as it is.
  const double unseen = even ? 0 : std::min(100 * std::exp(kVisible - log_total), 1e-30);
  double drift = 0;  // of the total
  for (std::size_t k = 0; k < experts && !even; ++k) {
    if (round.is_awake(k)) drift += std::exp(log_weights[k] - log_total) * drift_[k];
  }
  for (std::size_t k = 0; k < experts; ++k) {
    if (!round.is_awake(k)) continue;
    double expected = 0, off = 2 * kRounding;
    if (even) {
      expected = 1 / static_cast<double>(awake);
    } else if (is_played(k)) {
      expected = std::exp(log_weights[k] - log_total);
      off = drift_[k] + drift +
            kRounding * (static_cast<double>(experts) + 8 + std::abs(log_weights[k]) - log_total);
    }
    // A weight that rounding explains, whatever it is, is not checked, and so not agreed with.
    if (!(off <= kMostDrift && row.played[k] >= 0)) return false;
    if (!(std::abs(row.played[k] - expected) <= 4 * off * expected + unseen)) return false;
  }
  return true;
}

Replay::Paid Replay::next(const TraceRow& row) {
  const std::size_t experts = log_weights_.size();
  const auto& losses = row.round.losses;
  check_ranges(row);
  if (row.has_forecast() && row.forecast_loss < 0) {
    refuse("has a forecast that lost less than nothing");
  }
  if (!numbers_.insert(row.round.number).second) refuse("is there twice");
  const auto& [eta, rho, q] = row.step->controls;

  const bool on_time = could_have_played(row, log_weights_);
  bool late = false;
  for (std::size_t t = rounds(); t-- > 0 && !on_time && !late;) {
    late = could_have_played(row, std::span(history_).subspan(t * experts, experts));
  }
  if (!on_time && !late) refuse("has weights that the recursion never had");

  Paid paid;
  paid.eta = eta;
  Bounded played;
  const double before = mean_drift();
  for (std::size_t k = 0; k < experts; ++k) {
    played += Bounded::rounded(row.played[k] * losses[k], 0);
    const double weight = std::exp(log_weights_[k]);
    const double off = drift_[k] + before + kRounding * (1 + std::abs(log_weights_[k]));
    paid.on_time += Bounded::rounded(weight * losses[k], weight * losses[k] * off);
  }
  if (!agrees(row.round.mixture_loss, played)) {
    refuse("has a mixture loss that is not its weights' loss");
  }
  paid.mixture = on_time ? paid.on_time : played;

  // w(k) exp(-eta l(k)) and their sum Z.
  for (std::size_t k = 0; k < experts; ++k) {
    updated_[k] = std::max(log_weights_[k] - eta * losses[k], kLeast);
    // Ours has the logarithm of the weight in every term, and so has theirs where it is very small.
    updated_drift_[k] = drift_[k] + kRounding * (static_cast<double>(experts) + 8 +
                                                 eta * losses[k] + std::abs(log_weights_[k]));
  }
  const double log_z = log_sum(updated_);
  double after = 0;
  for (std::size_t k = 0; k < experts; ++k) {
    after += std::exp(updated_[k] - log_z) * updated_drift_[k];
  }
  // Weights sum to 1 before and after, whatever their drift: it moves Z only as far as they differ.
  double off = kRounding * (2 * static_cast<double>(experts) + 16 + std::abs(log_z));
  for (std::size_t k = 0; k < experts; ++k) {
    const double moved = std::abs(std::exp(updated_[k] - log_z) - std::exp(log_weights_[k]));
    off += moved * (updated_drift_[k] + before);
  }
  if (!(off <= kMostDrift && off / eta <= kMostDrift)) {
    refuse(fmt::format(
        "has eta {}, with which rounding alone explains a mix loss that is off by {:.1g}", eta,
        off / std::min(eta, 1.0)));
  }
  paid.mix = Bounded::rounded(-log_z / eta, off / eta);
  if (!agrees(row.step->mix_loss, paid.mix))
    refuse("has a mix loss that the recursion does not give");
  paid.gap = paid.on_time - paid.mix;
  paid.gap.value = std::clamp(paid.gap.value, 0.0, eta / 8);  // Hoeffding
  if (!agrees(row.step->gap, paid.gap)) {
    refuse("has a mixability gap that the recursion does not give");
  }

  // (1 - rho) v(k) + rho q(k)
  for (std::size_t k = 0; k < experts; ++k) {
    const double stays = std::log1p(-rho) + updated_[k] - log_z;
    const double comes = rho > 0 && q[k] > 0 ? std::log(rho) + std::log(q[k]) : kNever;
    const auto [value, share] = log_add(stays, comes);
    log_weights_[k] = value;
    drift_[k] = std::min(share * updated_drift_[k] + (1 - share) * after + 4 * kRounding, -kLeast);
  }
  // They sum to 1 but for what rounding did to large logarithms.
  const double shift = log_sum(log_weights_);
  for (double& w : log_weights_) w = std::max(w - shift, kLeast);
  history_.insert(history_.end(), log_weights_.begin(), log_weights_.end());
  return paid;
}

}  // namespace pcgs::verify
