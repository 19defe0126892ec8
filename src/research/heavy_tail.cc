// heavy-tail: as switch, but with Student-t noise and jumps in either direction, then clipped.
//
//     loss = clip( 0.5 - gap [k wins] + noise t(df) + jump J, 0, 1 )
//
// J is +1 or -1, each with chance jump_probability / 2, for each expert and round on its own.
#include "research/bayes_filter.h"
#include "research/families.h"

namespace pcgs::suite {

Sequence make_heavy_tail(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                         Parameters p) {
  const double gap = p[0], hazard = p[6];
  const Noise noise = {p[1], p[2], p[3], p[4]};
  const auto least = static_cast<std::size_t>(p[5]);
  Random random("heavy-tail", seed);
  const auto law = std::make_shared<const WinLose>(
      WinLose{ClippedLaw(0.5 - gap, noise), ClippedLaw(0.5, noise)});
  return winner_sequence(
      rounds, experts, any_other(experts, Dwell::geometric_after(least, hazard)),
      [law](std::size_t, std::size_t) -> const WinLose& { return *law; }, random);
}

}  // namespace pcgs::suite
