// A finished round: what a method learns from and a controller decides on.
//
// A Round exists only after its losses have arrived, so whoever is handed one cannot act on the
// future.
#pragma once

#include <cstdint>
#include <span>

#include "pcgs/losses.h"

namespace pcgs {

// The forecasts of a finished round and what became of them.
struct RoundForecasts {
  const TaskLoss* task = nullptr;   // what they are judged by; null in a round without forecasts
  std::span<const double> given{};  // [K] of the experts; a sleeper's is 0
  double combined = 0;              // what was published
  double outcome = 0;
  std::span<const double> kept{};  // what a Combiner kept when the round was opened
};

struct Round {
  // Without it GCC clears a round with `rep stos`, which every learn() would wait for.
  Round() {}

  // 1, 2, ... in the order in which rounds were opened; outcomes may arrive in another order.
  std::int64_t number = 0;
  // [K] losses in [0,1], divided by `scale`. A sleeping expert's entry is mixture_loss, so that
  // sleeping moves nobody's regret.
  std::span<const double> losses;
  // [K] the method's weights at the moment the losses arrive, before the update. They are the
  // weights that were played unless the outcome came late or somebody slept.
  std::span<const double> weights;
  // [K] 1 where the expert was awake; empty when everybody was.
  std::span<const std::uint8_t> awake;
  // <played weights, losses>.
  double mixture_loss = 0;
  // What the learner's own decision lost: the loss of the combined forecast, divided by `scale` and
  // capped at 1, where there are forecasts, otherwise mixture_loss.
  double learner_loss = 0;
  // Side information given when the round was opened; may be empty. What is decided on this round
  // is played from the next one on, so it can help where it says something of rounds to come.
  std::span<const double> side{};
  // Raw losses for each unit of these (see LossScale).
  double scale = 1;
  // Rounds that were opened after this one and before its losses came: how late they are.
  std::int64_t late = 0;
  RoundForecasts forecasts{};

  bool is_awake(std::size_t expert) const { return awake.empty() || awake[expert] != 0; }
};

}  // namespace pcgs
