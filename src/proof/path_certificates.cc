// The bounds for a given path. "The paper" is Policy-Controlled Generalized Share.
#include "proof/path_certificates.h"

#include <fmt/format.h>

#include <algorithm>

#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "proof/path_steps.h"

namespace pcgs {

namespace {

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

double restart_to(const ShareRecord& record, const Controls& controls, std::uint32_t expert) {
  return controls.q.empty() ? 1.0 / static_cast<double>(record.experts()) : controls.q[expert];
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

// code(p), with the stay and switch costs given as functions of (t, controls, q_t(p_{t+1})).
template <class Stay, class Switch>
double code(const ShareRecord& record, Path path, const Stay& stay, const Switch& change) {
  if (path.empty()) return 0;
  double sum = certify::start_cost(record.initial(), record.experts(), path[0]);
  for (std::size_t t = 0; t + 1 < path.size(); ++t) {
    const Controls controls = record.controls(t);
    const double q = restart_to(record, controls, path[t + 1]);
    sum += path[t + 1] == path[t] ? stay(controls.rho, q) : change(controls.rho, q);
  }
  return sum;
}

// Dynamic regret against the oracle with at most S switches:
//
//     sum_t paid_t - L_sw(S) <= min_{p in Pi_S} [ L(p) - L_sw(S) + code(p) / eta ] + gaps
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

// min_{p in Pi_s} [ sum_t eta_t l_t(p_t) + code(p) ] for s = 0, ..., max_switches.
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

// -ln w_1(p_1) - sum_{t<T} ln A_t(p_t -> p_{t+1})
double code_length(const ShareRecord& record, Path path) {
  check_path(record, path);
  return code(record, path, certify::stay_cost, certify::switch_cost);
}

// -ln rho_t - ln q_t(p_{t+1}) at a switch, -ln(1 - rho_t + rho_t q_t(p_t)) at a stay.
CodeParts code_parts(const ShareRecord& record, Path path) {
  check_path(record, path);
  CodeParts parts;
  if (path.empty()) return parts;
  const auto experts = static_cast<double>(record.experts());
  parts.start = certify::start_cost(record.initial(), record.experts(), path[0]);
  for (std::size_t t = 0; t + 1 < path.size(); ++t) {
    const Controls controls = record.controls(t);
    const double q = restart_to(record, controls, path[t + 1]);
    if (path[t + 1] == path[t]) {
      parts.stays += certify::stay_cost(controls.rho, q);
      parts.uniform_stays += certify::stay_cost(controls.rho, 1 / experts);
    } else {
      parts.restarts -= std::log(controls.rho);
      parts.where_to -= std::log(q);
      ++parts.switches;
    }
  }
  parts.uniform_where_to = static_cast<double>(parts.switches) * std::log(experts);
  return parts;
}

// sum eta_t (paid_t - l_t(p_t)) <= code(p) + (1/8) sum eta_t^2. The paper, Theorem 1.
Certificate weighted_certificate(const ShareRecord& record, Path path) {
  return certificate(record, path, code_length(record, path), record.worst_gaps());
}

// sum eta_t (paid_t - l_t(p_t)) <= code(p) + sum eta_t d_t. From the identity
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

// regret / eta <= bound / eta. The paper, Theorem 1, for constant eta.
Certificate unweighted(const ShareRecord& record, const Certificate& weighted) {
  const double eta = record.constant_eta();
  if (eta == 0) {
    throw Error(ErrorKind::kCall, {.field = "eta"},
                "eta was not the same in every round; only the weighted regret is bounded");
  }
  return {weighted.regret / eta, weighted.bound / eta, weighted.rounding / eta};
}

// (1/eta) [ ln K + S ln(K/rho) + (T-1) ln(1/(1-rho)) ] + eta T / 8. The paper, Corollary 2;
// Herbster and Warmuth 1998.
double fixed_share_bound(std::size_t experts, std::size_t switches, std::size_t rounds, double eta,
                         double rho) {
  if (experts == 0 || !(eta > 0) || !(rho >= 0 && rho < 1)) {
    throw Error(
        ErrorKind::kValue, {},
        fmt::format("no bound for {} experts, eta {} and rho {}; give eta > 0, rho in [0, 1)",
                    experts, eta, rho));
  }
  if (rounds == 0) return 0;
  const double ln_k = std::log(static_cast<double>(experts));
  // 0 switches cost nothing, whatever one would cost.
  const double switching =
      switches == 0 ? 0 : static_cast<double>(switches) * (ln_k - std::log(rho));
  const double staying = static_cast<double>(rounds - 1) * -std::log1p(-rho);
  return (ln_k + switching + staying) / eta + eta * static_cast<double>(rounds) / 8;
}

// Switches cost ln(1/rho_max) - ln p_t - ln q_t(p_{t+1}), stays at most 2 rho_max (-ln(1 - p_t)),
// p_t = rho_t / rho_max; all divided by eta, plus eta T / 8. The paper, Theorem 2.
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

// C_eff(p) = sum over switches -ln q_t(p_{t+1}), at most the sum over all rounds and at most
// (number of switches) ln(K/eps). The paper, Lemma 1.
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
    const double nats = -std::log(restart_to(record, controls, path[t + 1]));
    sums.all_rounds += nats;
    if (path[t + 1] == path[t]) continue;
    sums.effective += nats;
    sums.by_floor += std::log(experts / eps);
  }
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

// What a record proves about combined forecasts.

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
