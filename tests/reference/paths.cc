#include "reference/paths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

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

namespace {

long double lasts_at_least(const Winners& winners, std::size_t length) {
  long double shorter = 0;
  for (std::size_t n = 1; n < length; ++n) shorter += winners.lasts(n);
  return 1 - shorter;
}

// path[t] is an index into members.
long double prior(const Winners& winners, const ExpertPath& path) {
  long double probability = 1.0L / static_cast<long double>(winners.members.size());
  if (winners.members.size() == 1) return probability;
  std::size_t length = 1;
  for (std::size_t t = 1; t < path.size(); ++t) {
    if (path[t] == path[t - 1]) {
      ++length;
    } else {
      probability *= winners.lasts(length) * winners.follows(path[t - 1], path[t]);
      length = 1;
    }
  }
  return probability * lasts_at_least(winners, length);
}

}  // namespace

std::function<long double(std::size_t)> lasts_geometrically(std::size_t least, double hazard) {
  return [=](std::size_t length) -> long double {
    if (length < least) return 0;
    return std::pow(1.0L - hazard, static_cast<long double>(length - least)) * hazard;
  };
}

std::function<long double(std::size_t)> lasts_between(std::size_t least, std::size_t most) {
  return [=](std::size_t length) -> long double {
    return length < least || length > most ? 0 : 1.0L / static_cast<long double>(most - least + 1);
  };
}

std::function<long double(std::size_t, std::size_t)> any_other_follows(std::size_t members) {
  return [=](std::size_t i, std::size_t j) -> long double {
    return i == j ? 0 : 1.0L / static_cast<long double>(members - 1);
  };
}

std::function<long double(std::size_t, std::size_t)> neighbour_follows(std::size_t members,
                                                                       double order) {
  return [=](std::size_t i, std::size_t j) -> long double {
    if (i == j) return 0;
    if (j == (i + 1) % members) return order;
    return (1.0L - order) / static_cast<long double>(members - 2);
  };
}

std::vector<long double> winning_by_enumeration(const Winners& winners, const LawsOf& laws,
                                                MatrixView losses) {
  // [T x K] each loss's likelihood if its expert wins and if it does not; it is the same for every
  // path, and only the product over experts and rounds differs.
  struct Both {
    long double wins, loses;
  };
  std::vector<Both> likelihoods;
  for (std::size_t t = 0; t < losses.rows; ++t) {
    for (std::size_t k = 0; k < losses.columns; ++k) {
      const WinLoseLaws& law = laws(t, k);
      const double loss = losses.row(t)[k];
      likelihoods.push_back({likelihood(law.winner, loss), likelihood(law.loser, loss)});
    }
  }
  const std::size_t size = winners.members.size();
  std::vector<long double> winning(size, 0);
  long double all = 0;
  for_each_path(size, losses.rows + 1, [&](const ExpertPath& path) {
    long double joint = prior(winners, path);
    for (std::size_t t = 0; t < losses.rows; ++t) {
      for (std::size_t k = 0; k < losses.columns; ++k) {
        const Both& both = likelihoods[t * losses.columns + k];
        joint *= winners.members[path[t]] == k ? both.wins : both.loses;
      }
    }
    winning[path.back()] += joint;
    all += joint;
  });
  for (long double& p : winning) p /= all;
  return winning;
}

std::vector<long double> expected_losses_by_enumeration(const Winners& winners, std::size_t experts,
                                                        const LawsOf& laws, MatrixView losses) {
  std::vector<long double> wins(experts, 0);
  const auto winning = winning_by_enumeration(winners, laws, losses);
  for (std::size_t i = 0; i < winning.size(); ++i) wins[winners.members[i]] = winning[i];
  std::vector<long double> expected;
  for (std::size_t k = 0; k < experts; ++k) {
    const WinLoseLaws& law = laws(losses.rows, k);
    expected.push_back(wins[k] * law.winner_mean + (1 - wins[k]) * law.loser_mean);
  }
  return expected;
}

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

double fixed_share_bound(std::size_t experts, std::size_t switches, std::size_t rounds, double eta,
                         double rho) {
  if (rounds == 0) return 0;
  const double ln_k = std::log(static_cast<double>(experts));
  // 0 switches cost nothing, whatever one would cost.
  const double switching =
      switches == 0 ? 0 : static_cast<double>(switches) * (ln_k - std::log(rho));
  const double staying = static_cast<double>(rounds - 1) * -std::log1p(-rho);
  return (ln_k + switching + staying) / eta + eta * static_cast<double>(rounds) / 8;
}

}  // namespace pcgs::reference
