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

double expected_code(const std::vector<double>& initial, const std::vector<PathRound>& rounds,
                     const std::vector<std::vector<double>>& mixtures) {
  std::vector<std::size_t> starts;  // of the stretches
  for (std::size_t t = 0; t < mixtures.size(); ++t) {
    if (t == 0 || mixtures[t] != mixtures[t - 1]) starts.push_back(t);
  }
  long double expected = 0;
  for_each_path(initial.size(), starts.size(), [&](const ExpertPath& drawn) {
    long double probability = 1;
    ExpertPath path(mixtures.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      probability *= mixtures[starts[i]][drawn[i]];
      const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : mixtures.size();
      for (std::size_t t = starts[i]; t < end; ++t) path[t] = drawn[i];
    }
    if (probability > 0) expected -= probability * std::log(prior(initial, rounds, path));
  });
  return static_cast<double>(expected);
}

}  // namespace pcgs::reference
