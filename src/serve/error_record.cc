#include "serve/error_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs::stream {

namespace {

constexpr double kMost = std::numeric_limits<double>::max();

// An infinite loss is one that a double cannot hold, or that ruled out what happened.
void add_loss(double& sum, double loss) { sum = std::min(sum + loss, kMost); }

}  // namespace

void ErrorRecord::add(const TaskLoss& task, double published, double mean, double outcome) {
  ++rounds_;
  add_loss(combination_, task(published, outcome));
  add_loss(equal_weights_, task(mean, outcome));
}

std::optional<double> ErrorRecord::measure(const TaskLoss& task, double sum) const {
  if (rounds_ == 0 || sum == kMost) return {};
  const double mean = sum / static_cast<double>(rounds_);
  return task.kind() == TaskLoss::Kind::kSquared ? std::sqrt(mean) : mean;
}

std::optional<double> ErrorRecord::combination(const TaskLoss& task) const {
  return measure(task, combination_);
}

std::optional<double> ErrorRecord::equal_weights(const TaskLoss& task) const {
  return measure(task, equal_weights_);
}

std::optional<double> ErrorRecord::ratio(const TaskLoss& task) const {
  const auto ours = combination(task), theirs = equal_weights(task);
  if (!ours || !theirs) return {};
  const double ratio = *ours / *theirs;
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

void ErrorRecord::save(StateWriter& out) const {
  out.u64(rounds_);
  out.f64(combination_);
  out.f64(equal_weights_);
}

void ErrorRecord::load(StateReader& in) {
  rounds_ = in.u64();
  combination_ = in.f64_within(0, kMost, "the sum of losses");
  equal_weights_ = in.f64_within(0, kMost, "the sum of losses of equal weights");
}

}  // namespace pcgs::stream
