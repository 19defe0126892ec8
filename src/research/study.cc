#include "research/study.h"

#include <fmt/format.h>

#include <algorithm>

#include "combine/hindsight_methods.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"

namespace pcgs::studies {

suite::TournamentOptions StudyConfig::tournament(std::string family) const {
  suite::TournamentOptions one;
  one.family = std::move(family);
  one.rounds = rounds;
  one.experts = experts;
  one.sequences = sequences;
  one.switches = switches;
  one.seed = seed;
  one.methods = methods;
  one.threads = threads;
  return one;
}

suite::Sequence StudyConfig::sequence(const std::string& family, std::size_t i) const {
  return suite::generate(family, rounds, experts, suite::evaluation_seed(seed, i));
}

std::string StudyConfig::featured() const {
  for (const auto& method : methods) {
    if (!is_playable(method)) continue;
    const MethodTraits traits = method_info(method).traits;
    if (traits.learned && traits.share_form) return method;
  }
  return methods.front();
}

std::vector<std::string> StudyConfig::methods_with_restarts() const {
  std::vector<std::string> found;
  for (const auto& name : methods) {
    if (is_playable(name) && method_info(name).traits.share_form) found.push_back(name);
  }
  if (found.empty()) {
    throw Error("none of these methods has restarts to look at; add fixed-share or genshare");
  }
  return found;
}

std::vector<std::string> StudyConfig::playing(std::vector<std::string> wanted) const {
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::erase_if(wanted, [&](const std::string& method) {
    return !is_playable(method) ||
           std::find(methods.begin(), methods.end(), method) == methods.end();
  });
  return wanted;
}

std::vector<std::string> StudyConfig::expert_names() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < experts; ++k) names.push_back(fmt::format("e{}", k + 1));
  return names;
}

results::StudyConfig StudyConfig::summary() const {
  return {rounds, experts, sequences, switches, seed, methods, featured()};
}

}  // namespace pcgs::studies
