// switch: one expert is better for a while, then another.
//
//     loss = clip( 0.5 - gap [k wins] + noise N(0,1), 0, 1 )
//
// The noise is log-uniform in [quietest, loudest], drawn once for each sequence; the limit knows
// it. A winner stays for `least` rounds and then leaves with chance `hazard` a round; any other
// expert is as likely to be next.
#include "research/bayes_filter.h"
#include "research/families.h"

namespace pcgs::suite {

Sequence make_switch(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p) {
  const double gap = p[0], hazard = p[4];
  const auto least = static_cast<std::size_t>(p[3]);
  Random random("switch", seed);
  const double noise = random.log_uniform(p[1], p[2]);
  const auto law = std::make_shared<const WinLose>(
      WinLose{ClippedLaw(0.5 - gap, {noise}), ClippedLaw(0.5, {noise})});
  return winner_sequence(
      rounds, experts, any_other(experts, Dwell::geometric_after(least, hazard)),
      [law](std::size_t, std::size_t) -> const WinLose& { return *law; }, random);
}

}  // namespace pcgs::suite
