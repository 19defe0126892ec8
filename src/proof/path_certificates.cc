#include "proof/path_certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "proof/live_certificates.h"

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

using Path = std::span<const std::uint32_t>;

void check_path(const ShareRecord& record, Path path) {
  if (path.size() != record.rounds()) {
    throw Error(ErrorKind::kMismatch, {.field = "path"},
                fmt::format("a path of {} rounds for a record of {}; give one expert for each",
                            path.size(), record.rounds()));
  }
  for (const std::uint32_t expert : path) {
    if (expert >= record.experts()) {
      throw Error(ErrorKind::kUnknown, {.field = "path"},
                  fmt::format("a path visits expert number {}; give numbers from 0 to {}", expert,
                              record.experts() - 1));
    }
  }
}

// sum_t eta_t l_t(p_t)
double weighted_loss(const ShareRecord& record, Path path) {
  double sum = 0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    sum += record.controls(t).eta * record.losses().row(t)[path[t]];
  }
  return sum;
}

// sum_t eta_t (paid_t - l_t(p_t)), against code + gaps
Certificate certificate(const ShareRecord& record, Path path, double code, double gaps) {
  return {record.weighted_paid() - weighted_loss(record, path), code + gaps,
          certify::rounding_of(record.rounds(), record.experts(), record.total_eta(), code)};
}

// Calls a function of rho_t and q_t(p_{t+1}) at every stay, and another at every switch.
template <class Stay, class Switch>
void each_step(const ShareRecord& record, Path path, const Stay& stay, const Switch& change) {
  for (std::size_t t = 0; t + 1 < path.size(); ++t) {
    const auto [eta, rho, q] = record.controls(t);
    const double to = q.empty() ? 1.0 / static_cast<double>(record.experts()) : q[path[t + 1]];
    path[t + 1] == path[t] ? stay(rho, to) : change(rho, to);
  }
}

// code(p), with the costs of stays and switches.
template <class Stay, class Switch>
double code(const ShareRecord& record, Path path, const Stay& stay, const Switch& change) {
  if (path.empty()) return 0;
  double sum = certify::start_cost(record.initial(), record.experts(), path[0]);
  each_step(
      record, path, [&](double rho, double q) { sum += stay(rho, q); },
      [&](double rho, double q) { sum += change(rho, q); });
  return sum;
}

// min_{p in Pi_s} [ sum_t eta_t l_t(p_t) + code(p) ] for s = 0, ..., max_switches.
//
// The minimum by the oracle's recursion with the price of every step:
//
//     cost[1,s,k] = -ln w_1(k) + eta_1 l_1(k)
//     cost[t,s,k] = eta_t l_t(k) + min( cost[t-1,s,k] + stay(k), min_j cost[t-1,s-1,j] + switch(k)
//     )
//
// with j = k allowed in the last minimum: cost[.,s,.] means at most s switches, so it does not
// increase in s, and stay(k) <= switch(k); the first term is then as small. The best of each row is
// all that is needed.
//
// The paper prints this as Corollary 1 without L(p) - L_sw(S), which is false: the path with the
// shortest code may have a large loss. See docs/certificates.md.
std::vector<double> penalised_frontier(const ShareRecord& record, std::size_t max_switches) {
  const std::size_t rounds = record.rounds();
  const std::size_t experts = record.experts();
  std::vector<double> best(max_switches + 1);  // of each row
  if (rounds == 0) return best;

  Matrix cost(max_switches + 1, experts);
  for (std::size_t s = 0; s <= max_switches; ++s) {
    for (std::size_t k = 0; k < experts; ++k) {
      cost.row(s)[k] = certify::start_cost(record.initial(), experts, k);
    }
  }
  std::vector<double> stay(experts);
  std::vector<double> change(experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    const auto losses = record.losses().row(t);
    const double eta = record.controls(t).eta;
    // stay and change price the step into round t; before the first there is none.
    for (std::size_t s = max_switches + 1; s-- > 0;) {
      const auto row = cost.row(s);
      if (t > 0) {
        const double from = s > 0 ? best[s - 1] : std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < experts; ++k) {
          row[k] = std::min(row[k] + stay[k], from + change[k]);
        }
      }
      for (std::size_t k = 0; k < experts; ++k) row[k] += eta * losses[k];
      best[s] = *std::min_element(row.begin(), row.end());
    }
    const auto [unused, rho, q] = record.controls(t);
    for (std::size_t k = 0; k < experts; ++k) {
      if (q.empty() && k > 0) {
        stay[k] = stay[0];
        change[k] = change[0];
        continue;
      }
      const double to = q.empty() ? 1.0 / static_cast<double>(experts) : q[k];
      stay[k] = certify::stay_cost(rho, to);
      change[k] = certify::switch_cost(rho, to);
    }
  }
  return best;
}

}  // namespace

