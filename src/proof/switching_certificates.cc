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
#include <algorithm>

#include "pcgs/certify.h"
#include "pcgs/oracle.h"
#include "proof/path_steps.h"

namespace pcgs {

namespace {

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
