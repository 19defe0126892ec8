// Certificates by looking at every path: K^T of them, each with its prior probability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "reference/path_sum.h"

namespace pcgs::reference {

using ExpertPath = std::vector<std::uint32_t>;  // [T]

void for_each_path(std::size_t experts, std::size_t rounds,
                   const std::function<void(const ExpertPath&)>& visit);

std::size_t switches_of(const ExpertPath& path);

// w_1(p_1) prod_{t<T} A_t(p_t -> p_{t+1}); the controls of the last round play no part.
long double prior(const std::vector<double>& initial, const std::vector<PathRound>& rounds,
                  const ExpertPath& path);

// sum_t eta_t l_t(p_t)
long double weighted_loss(const std::vector<PathRound>& rounds, const ExpertPath& path);

// Phi = sum over paths of prior(p) exp(-weighted_loss(p))
long double partition(const std::vector<double>& initial, const std::vector<PathRound>& rounds);

// min over paths with at most s switches of weighted_loss(p) - ln prior(p), for s = 0, ..., most.
std::vector<double> penalised_by_enumeration(const std::vector<double>& initial,
                                             const std::vector<PathRound>& rounds,
                                             std::size_t most);

// E[-ln prior(p)] over paths that draw an expert from the mixture of each stretch of equal rows
// [T][K], independently, and keep it to the end of the stretch. Looks at every outcome of the draws.
double expected_code(const std::vector<double>& initial, const std::vector<PathRound>& rounds,
                     const std::vector<std::vector<double>>& mixtures);

}  // namespace pcgs::reference
