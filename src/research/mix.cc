// mix: drift and switching together, under mixed noise.
//
//     loss = clip( 0.5 + f_k(t) - gap [k wins] + level_k Z_k, 0, 1 )
//
// f_k are smooth functions (smooth_path.h) of this amplitude and length; the winner comes and goes
// as in switch; half of the experts have normal noise, half Student-t(3), at a level log-uniform in
// [quietest, loudest]. No limit: the filter would need the whole history.
#include <algorithm>

#include "research/families.h"
#include "research/smooth_path.h"
#include "research/winner_process.h"

namespace pcgs::suite {

Sequence make_mix(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p) {
  constexpr double kDf = 3;
  const double gap = p[0], amplitude = p[1], length = p[2], quietest = p[3], loudest = p[4],
               hazard = p[6];
  const auto least = static_cast<std::size_t>(p[5]);
  Random random("mix", seed);
  const SmoothLaw law{amplitude, length};
  struct Expert {
    SmoothPath mean;
    double level;
    bool heavy;
  };
  std::vector<Expert> pool;
  for (std::size_t k = 0; k < experts; ++k) {
    const SmoothPath mean(law, random);
    const double level = random.log_uniform(quietest, loudest);
    pool.push_back({mean, level, random.chance(0.5)});
  }
  const auto winners =
      any_other(experts, Dwell::geometric_after(least, hazard)).draw(rounds, random);

  Sequence sequence{Matrix(rounds, experts), std::vector<std::uint32_t>(rounds)};
  sequence.unclipped = Matrix(rounds, experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    const auto row = sequence.losses.row(t), unclipped = sequence.unclipped.row(t);
    double least_mean = 2;
    for (std::size_t k = 0; k < experts; ++k) {
      Expert& expert = pool[k];
      const double mean = 0.5 + expert.mean.value() - (k == winners[t] ? gap : 0);
      if (mean < least_mean) {
        least_mean = mean;
        sequence.path[t] = static_cast<std::uint32_t>(k);
      }
      const double z = expert.heavy ? random.student_t(kDf) : random.normal();
      unclipped[k] = mean + expert.level * z;
      row[k] = std::clamp(unclipped[k], 0.0, 1.0);
      expert.mean.advance(random);
    }
  }
  return sequence;
}

}  // namespace pcgs::suite
