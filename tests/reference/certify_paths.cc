#include "reference/certify_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs::reference {

void for_each_path(std::size_t experts, std::size_t rounds,
                   const std::function<void(const ExpertPath&)>& visit) {
  ExpertPath path(rounds, 0);
  for (;;) {
    visit(path);
    // Counts upwards in base K.
    std::size_t t = 0;
    while (t < rounds && ++path[t] == experts) path[t++] = 0;
    if (t == rounds) return;
  }
}

std::size_t switches_of(const ExpertPath& path) {
  std::size_t switches = 0;
  for (std::size_t t = 1; t < path.size(); ++t) switches += path[t] != path[t - 1] ? 1u : 0u;
  return switches;
}

long double prior(const std::vector<double>& initial, const std::vector<PathRound>& rounds,
                  const ExpertPath& path) {
  long double probability = initial[path[0]];
  for (std::size_t t = 0; t + 1 < rounds.size(); ++t) {
    const long double rho = rounds[t].rho;
    probability *= (path[t] == path[t + 1] ? 1 - rho : 0.0L) + rho * rounds[t].q[path[t + 1]];
  }
  return probability;
}

long double weighted_loss(const std::vector<PathRound>& rounds, const ExpertPath& path) {
  long double sum = 0;
  for (std::size_t t = 0; t < rounds.size(); ++t) {
    sum += static_cast<long double>(rounds[t].eta) * rounds[t].losses[path[t]];
  }
  return sum;
}

long double partition(const std::vector<double>& initial, const std::vector<PathRound>& rounds) {
  long double sum = 0;
  for_each_path(initial.size(), rounds.size(), [&](const ExpertPath& path) {
    sum += prior(initial, rounds, path) * std::exp(-weighted_loss(rounds, path));
  });
  return sum;
}

std::vector<double> penalised_by_enumeration(const std::vector<double>& initial,
                                             const std::vector<PathRound>& rounds,
                                             std::size_t most) {
  std::vector<double> best(most + 1, std::numeric_limits<double>::infinity());
  for_each_path(initial.size(), rounds.size(), [&](const ExpertPath& path) {
    const long double cost = weighted_loss(rounds, path) - std::log(prior(initial, rounds, path));
    for (std::size_t s = switches_of(path); s <= most; ++s) {
      best[s] = std::min(best[s], static_cast<double>(cost));
    }
  });
  return best;
}

}  // namespace pcgs::reference
