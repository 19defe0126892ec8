#include "reference/path_sum.h"

#include <cmath>
#include <cstddef>

namespace pcgs::reference {
namespace {

// Counts upwards in base K; false when every path has been seen.
bool next_path(std::vector<std::size_t>& path, std::size_t experts) {
  for (std::size_t& step : path) {
    if (++step < experts) return true;
    step = 0;
  }
  return false;
}

}  // namespace

std::vector<double> path_sum(const std::vector<double>& initial,
                             const std::vector<PathRound>& rounds) {
  const std::size_t experts = initial.size();
  std::vector<long double> mass(experts, 0);
  std::vector<std::size_t> path(rounds.size() + 1, 0);
  do {
    long double weight = initial[path[0]];
    for (std::size_t t = 0; t < rounds.size(); ++t) {
      const PathRound& round = rounds[t];
      const std::size_t from = path[t];
      const std::size_t to = path[t + 1];
      weight *= std::exp(-static_cast<long double>(round.eta) * round.losses[from]);
      weight *= (from == to ? 1 - static_cast<long double>(round.rho) : 0.0L) +
                static_cast<long double>(round.rho) * round.q[to];
    }
    mass[path.back()] += weight;
  } while (next_path(path, experts));

  long double total = 0;
  for (long double m : mass) total += m;
  std::vector<double> out(experts);
  for (std::size_t k = 0; k < experts; ++k) out[k] = static_cast<double>(mass[k] / total);
  return out;
}

}  // namespace pcgs::reference
