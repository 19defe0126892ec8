#include "research/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/spec.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "research/laws.h"

namespace pcgs::suite {

namespace {

using Parameters = std::span<const double>;

WinLose win_lose(double gap, const Noise& noise) {
  return {ClippedLaw(0.5 - gap, noise), ClippedLaw(0.5, noise)};
}

// The same for all experts in all rounds.
LawsAt one_law(double gap, const Noise& noise) {
  const auto law = std::make_shared<const WinLose>(win_lose(gap, noise));
  return [law](std::size_t, std::size_t) -> const WinLose& { return *law; };
}

// Any other expert is next after at least `least` rounds, and then with chance `hazard` a round.
WinnerProcess any_next(std::size_t experts, double least, double hazard) {
  return any_other(experts, Dwell::geometric_after(static_cast<std::size_t>(least), hazard));
}

// switch: one expert is better for a while, then another.
//
//     loss = clip( 0.5 - gap [k wins] + noise N(0,1), 0, 1 )
//
// The noise is log-uniform in [quietest, loudest], drawn once for each sequence; the limit knows
// it. A winner stays for `least` rounds and then leaves with chance `hazard` a round; any other
// expert is as likely to be next.

Sequence make_switch(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p) {
  const double gap = p[0], least = p[3], hazard = p[4];
  Random random("switch", seed);
  const double noise = random.log_uniform(p[1], p[2]);
  return winner_sequence(rounds, experts, any_next(experts, least, hazard), one_law(gap, {noise}),
                         random);
}

// drift: every expert's mean wanders smoothly, and they cross.
//
//     loss = clip( 0.5 + f_k(t) + noise_k N(0,1), 0, 1 )
//
// f_k are independent smooth functions (SmoothPath) of this amplitude. Each expert has its own
// pace and noise: the length over which f_k forgets itself is log-uniform in [fastest, slowest],
// and noise_k in [quietest, loudest]. At the standard parameters clipping, of which the limit knows
// nothing, touches one loss in a hundred.

Sequence make_drift(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p) {
  Random random("drift", seed);
  std::vector<SmoothLaw> laws;
  std::vector<double> noise;
  std::vector<SmoothPath> means;
  for (std::size_t k = 0; k < experts; ++k) {
    laws.push_back({p[0], random.log_uniform(p[3], p[4])});
    noise.push_back(random.log_uniform(p[1], p[2]));
    means.emplace_back(laws.back(), random);
  }
  Sequence sequence = blank_sequence(rounds, experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    std::size_t best = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      sequence.put(t, k, 0.5 + means[k].value() + noise[k] * random.normal());
      if (means[k].value() < means[best].value()) best = k;
    }
    sequence.path[t] = static_cast<std::uint32_t>(best);
    for (SmoothPath& mean : means) mean.advance(random);
  }
  sequence.limit = [=] { return make_kalman_filter(laws, noise); };
  return sequence;
}

// heavy-tail: as switch, but with Student-t noise and jumps in either direction, then clipped.
//
//     loss = clip( 0.5 - gap [k wins] + noise t(df) + jump J, 0, 1 )
//
// J is +1 or -1, each with chance jump_probability / 2, for each expert and round on its own.

Sequence make_heavy_tail(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                         Parameters p) {
  const double gap = p[0], least = p[5], hazard = p[6];
  Random random("heavy-tail", seed);
  return winner_sequence(rounds, experts, any_next(experts, least, hazard),
                         one_law(gap, {p[1], p[2], p[3], p[4]}), random);
}

// hetero: as switch, but some experts are noisier than others and each has calm and rough times, so
// that one low loss means much from one expert and nothing from another.
//
//     loss = clip( 0.5 - gap [k wins] + level_k rough(t,k) N(0,1), 0, 1 )
//
// level_k is log-uniform in [quietest, loudest]; rough(t,k) is 1 or `swing`, and each expert goes
// over from one to the other with chance 1/60 a round. The limit knows all of these.

constexpr double kMoodChange = 1.0 / 60;

Sequence make_hetero(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p) {
  const double gap = p[0], quietest = p[1], loudest = p[2], swing = p[3], least = p[4],
               hazard = p[5];
  Random random("hetero", seed);

  struct Laws {
    std::vector<WinLose> calm, rough;  // [K]
    std::vector<bool> is_rough;        // [(T + 1) x K]
  };
  const auto laws = std::make_shared<Laws>();
  for (std::size_t k = 0; k < experts; ++k) {
    const double level = random.log_uniform(quietest, loudest);
    laws->calm.push_back(win_lose(gap, {level}));
    laws->rough.push_back(win_lose(gap, {level * swing}));
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
      rounds, experts, any_next(experts, least, hazard),
      [laws, experts](std::size_t t, std::size_t k) -> const WinLose& {
        return laws->is_rough[t * experts + k] ? laws->rough[k] : laws->calm[k];
      },
      random);
}

// mix: drift and switching together, under mixed noise.
//
//     loss = clip( 0.5 + f_k(t) - gap [k wins] + level_k Z_k, 0, 1 )
//
// f_k are smooth functions (SmoothPath) of this amplitude and length; the winner comes and goes
// as in switch; half of the experts have normal noise, half Student-t(3), at a level log-uniform in
// [quietest, loudest]. No limit: the filter would need the whole history.

Sequence make_mix(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p) {
  constexpr double kDf = 3;
  const double gap = p[0], amplitude = p[1], length = p[2], quietest = p[3], loudest = p[4],
               least = p[5], hazard = p[6];
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
  const auto winners = any_next(experts, least, hazard).draw(rounds, random);

  Sequence sequence = blank_sequence(rounds, experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    double least_mean = 2;
    for (std::size_t k = 0; k < experts; ++k) {
      Expert& expert = pool[k];
      const double mean = 0.5 + expert.mean.value() - (k == winners[t] ? gap : 0);
      if (mean < least_mean) {
        least_mean = mean;
        sequence.path[t] = static_cast<std::uint32_t>(k);
      }
      const double z = expert.heavy ? random.student_t(kDf) : random.normal();
      sequence.put(t, k, mean + expert.level * z);
      expert.mean.advance(random);
    }
  }
  return sequence;
}

// predictive: a few experts take turns in an order that can be learned, and stay for about as long
// each time.
//
//     loss = clip( 0.5 - gap [k wins] + noise N(0,1), 0, 1 )
//
// `members` of the experts, chosen at random, stand in a ring. A winner stays for any number of
// rounds from least to most; then its neighbour in the ring follows with chance `order`, else one
// of the other members. The limit knows the ring.

WinnerProcess ring(std::vector<std::uint32_t> members, double order, Dwell dwell) {
  const std::size_t size = members.size();
  WinnerProcess process{std::move(dwell), std::move(members), {}};
  if (size <= 2) return process;  // there is only one other
  process.next.assign(size * size, (1 - order) / static_cast<double>(size - 2));
  for (std::size_t i = 0; i < size; ++i) {
    process.next[i * size + i] = 0;
    process.next[i * size + (i + 1) % size] = order;
  }
  return process;
}

Sequence make_predictive(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                         Parameters p) {
  const double gap = p[0], noise = p[1], order = p[3];
  const std::size_t size = std::min(static_cast<std::size_t>(p[2]), experts);
  const auto least = static_cast<std::size_t>(std::min(p[4], p[5]));
  const auto most = static_cast<std::size_t>(std::max(p[4], p[5]));
  Random random("predictive", seed);

  std::vector<std::uint32_t> members(experts);
  std::iota(members.begin(), members.end(), 0U);
  for (std::size_t i = 0; i < size; ++i) {
    std::swap(members[i], members[i + random.below(experts - i)]);
  }
  members.resize(size);

  return winner_sequence(rounds, experts,
                         ring(std::move(members), order, Dwell::between(least, most)),
                         one_law(gap, {noise}), random);
}

// adversarial: whoever is relied upon is burned.
//
//     loss = clip( 0.5 - gap [k wins] + burn [k was burned lately and does not win] + noise N(0,1),
//     0, 1 )
//
// A reference learner (Fixed Share, eta 4, rho 0.01) plays along. Once it has put at least `trust`
// on the winner, the winner is burned: it loses `burn` more than the others for `smoulder` rounds.
// The next winner is any of the quarter of the experts that the reference trusts least.

Sequence make_adversarial(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                          Parameters p) {
  const double gap = p[0], noise = p[1], burn = p[2], trust = p[4];
  const auto smoulder = static_cast<std::size_t>(p[3]);
  Random random("adversarial", seed);
  Aggregator reference = make_aggregator("fixed-share{eta=4,rho=0.01}", experts);

  Sequence sequence = blank_sequence(rounds, experts);
  std::vector<std::size_t> cools(experts, 0);  // [K] the round in which it is as good as the others
  std::vector<std::size_t> by_trust(experts);
  std::size_t winner = random.below(experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    const auto trusted = reference.weights();
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
    for (std::size_t k = 0; k < experts; ++k) {
      const double mean = 0.5 - (k == winner ? gap : t < cools[k] ? -burn : 0);
      sequence.put(t, k, mean + noise * random.normal());
    }
    reference.learn(sequence.losses.row(t));
  }
  return sequence;
}

// Built on first use, so that it is there for objects made before main.
std::span<const FamilyInfo> all_families() {
  const Option gap = {"gap", "what the winner loses less", 0.2, 0, 0.5};
  const Option least = {"least", "rounds that a winner stays at least", 35, 1, 10000};
  const Option hazard = {"hazard", "chance a round, after that, that it leaves", 0.07, 0, 1};
  const Option noise = {"noise", "scale of the noise", 0.15, 0.03, 1};
  const Option quietest = {"quietest", "lowest scale of the noise", 0.05, 0.03, 1};
  const Option loudest = {"loudest", "highest scale of the noise", 0.3, 0.03, 1};
  const Option amplitude = {"amplitude", "of the means", 0.06, 0.001, 0.5};
  const auto with = [](Option option, double standard) {
    option.standard = standard;
    return option;
  };
  // Never destroyed: threads that still work when the process ends may look something up.
  static const auto& kFamilies = *new const std::vector<FamilyInfo>{
      {"switch",
       "one winner at a time, changing at random",
       {gap, with(quietest, 0.08), with(loudest, 0.25), least, hazard},
       make_switch},
      {"drift",
       "smooth means that cross",
       {with(amplitude, 0.12), with(quietest, 0.03), with(loudest, 0.25),
        Option{"fastest", "least rounds over which a mean forgets itself", 20, 2, 1e6},
        Option{"slowest", "most rounds over which it does", 200, 2, 1e6}},
       make_drift},
      {"hetero",
       "noise that differs over experts and time",
       {gap, quietest, loudest,
        Option{"swing", "how much louder an expert is in its rough times", 2, 1, 10}, least,
        hazard},
       make_hetero},
      {"heavy-tail",
       "Student-t noise and jumps, then clipped",
       {gap, with(noise, 0.1), Option{"df", "degrees of freedom", 3, 0.5, 1000},
        Option{"jump_probability", "of a jump, for each loss", 0.03, 0, 1},
        Option{"jump", "its size", 0.5, 0, 1}, least, hazard},
       make_heavy_tail},
      {"mix",
       "drift and switching under mixed noise",
       {gap, amplitude, Option{"length", "rounds over which a mean forgets itself", 120, 2, 1e6},
        quietest, loudest, least, hazard},
       make_mix},
      {"predictive",
       "winners in an order that can be learned",
       {gap, noise, Option{"members", "experts that take turns", 4, 1, 4096},
        Option{"order", "chance that the neighbour follows", 0.9, 0, 1}, with(least, 40),
        Option{"most", "rounds that it stays at most", 56, 1, 10000}},
       make_predictive},
      {"adversarial",
       "whoever is relied upon is burned",
       {gap, noise, Option{"burn", "what a burned expert loses more", 0.2, 0, 0.5},
        Option{"smoulder", "rounds that it stays burned", 40, 0, 1e6},
        Option{"trust", "reference weight at which a winner is burned", 0.8, 0, 1}},
       make_adversarial},
  };
  return kFamilies;
}

// Steele, Lea and Flood's SplitMix64: a bijection that spreads every bit.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr std::uint64_t kTraining = std::uint64_t{1} << 63;

std::uint64_t sequence_seed(std::uint64_t seed, std::uint64_t index) {
  return mixed(mixed(seed) + index) & ~kTraining;
}

}  // namespace

std::span<const FamilyInfo> families() { return all_families(); }

Sequence generate(std::string_view family, std::size_t rounds, std::size_t experts,
                  std::uint64_t seed) {
  if (rounds == 0 || experts == 0) {
    throw Error(fmt::format("a sequence of {} rounds and {} experts; give at least one of each",
                            rounds, experts));
  }
  const Spec spec = parse_spec("family", family);
  const auto all = all_families();
  const auto info = std::find_if(all.begin(), all.end(),
                                 [&](const FamilyInfo& f) { return f.name == spec.name; });
  if (info == all.end()) {
    throw Error(
        fmt::format("there is no family '{}'; choose one of {}", spec.name, listed_names(all)));
  }
  return info->make(rounds, experts, seed, number_values("family", spec, info->parameters));
}

std::uint64_t evaluation_seed(std::uint64_t study_seed, std::uint64_t index) {
  return sequence_seed(study_seed, index);
}

std::uint64_t training_seed(std::uint64_t run_seed, std::uint64_t index) {
  return sequence_seed(run_seed, index) | kTraining;
}

}  // namespace pcgs::suite
