#include "reference/learner.h"

#include <utility>

namespace pcgs::reference {
namespace {

// <weights, values> over the awake.
double combine(const std::vector<double>& weights, const std::vector<double>& values,
               const std::vector<std::uint8_t>& awake) {
  long double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (awake[k]) sum += static_cast<long double>(weights[k]) * values[k];
  }
  return static_cast<double>(sum);
}

FinishedRound finish(const std::vector<double>& weights, std::vector<double> losses,
                     const std::vector<std::uint8_t>& awake) {
  const double mixture_loss = combine(weights, losses, awake);
  for (std::size_t k = 0; k < losses.size(); ++k) {
    if (!awake[k]) losses[k] = mixture_loss;
  }
  return {std::move(losses), awake, mixture_loss};
}

}  // namespace

std::vector<double> played(const Learner& learner, const std::vector<std::uint8_t>& awake) {
  std::vector<double> weights = learner.weights();
  long double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!awake[k]) weights[k] = 0;
    sum += weights[k];
  }
  for (double& w : weights) w = static_cast<double>(w / sum);
  return weights;
}

double play_losses(Learner& learner, std::vector<double> losses,
                   const std::vector<std::uint8_t>& awake) {
  const FinishedRound round = finish(played(learner, awake), std::move(losses), awake);
  learner.learn(round);
  return round.learner_loss;
}

double play_forecasts(Learner& learner, const std::vector<double>& forecasts,
                      const std::vector<std::uint8_t>& awake, double outcome) {
  const std::vector<double> weights = played(learner, awake);
  const double combined = combine(weights, forecasts, awake);
  std::vector<double> losses(forecasts.size());
  for (std::size_t k = 0; k < losses.size(); ++k) {
    losses[k] = (forecasts[k] - outcome) * (forecasts[k] - outcome);
  }
  FinishedRound round = finish(weights, std::move(losses), awake);
  round.learner_loss = (combined - outcome) * (combined - outcome);
  learner.learn(round);
  return combined;
}

}  // namespace pcgs::reference