ShareRecord::ShareRecord(std::size_t experts, std::span<const double> initial)
    : share_(checked(experts, initial), initial),
      initial_(share_.weights().begin(), share_.weights().end()) {}

ShareRecord ShareRecord::of(std::span<const Trace::Row> trace, std::span<const double> initial) {
  if (trace.empty())
    throw Error(ErrorKind::kMissing, {.field = "trace"},
                "the trace has no rounds; there is nothing to certify");
  ShareRecord record(trace.front().weights.size(), initial);
  for (const Trace::Row& row : trace) {
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
  const auto& [controls, mix_loss, gap] = *row.step;
  if (const auto objection = objection_to(row.round.losses, controls); !objection.empty()) {
    reject(objection);
  }
  if (!(tolerance() <= kMostTolerance)) {
    reject("comes after rates of learning that leave no digits");
  }
  const double mixture =
      kernels::dot(came_in_time(row) ? share_.weights() : row.played, row.round.losses);
  forecasts_ += row.has_forecast() ? 1u : 0u;
  // -ln Z is as uncertain as a weight is, relatively, and the mix loss that divided by eta.
  const double uncertain =
      4 * (static_cast<double>(experts()) + drift_ + 8 + controls.eta) * kEpsilon / controls.eta;
  learn(row.round.losses, controls,
        {mixture, row.has_forecast() ? row.combined_loss() : mixture, row.round.scale});
  if (!(std::abs(mix_loss - share_.last().mix_loss) <= uncertain)) {
    reject("has a mix loss that the recursion does not give");
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

// Whether the recursion, holding its weights of now, would have played what the row says.
bool ShareRecord::came_in_time(const TraceRow& row) const {
  // An expert with no weight and the learner's loss may have slept, where the row does not know; if it
  // did not, its weight was 0 anyway.
  const auto slept = [&](std::size_t k) {
    return row.played[k] == 0 &&
           (!row.round.is_awake(k) || row.round.losses[k] == row.round.mixture_loss);
  };
  double awake_weight = 0;
  std::size_t awake = 0;
  for (std::size_t k = 0; k < experts(); ++k) {
    if (slept(k)) continue;
    awake_weight += weights()[k];
    ++awake;
  }
  const bool normal = awake_weight >= std::numeric_limits<double>::min();
  const double total = awake == experts() ? 1 : awake_weight;
  for (std::size_t k = 0; k < experts(); ++k) {
    if (slept(k)) continue;
    const double expected = normal ? weights()[k] / total : 1.0 / static_cast<double>(awake);
    const double unseen = normal ? std::min(kInvisible / total, kEpsilon) : 0;
    if (!(std::abs(row.played[k] - expected) <= tolerance() * expected + unseen)) return false;
  }
  return awake > 0;
}

void ShareRecord::learn(std::span<const double> losses, const Controls& controls,
                        const LiveCertificate::Paid& paid) {
  const auto& [eta, rho, q] = controls;
  const double on_time = kernels::dot(share_.weights(), losses);
  const double share = 1.0 / static_cast<double>(experts());
  const bool uniform = std::ranges::all_of(q, [=](double x) { return x == share; });
  const ShareStep& step = share_.step(losses, controls);
  rounds_.push_back({eta, rho, uniform ? kUniform : q_.size()});
  if (!uniform) q_.insert(q_.end(), q.begin(), q.end());
  losses_.insert(losses_.end(), losses.begin(), losses.end());

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

double code_length(const ShareRecord& record, Path path) {
  check_path(record, path);
  return code(record, path, certify::stay_cost, certify::switch_cost);
}

CodeParts code_parts(const ShareRecord& record, Path path) {
  check_path(record, path);
  CodeParts parts;
  if (path.empty()) return parts;
  const auto experts = static_cast<double>(record.experts());
  parts.start = certify::start_cost(record.initial(), record.experts(), path[0]);
  each_step(
      record, path,
      [&](double rho, double q) {
        parts.stays += certify::stay_cost(rho, q);
        parts.uniform_stays += certify::stay_cost(rho, 1 / experts);
      },
      [&](double rho, double q) {
        parts.restarts -= std::log(rho);
        parts.where_to -= std::log(q);
        ++parts.switches;
      });
  parts.uniform_where_to = static_cast<double>(parts.switches) * std::log(experts);
  return parts;
}

Certificate weighted_certificate(const ShareRecord& record, Path path) {
  return certificate(record, path, code_length(record, path), record.worst_gaps());
}

// From the identity
// sum eta_t <w_t,l_t> = -ln Phi + sum eta_t d_t and Phi >= exp(-sum eta_t l_t(p_t) - code(p)),
// where Phi sums that expression over all paths.
Certificate sharp_certificate(const ShareRecord& record, Path path) {
  return certificate(record, path, code_length(record, path), record.realised_gaps());
}

// The same identity with F_t in the place of the mixture loss, divided by sum_t eta_t / C_t.
Certificate combined_certificate(const ShareRecord& record, Path path) {
  const double code = code_length(record, path);
  if (record.rounds() == 0) return {};
  const double rounding =
      certify::rounding_of(record.rounds(), record.experts(),
                           std::max(record.total_eta(), record.weighted_combined()), code);
  const double unit = record.total_rate();
  return {(record.weighted_combined() - weighted_loss(record, path)) / unit,
          (code + record.combined_gaps()) / unit, rounding / unit};
}

Certificate unweighted(const ShareRecord& record, const Certificate& weighted) {
  const double eta = record.constant_eta();
  if (eta == 0) {
    throw Error(ErrorKind::kCall, {.field = "eta"},
                "eta was not the same in every round; only the weighted regret is bounded");
  }
  return {weighted.regret / eta, weighted.bound / eta, weighted.rounding / eta};
}

Certificate training_aligned_certificate(const ShareRecord& record, Path path, double rho_max) {
  check_path(record, path);
  if (!(rho_max > 0 && rho_max <= 0.5)) {
    throw Error(ErrorKind::kValue, {.field = "rho_max"},
                fmt::format("rho_max is {}; give a number in (0, 1/2]", rho_max));
  }
  for (std::size_t t = 0; t + 1 < record.rounds(); ++t) {
    if (record.controls(t).rho > rho_max) {
      throw Error(ErrorKind::kMismatch, {.field = "rho_max"},
                  fmt::format("rho was {} after round {}, above rho_max = {}",
                              record.controls(t).rho, t + 1, rho_max));
    }
  }
  const double aligned = code(
      record, path, [=](double rho, double) { return -2 * rho_max * std::log1p(-rho / rho_max); },
      [=](double rho, double q) {
        return -std::log(rho_max) - std::log(rho / rho_max) - std::log(q);
      });
  return unweighted(record, certificate(record, path, aligned, record.worst_gaps()));
}

CrossEntropy cross_entropy(const ShareRecord& record, Path path, double eps) {
  check_path(record, path);
  if (!(eps > 0 && eps <= 1))
    throw Error(ErrorKind::kValue, {.field = "eps"},
                fmt::format("eps is {}; give a number in (0, 1]", eps));
  const auto experts = static_cast<double>(record.experts());
  CrossEntropy sums;
  for (std::size_t t = 0; t + 1 < record.rounds(); ++t) {
    const Controls controls = record.controls(t);
    for (const double q : controls.q) {
      // What was made as (1 - eps) softmax + eps / K may be a rounding below eps / K.
      if (q < eps / experts * (1 - 1e-12)) {
        throw Error(ErrorKind::kMismatch, {.field = "eps"},
                    fmt::format("a restart probability after round {} is {}, below eps / K = {}",
                                t + 1, q, eps / experts));
      }
    }
  }
  each_step(
      record, path, [&](double, double q) { sums.all_rounds -= std::log(q); },
      [&](double, double q) {
        sums.all_rounds -= std::log(q);
        sums.effective -= std::log(q);
        sums.by_floor += std::log(experts / eps);
      });
  return sums;
}

// min_p [ sum_t eta_t l_t(p_t) + code(p) ], by Viterbi's recursion over the cheapest path to each
// expert. Because A_t has the share form a round costs O(K) (see move_on).

BestPath best_path(const ShareRecord& record) {
  const std::size_t rounds = record.rounds();
  const std::size_t experts = record.experts();
  BestPath path;
  if (rounds == 0) return path;

  std::vector<PathCost> ways(experts);
  for (std::size_t k = 0; k < experts; ++k) {
    ways[k].code = certify::start_cost(record.initial(), experts, k);
  }
  std::vector<bool> switched(rounds * experts);  // into expert k of round t
  path.experts.resize(rounds);                   // first the cheapest of each round, where switches
                                                 // come from; then the path
  for (std::size_t t = 0; t < rounds; ++t) {
    const Controls controls = record.controls(t);
    const std::size_t best = certify::charge(ways, record.losses().row(t), controls.eta);
    path.experts[t] = static_cast<std::uint32_t>(best);
    path.cost = ways[best];
    if (t + 1 == rounds) break;
    certify::move_on(ways, best, controls,
                     [&](std::size_t k) { switched[(t + 1) * experts + k] = true; });
  }
  for (std::size_t t = rounds - 1; t > 0; --t) {
    if (!switched[t * experts + path.experts[t]]) path.experts[t - 1] = path.experts[t];
  }
  return path;
}

ForecastClaims forecast_claims(const ShareRecord& record) {
  const double loss = record.weighted_combined() / record.total_rate();
  const BestPath best = best_path(record);
  ForecastClaims claims;
  claims.path = {loss, combined_certificate(record, best.experts), best.cost.switches, 0};
  std::vector<std::uint32_t> stay(record.rounds());
  for (std::size_t k = 0; k < record.experts(); ++k) {
    stay.assign(record.rounds(), static_cast<std::uint32_t>(k));
    const Certificate one = combined_certificate(record, stay);
    if (k == 0 || one.regret > claims.expert.certificate.regret) claims.expert = {loss, one, 0, k};
  }
  return claims;
}

std::vector<SwitchingCertificate> switching_certificates(const ShareRecord& record,
                                                         std::size_t max_switches) {
  const std::vector<double> penalised = penalised_frontier(record, max_switches);
  const double eta = record.constant_eta();
  const bool weighted = eta == 0;
  std::vector<double> oracle;
  if (weighted) {
    Matrix losses(record.rounds(), record.experts());
    for (std::size_t t = 0; t < losses.rows; ++t) {
      const auto row = record.losses().row(t);
      for (std::size_t k = 0; k < row.size(); ++k) {
        losses.row(t)[k] = record.controls(t).eta * row[k];
      }
    }
    oracle = switching_oracle(losses, max_switches);
  } else {
    oracle = switching_oracle(record.losses(), max_switches);
  }

  std::vector<SwitchingCertificate> out(max_switches + 1);
  const double unit = weighted ? 1 : eta;
  const double paid = weighted ? record.weighted_paid() : record.total_paid();
  for (std::size_t s = 0; s <= max_switches; ++s) {
    // The code of the minimiser is not known, but is no larger than the minimum.
    const double rounding =
        certify::rounding_of(record.rounds(), record.experts(), record.total_eta(), penalised[s]);
    const auto with = [&](double gaps) {
      return Certificate{paid - oracle[s], (penalised[s] + gaps) / unit - oracle[s],
                         rounding / unit};
    };
    out[s] = {oracle[s], penalised[s], with(record.realised_gaps()), with(record.worst_gaps())};
  }
  return out;
}

Certificate switching_certificate(std::span<const double> bounds, double paid,
                                  std::span<const double> oracle, std::size_t rounds,
                                  std::size_t experts) {
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < oracle.size(); ++s) most = std::min(most, oracle[s] + bounds[s]);
  // As for a share of eta = 1: every loss is at most 1.
  const double rounding =
      certify::rounding_of(rounds, experts, static_cast<double>(rounds), std::abs(most));
  return {paid - oracle.back(), most - oracle.back(), rounding};
}

}  // namespace pcgs
