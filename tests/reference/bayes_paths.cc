#include "reference/bayes_paths.h"

#include <cmath>

#include "reference/certify_paths.h"

namespace pcgs::reference {
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

}  // namespace pcgs::reference
