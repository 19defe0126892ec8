#include "research/families.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/spec.h"
#include "pcgs/error.h"

namespace pcgs::suite {

namespace {

// Built on first use, so that it is there for objects made before main.
std::span<const FamilyInfo> all_families() {
  const Option gap = {"gap", "what the winner loses less", 0.2, 0, 0.5};
  const Option least = {"least", "rounds that a winner stays at least", 35, 1, 10000};
  const Option hazard = {"hazard", "chance a round, after that, that it leaves", 0.07, 0, 1};
  const auto quietest = [](double standard) {
    return Option{"quietest", "lowest scale of the noise", standard, 0.03, 1};
  };
  const auto loudest = [](double standard) {
    return Option{"loudest", "highest scale of the noise", standard, 0.03, 1};
  };
  const auto amplitude = [](double standard) {
    return Option{"amplitude", "of the means", standard, 0.001, 0.5};
  };
  const auto number = [](const char* name, const char* meaning, double standard, double low,
                         double high) {
    return Option{name, meaning, standard, low, high};
  };
  // Never destroyed: threads that still work when the process ends may look something up.
  static const auto& kFamilies = *new const std::vector<FamilyInfo>{
      {"switch",
       "one winner at a time, changing at random",
       {gap, quietest(0.08), loudest(0.25), least, hazard},
       make_switch},
      {"drift",
       "smooth means that cross",
       {amplitude(0.12), quietest(0.03), loudest(0.25),
        number("fastest", "least rounds over which a mean forgets itself", 20, 2, 1e6),
        number("slowest", "most rounds over which it does", 200, 2, 1e6)},
       make_drift},
      {"hetero",
       "noise that differs over experts and time",
       {gap, quietest(0.05), loudest(0.3),
        number("swing", "how much louder an expert is in its rough times", 2, 1, 10), least,
        hazard},
       make_hetero},
      {"heavy-tail",
       "Student-t noise and jumps, then clipped",
       {gap, number("noise", "scale of the noise", 0.1, 0.03, 1),
        number("df", "degrees of freedom", 3, 0.5, 1000),
        number("jump_probability", "of a jump, for each loss", 0.03, 0, 1),
        number("jump", "its size", 0.5, 0, 1), least, hazard},
       make_heavy_tail},
      {"mix",
       "drift and switching under mixed noise",
       {gap, amplitude(0.06),
        number("length", "rounds over which a mean forgets itself", 120, 2, 1e6), quietest(0.05),
        loudest(0.3), least, hazard},
       make_mix},
      {"predictive",
       "winners in an order that can be learned",
       {gap, number("noise", "scale of the noise", 0.15, 0.03, 1),
        number("members", "experts that take turns", 4, 1, 4096),
        number("order", "chance that the neighbour follows", 0.9, 0, 1),
        number("least", "rounds that a winner stays at least", 40, 1, 10000),
        number("most", "rounds that it stays at most", 56, 1, 10000)},
       make_predictive},
      {"adversarial",
       "whoever is relied upon is burned",
       {gap, number("noise", "scale of the noise", 0.15, 0.03, 1),
        number("burn", "what a burned expert loses more", 0.2, 0, 0.5),
        number("smoulder", "rounds that it stays burned", 40, 0, 1e6),
        number("trust", "reference weight at which a winner is burned", 0.8, 0, 1)},
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
