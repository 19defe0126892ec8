// The bounds for a given path. "The paper" is Policy-Controlled Generalized Share.
#include <fmt/format.h>

#include <algorithm>

#include "pcgs/certify.h"
#include "pcgs/error.h"
#include "proof/path_steps.h"

namespace pcgs {

namespace {

using Path = std::span<const std::uint32_t>;

void check_path(const ShareRecord& record, Path path) {
  if (path.size() != record.rounds()) {
    throw Error(fmt::format("a path of {} rounds for a record of {}; give one expert for each",
                            path.size(), record.rounds()));
  }
  for (const std::uint32_t expert : path) {
    if (expert >= record.experts()) {
      throw Error(fmt::format("a path visits expert number {}; give numbers from 0 to {}", expert,
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
    throw Error("eta was not the same in every round; only the weighted regret is bounded");
  }
  return {weighted.regret / eta, weighted.bound / eta, weighted.rounding / eta};
}

// C regret <= C bound: losses in [0,C] were run as l / C.
Certificate scaled(const Certificate& certificate, double c) {
  return {c * certificate.regret, c * certificate.bound, c * certificate.rounding};
}

// (1/eta) [ ln K + S ln(K/rho) + (T-1) ln(1/(1-rho)) ] + eta T / 8. The paper, Corollary 2;
// Herbster and Warmuth 1998.
double fixed_share_bound(std::size_t experts, std::size_t switches, std::size_t rounds, double eta,
                         double rho) {
  if (experts == 0 || !(eta > 0) || !(rho >= 0 && rho < 1)) {
    throw Error(
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
    throw Error(fmt::format("rho_max is {}; give a number in (0, 1/2]", rho_max));
  }
  for (std::size_t t = 0; t + 1 < record.rounds(); ++t) {
    if (record.controls(t).rho > rho_max) {
      throw Error(fmt::format("rho was {} after round {}, above rho_max = {}",
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
  if (!(eps > 0 && eps <= 1)) throw Error(fmt::format("eps is {}; give a number in (0, 1]", eps));
  const auto experts = static_cast<double>(record.experts());
  CrossEntropy sums;
  for (std::size_t t = 0; t + 1 < record.rounds(); ++t) {
    const Controls controls = record.controls(t);
    for (const double q : controls.q) {
      // What was made as (1 - eps) softmax + eps / K may be a rounding below eps / K.
      if (q < eps / experts * (1 - 1e-12)) {
        throw Error(fmt::format("a restart probability after round {} is {}, below eps / K = {}",
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

}  // namespace pcgs
