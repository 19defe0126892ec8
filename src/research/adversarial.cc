// adversarial: whoever is relied upon is burned.
//
//     loss = clip( 0.5 - gap [k wins] + burn [k was burned lately and does not win] + noise N(0,1),
//     0, 1 )
//
// A reference learner (Fixed Share, eta 4, rho 0.01) plays along. Once it has put at least `trust`
// on the winner, the winner is burned: it loses `burn` more than the others for `smoulder` rounds.
// The next winner is any of the quarter of the experts that the reference trusts least.
#include <algorithm>
#include <numeric>

#include "pcgs/registry.h"
#include "research/families.h"
#include "research/random.h"

namespace pcgs::suite {

Sequence make_adversarial(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                          Parameters p) {
  const double gap = p[0], noise = p[1], burn = p[2], trust = p[4];
  const auto smoulder = static_cast<std::size_t>(p[3]);
  Random random("adversarial", seed);
  const auto reference = make_method("fixed-share{eta=4,rho=0.01}", experts);

  Sequence sequence{Matrix(rounds, experts), std::vector<std::uint32_t>(rounds)};
  sequence.unclipped = Matrix(rounds, experts);
  std::vector<std::size_t> cools(experts, 0);  // [K] the round in which it is as good as the others
  std::vector<std::size_t> by_trust(experts);
  std::size_t winner = random.below(experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    const auto trusted = reference->weights();
    if (experts > 1 && trusted[winner] >= trust) {
      cools[winner] = t + smoulder;
      std::iota(by_trust.begin(), by_trust.end(), std::size_t{0});
      const std::size_t quarter = std::max<std::size_t>(1, experts / 4);
      std::partial_sort(by_trust.begin(), by_trust.begin() + static_cast<std::ptrdiff_t>(quarter),
                        by_trust.end(), [&](std::size_t a, std::size_t b) {
                          return trusted[a] != trusted[b] ? trusted[a] < trusted[b] : a < b;
                        });
      winner = by_trust[random.below(quarter)];
    }
    sequence.path[t] = static_cast<std::uint32_t>(winner);
    const auto row = sequence.losses.row(t), unclipped = sequence.unclipped.row(t);
    for (std::size_t k = 0; k < experts; ++k) {
      const double mean = 0.5 - (k == winner ? gap : t < cools[k] ? -burn : 0);
      unclipped[k] = mean + noise * random.normal();
      row[k] = std::clamp(unclipped[k], 0.0, 1.0);
    }
    Round round;
    round.number = static_cast<std::int64_t>(t + 1);
    round.losses = row;
    round.weights = trusted;
    round.mixture_loss = round.learner_loss =
        std::inner_product(row.begin(), row.end(), trusted.begin(), 0.0);
    reference->learn(round);
  }
  return sequence;
}

}  // namespace pcgs::suite
