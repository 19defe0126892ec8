#include "run/hindsight.h"

#include "pcgs/oracle.h"
#include "proof/sweep.h"

namespace pcgs::compare {

std::size_t stretch_of(std::size_t i, std::size_t rounds, std::size_t stretches) {
  return std::min(i, rounds - 1) * stretches / rounds;
}

Hindsight::Hindsight(Matrix losses, std::size_t switches, std::size_t stretches)
    : losses_(std::move(losses)),
      switches_(switches),
      budget_(std::min(switches, std::max<std::size_t>(rounds(), 1) - 1)),
      stretches_(std::min(stretches, std::max<std::size_t>(rounds(), 1))) {
  constexpr std::size_t kMostNumbers = 400'000;
  const std::size_t between = 1 + stretches_ * (budget_ + 1) / kMostNumbers;
  if (stretches_ > 0) path_ = switching_path(losses_, budget_).experts;
  const oracle::MatrixRows rows(losses_);
  oracle::Sweep sweep(rows, budget_ + 1);
  std::size_t first = 0;
  const auto keep = [&](std::size_t end) {
    if (end > first) sweep.advance(first, end - first, budget_ + 1);
    first = end;
    frontiers_.back().resize(budget_ + 1);  // zeros where there is no round
    for (std::size_t s = 0; s <= budget_ && end > 0; ++s) frontiers_.back()[s] = sweep.best(s);
  };
  for (std::size_t t = 0; t + 1 < rounds() && stretches_ > 0; ++t) {
    if (!ends_stretch(t)) continue;
    frontiers_.emplace_back();
    if (frontiers_.size() % between == 0) keep(t + 1);
  }
  frontiers_.emplace_back();
  keep(rounds());
}

std::vector<double> Hindsight::expert_losses() const {
  std::vector<double> totals(experts());
  for (std::size_t t = 0; t < rounds(); ++t) {
    for (std::size_t k = 0; k < experts(); ++k) totals[k] += losses_.row(t)[k];
  }
  return totals;
}

bool Hindsight::ends_stretch(std::size_t t) const {
  return t + 1 == rounds() ||
         stretch_of(t, rounds(), stretches_) != stretch_of(t + 1, rounds(), stretches_);
}

}  // namespace pcgs::compare
