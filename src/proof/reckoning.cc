#include "proof/reckoning.h"

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
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNever = -kInfinite;

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

using Claim = results::CertificateFile::Claim;

std::size_t index_of(std::span<const std::string> names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw Error(fmt::format("names the expert {}, which the trace does not have", name));
  return static_cast<std::size_t>(at - names.begin());
}

void expect(const std::string& field, double claimed, Bounded ours) {
  if (agrees(claimed, ours)) return;
  throw Error(fmt::format("{} is {} and should be {}", field, claimed, ours.value));
}

template <class T>
void expect_same(const std::string& field, const T& claimed, const T& ours) {
  if (claimed == ours) return;
  throw Error(fmt::format("{} is {} and should be {}", field, claimed, ours));
}

// regret <= bound in exact arithmetic; then the certificate says so.
void expect_holds(const std::string& at, bool claimed, Bounded regret, Bounded bound) {
  const Bounded left = bound - regret;
  expect_same(at + "holds", claimed, left.value >= -4 * left.error);
  if (!claimed) throw Error(fmt::format("{}regret exceeds its bound", at));
}

}  // namespace

Replay::Replay(std::size_t experts)
    : log_weights_(experts, -std::log(static_cast<double>(experts))),
      drift_(experts, 0.0),
      history_(log_weights_),
      updated_(experts),
      updated_drift_(experts) {}

