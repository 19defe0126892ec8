// The controllers of the share recursion and the methods of another form, each with its formula, source and
// bound where it is, and what they share: the grid of rates, linearised losses, checks on saved numbers.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "pcgs/method.h"
#include "pcgs/state.h"

namespace pcgs {

std::unique_ptr<Controller> make_hedge(double eta);
std::unique_ptr<Controller> make_fixed_share(double eta, double rho);
std::unique_ptr<Controller> make_genshare(double eta, double rho);
std::unique_ptr<Controller> make_past_posteriors(double eta, double rho);

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

// The grid of Fixed Share rates that everything tuned over them uses: learn-alpha while it plays,
// fixed-share* and hedge* in hindsight.
inline constexpr std::array kEtaGrid = {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0};
inline constexpr std::array kRhoGrid = {0.0, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1};
inline constexpr std::size_t kGridSize = kEtaGrid.size() * kRhoGrid.size();

// Linearised losses, the "gradient trick". With p the combined forecast, f its loss and g a
// subgradient of f at p,
//
//     l(k) = [ g x(k) - min_j g x(j) ] / C
//
// For every mixture u of experts, f(p) - f(sum_k u(k) x(k)) <= C sum_k (w(k) - u(k)) l(k): a method
// that learns from these competes with the best *mixture*, not only with the best expert, and one
// that restarts with the best sequence of mixtures. Kivinen and Warmuth, Exponentiated gradient
// versus gradient descent, 1997; the default of the R package opera.
//
// Writes l(k) of a round with forecasts, and the learner's own into `learner`; a sleeper's is the
// learner's. None is more than `most` from the learner's, so that all are at most twice that; it may
// be infinite.
void linearise(const Round& round, double most, std::span<double> losses, double& learner);

enum class Linear {
  kNever,   // the losses as they are
  kCapped,  // linearised losses where a round has forecasts, capped at 1
  kFree,    // the same, as large as they are
};

// The method under this name, and on these losses.
std::unique_ptr<Method> make_linearised(std::unique_ptr<Method> method, Linear linear,
                                        std::string name);

// A valid checksum does not make saved numbers sane: accepts weights only if they lie on the simplex, and
// other numbers only if every one lies in [low, 1e200].
void load_weights(StateReader& in, std::span<double> weights);
void load_finite(StateReader& in, std::span<double> values, double low, const char* what);

}  // namespace pcgs
