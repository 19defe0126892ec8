#include "run/hindsight.h"

#include <cmath>
#include <limits>

#include "pcgs/oracle.h"
#include "proof/sweep.h"

namespace pcgs::compare {

LearnedLosses learned_losses(const Problem& problem) {
  constexpr double kAsleep = std::numeric_limits<double>::infinity();
  const std::size_t experts = problem.values.columns;
  const bool unit = problem.scale.wants_unit(problem.source());
  const bool keep_raw = !unit && problem.unclipped.rows == 0;
  LearnedLosses out{Matrix(0, experts), {}, keep_raw ? Matrix(0, experts) : problem.unclipped};
  out.scales.assign(problem.rounds(), std::numeric_limits<double>::quiet_NaN());
  for (Matrix* one : {&out.scaled, &out.unclipped}) {
    if (one == &out.scaled || keep_raw) one->values.reserve(problem.values.values.size());
  }
  LossScale scale = problem.scale;
  std::vector<double> raw(experts);
  std::vector<std::uint8_t> awake(experts);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (problem.has_forecasts() && std::isnan(problem.outcomes[t])) continue;
    const auto row = problem.values.row(t);
    for (std::size_t k = 0; k < experts; ++k) {
      awake[k] = std::isnan(row[k]) ? 0 : 1;
      raw[k] = problem.has_forecasts() ? problem.task(row[k], problem.outcomes[t]) : row[k];
    }
    if (std::ranges::find(awake, 1) == awake.end()) continue;
    const double c = scale.advance(raw, awake, problem.source());
    out.scales[t] = unit ? 1 : c;
    const auto add = [&](Matrix& to, const auto& loss) {
      for (std::size_t k = 0; k < experts; ++k) {
        to.values.push_back(awake[k] == 0 ? kAsleep : loss(raw[k]));
      }
      ++to.rows;
    };
    add(out.scaled, [&](double x) { return unit ? x : problem.scale.bounded(x, c); });
    if (keep_raw) add(out.unclipped, [](double x) { return x; });
  }
  return out;
}

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
