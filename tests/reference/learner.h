// What the slow methods of this library have in common, and the protocol of docs/internals/mathematics.md
// written out once: play renormalised over the awake, give each sleeper the learner's own loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pcgs::reference {

struct FinishedRound {
  std::vector<double> losses;       // [K] bounded; a sleeper's is the mixture loss
  std::vector<std::uint8_t> awake;  // [K]
  double learner_loss = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;
  virtual std::vector<double> weights() const = 0;  // [K]
  virtual void learn(const FinishedRound& round) = 0;
};

// [K] zero for sleepers. Requires awake weight.
std::vector<double> played(const Learner& learner, const std::vector<std::uint8_t>& awake);

// One round with losses; entries of sleepers are not looked at. Returns the mixture loss.
double play_losses(Learner& learner, std::vector<double> losses,
                   const std::vector<std::uint8_t>& awake);

// One round with forecasts, squared loss and no scaling; entries of sleepers are not looked at.
// Returns the combined forecast.
double play_forecasts(Learner& learner, const std::vector<double>& forecasts,
                      const std::vector<std::uint8_t>& awake, double outcome);

}  // namespace pcgs::reference
