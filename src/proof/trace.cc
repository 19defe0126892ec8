#include "pcgs/trace.h"

namespace pcgs {

void Trace::record(const TraceRow& row) {
  Row& kept = rows_.emplace_back();
  kept.round = row.round.number;
  kept.weights.assign(row.played.begin(), row.played.end());
  kept.losses.assign(row.round.losses.begin(), row.round.losses.end());
  kept.mixture_loss = row.round.mixture_loss;
  kept.learner_loss = row.round.learner_loss;
  kept.scale = row.round.scale;
  kept.forecast_loss = row.forecast_loss;
  if (row.step == nullptr) return;
  const auto& [eta, rho, q] = row.step->controls;
  kept.eta = eta;
  kept.rho = rho;
  kept.q.assign(q.begin(), q.end());
  if (q.empty()) kept.q.assign(row.played.size(), 1.0 / static_cast<double>(row.played.size()));
  kept.mix_loss = row.step->mix_loss;
  kept.gap = row.step->gap;
}

}  // namespace pcgs
