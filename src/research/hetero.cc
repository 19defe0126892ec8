// hetero: as switch, but some experts are noisier than others and each has calm and rough times, so
// that one low loss means much from one expert and nothing from another.
//
//     loss = clip( 0.5 - gap [k wins] + level_k rough(t,k) N(0,1), 0, 1 )
//
// level_k is log-uniform in [quietest, loudest]; rough(t,k) is 1 or `swing`, and each expert goes
// over from one to the other with chance 1/60 a round. The limit knows all of these.
#include <vector>

#include "research/bayes_filter.h"
#include "research/families.h"

namespace pcgs::suite {

namespace {

constexpr double kMoodChange = 1.0 / 60;

}  // namespace

Sequence make_hetero(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p) {
  const double gap = p[0], quietest = p[1], loudest = p[2], swing = p[3], hazard = p[5];
  const auto least = static_cast<std::size_t>(p[4]);
  Random random("hetero", seed);

  struct Laws {
    std::vector<WinLose> calm, rough;  // [K]
    std::vector<bool> is_rough;        // [(T + 1) x K]
  };
  const auto laws = std::make_shared<Laws>();
  for (std::size_t k = 0; k < experts; ++k) {
    const double level = random.log_uniform(quietest, loudest);
    const auto at = [&](double scale) {
      return WinLose{ClippedLaw(0.5 - gap, {scale}), ClippedLaw(0.5, {scale})};
    };
    laws->calm.push_back(at(level));
    laws->rough.push_back(at(level * swing));
  }
  // One row more than there are rounds: the limit looks one round ahead.
  laws->is_rough.resize((rounds + 1) * experts);
  for (std::size_t k = 0; k < experts; ++k) {
    bool rough = random.chance(0.5);
    for (std::size_t t = 0; t <= rounds; ++t) {
      if (random.chance(kMoodChange)) rough = !rough;
      laws->is_rough[t * experts + k] = rough;
    }
  }
  return winner_sequence(
      rounds, experts, any_other(experts, Dwell::geometric_after(least, hazard)),
      [laws, experts](std::size_t t, std::size_t k) -> const WinLose& {
        return laws->is_rough[t * experts + k] ? laws->rough[k] : laws->calm[k];
      },
      random);
}

}  // namespace pcgs::suite
