// The sharp certificate against mixtures of experts. For every distribution over paths,
//
//     -ln Phi <= E[ sum_t eta_t l_t(p_t) + code(p) ]
//
// because it holds for each path; losses are linear, so that E[l_t(p_t)] = <u_t,l_t>. Paths are
// drawn here from the mixture of each stretch, independently. Kivinen and Warmuth 1997 have the
// trick, Herbster and Warmuth 2001 its form with restarts.
#include <fmt/format.h>

#include <algorithm>

#include "core/combination.h"
#include "pcgs/certify.h"
#include "pcgs/error.h"
#include "proof/path_steps.h"

namespace pcgs {

namespace {

using Mixture = std::span<const double>;

bool same(Mixture a, Mixture b) { return std::equal(a.begin(), a.end(), b.begin()); }

// E[-ln A(i -> j)], with i drawn from `before` and j from `after`, or i = j where they are the same.
double step_cost(const Controls& controls, Mixture before, Mixture after) {
  const bool stays = same(before, after);
  const double uniform = 1.0 / static_cast<double>(after.size());
  double cost = 0;
  for (std::size_t k = 0; k < after.size(); ++k) {
    if (after[k] == 0) continue;
    const double q = controls.q.empty() ? uniform : controls.q[k];
    const double stay = certify::stay_cost(controls.rho, q);
    if (stays) {
      cost += after[k] * stay;
    } else {
      const double met = std::min(before[k], 1.0);  // that the expert happens to be the same one
      if (met > 0) cost += after[k] * met * stay;
      if (met < 1) cost += after[k] * (1 - met) * certify::switch_cost(controls.rho, q);
    }
  }
  return cost;
}

double start_cost(const ShareRecord& record, Mixture first) {
  double cost = 0;
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] > 0) cost += first[k] * certify::start_cost(record.initial(), first.size(), k);
  }
  return cost;
}

}  // namespace

Certificate mixture_certificate(const ShareRecord& record, MatrixView mixtures) {
  if (mixtures.rows != record.rounds() || mixtures.columns != record.experts()) {
    throw Error(fmt::format("mixtures of {} experts for {} rounds, where the record has {} and {}",
                            mixtures.columns, mixtures.rows, record.experts(), record.rounds()));
  }
  double code = 0, loss = 0;
  for (std::size_t t = 0; t < mixtures.rows; ++t) {
    const Mixture u = mixtures.row(t);
    if (!on_simplex(u, 1e-9)) {
      throw Error(fmt::format("the mixture of round {} does not sum to 1", t + 1));
    }
    code +=
        t == 0 ? start_cost(record, u) : step_cost(record.controls(t - 1), mixtures.row(t - 1), u);
    const auto losses = record.losses().row(t);
    for (std::size_t k = 0; k < u.size(); ++k) loss += record.controls(t).eta * u[k] * losses[k];
  }
  return {record.weighted_paid() - loss, code + record.realised_gaps(),
          certify::rounding_of(record.rounds(), record.experts(), record.total_eta(), code)};
}

}  // namespace pcgs
