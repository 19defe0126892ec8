// The methods that are not a controlled share recursion. Each file holds one, with its formula,
// source and bound.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "pcgs/method.h"

namespace pcgs {

std::unique_ptr<Method> make_variable_share(std::size_t experts, double eta, double rho);
std::unique_ptr<Method> make_learn_alpha(std::size_t experts);
std::unique_ptr<Method> make_adahedge(std::size_t experts);
std::unique_ptr<Method> make_squint(std::size_t experts);
std::unique_ptr<Method> make_ml_poly(std::size_t experts);
std::unique_ptr<Method> make_boa(std::size_t experts);
std::unique_ptr<Method> make_boa_doubling(std::size_t experts);
std::unique_ptr<Method> make_ml_ewa(std::size_t experts);
std::unique_ptr<Method> make_ml_prod(std::size_t experts);
// `learned` (may be null) gets `share` of the prior, in (0, 0.8]; `name` is what the registry would
// parse.
std::unique_ptr<Method> make_guard(std::size_t experts, std::unique_ptr<Method> learned,
                                   double share, std::string name);

// r(k) = learner_loss - losses(k): what the learner would have saved by following expert k. Zero
// for sleepers.
inline double instantaneous_regret(const Round& round, std::size_t k) {
  return round.is_awake(k) ? round.learner_loss - round.losses[k] : 0;
}

}  // namespace pcgs