void Replay::check_ranges(const TraceRow& row) const {
  const auto& [eta, rho, q] = row.step->controls;
  if (!(eta > 0 && std::isfinite(eta))) {
    throw Error(fmt::format("has eta {}; it must be positive and finite", eta));
  }
  if (!(rho >= 0 && rho < 1)) throw Error(fmt::format("has rho {}; it must be in [0, 1)", rho));
  double total = 0;
  for (const double x : q) {
    if (!(x >= 0)) throw Error(fmt::format("has the restart probability {}", x));
    total += x;
  }
  if (!(std::abs(total - 1) <= kSimplexTolerance)) {
    throw Error(fmt::format("has restart probabilities that sum to {}", total));
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

Replay::Paid Replay::next(const TraceRow& row, Bounded played) {
  const std::size_t experts = log_weights_.size();
  const auto& losses = row.round.losses;
  check_ranges(row);
  if (row.has_forecast() && row.forecast_loss < 0) {
    throw Error("has a forecast that lost less than nothing");
  }
  const auto& [eta, rho, q] = row.step->controls;

  const bool on_time = could_have_played(row, log_weights_);
  bool late = false;
  for (std::size_t t = rounds(); t-- > 0 && !on_time && !late;) {
    late = could_have_played(row, std::span(history_).subspan(t * experts, experts));
  }
  if (!on_time && !late) throw Error("has weights that the recursion never had");

  Paid paid;
  paid.eta = eta;
  const double before = mean_drift();
  for (std::size_t k = 0; k < experts; ++k) {
    const double weight = std::exp(log_weights_[k]);
    const double off = drift_[k] + before + kRounding * (1 + std::abs(log_weights_[k]));
    paid.on_time += Bounded::rounded(weight * losses[k], weight * losses[k] * off);
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
    throw Error(fmt::format(
        "has eta {}, with which rounding alone explains a mix loss that is off by {:.1g}", eta,
        off / std::min(eta, 1.0)));
  }
  paid.mix = Bounded::rounded(-log_z / eta, off / eta);
  if (!agrees(row.step->mix_loss, paid.mix))
    throw Error("has a mix loss that the recursion does not give");
  paid.gap = paid.on_time - paid.mix;
  paid.gap.value = std::clamp(paid.gap.value, 0.0, eta / 8);  // Hoeffding
  if (!agrees(row.step->gap, paid.gap)) {
    throw Error("has a mixability gap that the recursion does not give");
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

Reckoning::Reckoning(const results::CertificateFile::Method& claimed,
                     std::span<const std::string> experts, bool squared)
    : claimed_(claimed),
      names_(experts),
      squared_(squared),
      replay_(experts.size()),
      q_(experts.size()),
      stays_(experts.size()),
      any_(experts.size()) {
  for (const auto& [from, expert] : claimed.best_path.path) {
    const std::size_t k = index_of(experts, expert);
    const bool first = stretches_.empty();
    if (first ? from != 1 : from <= stretches_.back().first + 1 || k == stretches_.back().second) {
      throw Error(fmt::format(
          "best_path/path has a stretch from {} that is not after the one before", from));
    }
    stretches_.emplace_back(from - 1, k);
  }
  if (stretches_.empty()) throw Error("best_path/path is empty");
  for (const auto& one : claimed.switching) most_switches_ = std::max(most_switches_, one.switches);
  const std::vector<double> none(experts.size());
  if (!claimed.switching.empty()) fewer_.push_back({none, none});
}

// -ln A(i -> j) with A = (1 - rho) [i = j] + rho q(j), for the step from the round before.
double Reckoning::step_cost(std::size_t from, std::size_t to) const {
  if (from != to) return -std::log(rho_) - std::log(q_[to]);
  return -std::log1p(-std::max(0.0, rho_ * (1 - q_[to])));
}

void Reckoning::walk(Path& path, const TraceRow& row, std::size_t from, std::size_t to) const {
  const double start = std::log(static_cast<double>(names_.size()));
  const double cost = rounds_ == 0 ? start : step_cost(from, to);
  path.code += Bounded::rounded(cost, 2 * kRounding);
  path.loss += {row.round.losses[to], 0};
  path.weighted_loss += Bounded::rounded(row.step->controls.eta * row.round.losses[to], 0);
}

// The step of the path from the round before, by what it is paid for. With rho_max = 1/2 the paper's
// Theorem 2 charges -2 rho_max ln(1 - rho / rho_max) = -ln(1 - 2 rho) for a stay, and for a switch what
// it costs.
void Reckoning::add_parts(std::size_t from, std::size_t to) {
  const auto experts = static_cast<double>(names_.size());
  if (rounds_ == 0) {
    parts_.start = std::log(experts);
    return;
  }
  cross_entropy_ -= std::log(q_[to]);
  if (!(rho_ <= 0.5)) aligned_stays_ = kInfinite;
  if (from == to) {
    parts_.stays += step_cost(to, to);
    parts_.uniform_stays -= std::log1p(-rho_ * (1 - 1 / experts));
    aligned_stays_ -= std::log1p(-2 * std::min(rho_, 0.5));
  } else {
    ++parts_.switches;
    parts_.restarts -= std::log(rho_);
    parts_.where_to -= std::log(q_[to]);
    parts_.uniform_where_to += std::log(experts);
  }
}

// One round of the minima over all paths. The cheapest way to come by a switch is from the cheapest of
// all; where that is no switch, staying costs no more.
void Reckoning::sweep(const TraceRow& row) {
  const double eta = row.step->controls.eta;
  const double unit = claimed_.weighted ? eta : 1;
  const std::size_t experts = names_.size();
  const double start = std::log(static_cast<double>(experts));
  const double cheapest = *std::min_element(any_.begin(), any_.end());
  std::vector<double> stay(experts), change(experts);
  for (std::size_t k = 0; k < experts && rounds_ > 0; ++k) {
    stay[k] = step_cost(k, k);
    change[k] = std::max(stay[k], step_cost(experts, k));
  }
  for (std::size_t k = 0; k < experts; ++k) {
    any_[k] = (rounds_ == 0 ? start : std::min(any_[k] + stay[k], cheapest + change[k])) +
              eta * row.round.losses[k];
  }
  // No path has more switches than steps, so that those with at most one more are the same so far.
  if (rounds_ > 0 && !fewer_.empty() && fewer_.size() <= std::min(most_switches_, rounds_)) {
    fewer_.push_back(fewer_.back());
  }
  // Down: the row below is still that of the round before.
  for (std::size_t s = fewer_.size(); s-- > 0;) {
    auto& [oracle, penalised] = fewer_[s];
    double from_oracle = kInfinite, from_penalised = kInfinite;
    if (s > 0) {
      from_oracle = least(&Cheapest::oracle, s - 1);
      from_penalised = least(&Cheapest::penalised, s - 1);
    }
    for (std::size_t k = 0; k < experts; ++k) {
      const double loss = row.round.losses[k];
      oracle[k] = std::min(oracle[k], from_oracle) + unit * loss;
      penalised[k] =
          (rounds_ == 0 ? start : std::min(penalised[k] + stay[k], from_penalised + change[k])) +
          eta * loss;
    }
  }
}

double Reckoning::least(std::vector<double> Cheapest::*of, std::size_t switches) const {
  const auto& costs = fewer_[switches].*of;
  return *std::min_element(costs.begin(), costs.end());
}

void Reckoning::next(const TraceRow& row, Bounded played) {
  const Replay::Paid paid = replay_.next(row, played);
  const double eta = paid.eta;
  sweep(row);
  if (stretch_ + 1 < stretches_.size() && stretches_[stretch_ + 1].first == rounds_) ++stretch_;
  const std::size_t now = stretches_[stretch_].second;
  const bool switched = stretch_ > 0 && stretches_[stretch_].first == rounds_;
  const std::size_t before = switched ? stretches_[stretch_ - 1].second : now;
  walk(path_, row, before, now);
  add_parts(before, now);
  for (std::size_t k = 0; k < stays_.size(); ++k) walk(stays_[k], row, k, k);

  if (rounds_ == 0) first_eta_ = eta;
  same_eta_ = same_eta_ && eta == first_eta_;
  total_paid_ += paid.mixture;
  weighted_paid_ += eta * paid.mixture;
  const Bounded lateness = eta * (paid.mixture - paid.on_time);
  realised_gaps_ += eta * paid.gap + lateness;
  worst_gaps_ += Bounded::rounded(eta * (eta / 8), 0) + lateness;

  forecasts_ += row.has_forecast() ? 1u : 0u;
  const Bounded combined =
      row.has_forecast() ? Bounded::rounded(row.combined_loss(), 0) : paid.mixture;
  total_rate_ += Bounded::rounded(eta / row.round.scale, 0);
  weighted_combined_ += eta * combined;
  combined_gaps_ += eta * (combined - paid.mix);

  rho_ = row.step->controls.rho;
  q_.assign(row.step->controls.q.begin(), row.step->controls.q.end());
  ++rounds_;
}

// A sum of as many terms as there are rounds, none negative.
Bounded Reckoning::in_sum(double value) const {
  return {value, kRounding * static_cast<double>(rounds_) * (4 + value)};
}

void Reckoning::check() const {
  expect_same("rounds", claimed_.rounds, rounds_);
  expect_same("experts", claimed_.experts, names_.size());
  expect_same("weighted", claimed_.weighted, !same_eta_);
  expect("total_loss", claimed_.total_loss, total_paid_);

  const auto& best = claimed_.best_path;
  if (stretch_ + 1 != stretches_.size()) throw Error("best_path/path goes on after the last round");
  expect_same("best_path/switches", best.switches, stretches_.size() - 1);
  expect("best_path/loss", best.loss, path_.loss);
  expect("best_path/code", best.code, path_.code);
  const Bounded unit{same_eta_ ? first_eta_ : 1, 0};
  const Bounded regret = (weighted_paid_ - path_.weighted_loss) / unit;
  const Bounded bound = (path_.code + realised_gaps_) / unit;
  expect("best_path/regret", best.regret, regret);
  expect("best_path/bound", best.bound, bound);
  expect_holds("best_path/", best.holds, regret, bound);
  // No path makes the certificate say more.
  const Bounded cheapest = in_sum(*std::min_element(any_.begin(), any_.end()));
  const Bounded penalised = path_.weighted_loss + path_.code;
  const Bounded more = penalised - cheapest;
  if (!(more.value <= 4 * more.error)) {
    throw Error(fmt::format("best_path/path costs {} nats, and the best one costs {}",
                            penalised.value, cheapest.value));
  }
  check_switching();
  check_forecasts();
}

BoundParts Reckoning::made_of() const {
  const auto finite = [](double x) { return std::isfinite(x) ? std::optional(x) : std::nullopt; };
  const double unit = same_eta_ ? first_eta_ : 1;
  BoundParts out = parts_;
  out.name = claimed_.name;
  out.cross_entropy = finite(cross_entropy_);
  out.gaps = realised_gaps_.value;
  out.weighted = !same_eta_;
  out.regret = (weighted_paid_.value - path_.weighted_loss.value) / unit;
  out.sharp_bound = (out.total() + realised_gaps_.value) / unit;
  out.plain_bound = (out.total() + worst_gaps_.value) / unit;
  const double aligned = out.total() - out.stays + aligned_stays_;
  if (same_eta_) out.training_aligned_bound = finite((aligned + worst_gaps_.value) / unit);
  return out;
}

void Reckoning::check_switching() const {
  const Bounded unit{same_eta_ ? first_eta_ : 1, 0};
  const Bounded paid = same_eta_ ? total_paid_ : weighted_paid_;
  for (std::size_t i = 0; i < claimed_.switching.size(); ++i) {
    const auto& one = claimed_.switching[i];
    const std::string at = fmt::format("switching/{}/", i);
    const std::size_t switches = std::min(one.switches, fewer_.size() - 1);
    const Bounded oracle = in_sum(least(&Cheapest::oracle, switches));
    const Bounded penalised = in_sum(least(&Cheapest::penalised, switches));
    const Bounded regret = paid - oracle;
    const Bounded bound = (penalised + realised_gaps_) / unit - oracle;
    const Bounded plain = (penalised + worst_gaps_) / unit - oracle;
    expect(at + "oracle", one.oracle, oracle);
    expect(at + "regret", one.regret, regret);
    expect(at + "bound", one.bound, bound);
    expect(at + "plain_bound", one.plain_bound, plain);
    expect_holds(at, one.holds, regret, bound);
    expect_holds(at, one.holds, regret, plain);
  }
}

void Reckoning::check_claim(const std::string& at, const Claim& claim, const Path& path) const {
  const Bounded loss = weighted_combined_ / total_rate_;
  const Bounded regret = (weighted_combined_ - path.weighted_loss) / total_rate_;
  const Bounded bound = (path.code + combined_gaps_) / total_rate_;
  expect(at + "loss", claim.loss, loss);
  expect(at + "regret", claim.regret, regret);
  expect(at + "bound", claim.bound, bound);
  expect_holds(at, claim.holds, regret, bound);
  expect_same(at + "rmse", claim.rmse.has_value(), squared_);
  expect_same(at + "rmse_bound", claim.rmse_bound.has_value(), squared_);
  if (!squared_) return;
  Bounded least_loss = loss - bound;
  least_loss.value = std::max(0.0, least_loss.value);
  expect(at + "rmse", *claim.rmse, sqrt(loss));
  expect(at + "rmse_bound", *claim.rmse_bound, sqrt(loss) - sqrt(least_loss));
}

void Reckoning::check_forecasts() const {
  expect_same("forecasts", claimed_.forecasts.has_value(), rounds_ > 0 && forecasts_ == rounds_);
  if (!claimed_.forecasts) return;
  const auto& [path, expert] = *claimed_.forecasts;
  check_claim("forecasts/path/", path, path_);
  expect_same("forecasts/path/switches", path.switches.value_or(~std::size_t{0}),
              stretches_.size() - 1);
  if (path.expert || expert.switches || !expert.expert) {
    throw Error("forecasts does not name a path and an expert");
  }
  const std::size_t best = index_of(names_, *expert.expert);
  check_claim("forecasts/expert/", expert, stays_[best]);
  for (std::size_t k = 0; k < stays_.size(); ++k) {
    const Bounded better = stays_[best].weighted_loss - stays_[k].weighted_loss;
    if (better.value > 4 * better.error) {
      throw Error(fmt::format("forecasts/expert/expert is {}, and {} lost less", *expert.expert,
                              names_[k]));
    }
  }
}

}  // namespace pcgs::verify
