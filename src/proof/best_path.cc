// min_p [ sum_t eta_t l_t(p_t) + code(p) ], by Viterbi's recursion over the cheapest path to each
// expert. Because A_t has the share form a round costs O(K) (see move_on).
#include "pcgs/certify.h"
#include "proof/path_steps.h"

namespace pcgs {

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

}  // namespace pcgs
