#include "run/errors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/combination.h"
#include "run/best_mix.h"
#include "run/statistics.h"

namespace pcgs {

void ErrorSums::add(const TaskLoss& task, double forecast, double outcome) {
  const long double error = static_cast<long double>(forecast) - outcome;
  const double size = std::abs(outcome);
  smallest_ = rounds_ == 0 ? size : std::min(smallest_, size);
  ++rounds_;
  squared_ += error * error;
  absolute_ += std::abs(error);
  signed_ += error;
  relative_ += std::abs(error) / size;
  loss_ += task(forecast, outcome);
  size_ += size;
}

void ErrorSums::add(const ErrorSums& others) {
  if (others.rounds_ == 0) return;
  smallest_ = rounds_ == 0 ? others.smallest_ : std::min(smallest_, others.smallest_);
  rounds_ += others.rounds_;
  squared_ += others.squared_;
  absolute_ += others.absolute_;
  signed_ += others.signed_;
  relative_ += others.relative_;
  loss_ += others.loss_;
  size_ += others.size_;
}

double ErrorSums::rmse() const {
  return static_cast<double>(std::sqrt(squared_ / static_cast<long double>(rounds_)));
}

std::optional<double> ErrorSums::mape() const {
  if (rounds_ == 0 || !(smallest_ >= 0.05 * mean(size_)) || smallest_ == 0) return {};
  return mean(relative_);
}

double ErrorSums::measure(const TaskLoss& task) const {
  return task.kind() == TaskLoss::Kind::kSquared ? rmse() : loss();
}

std::string measure_name(const TaskLoss& task) {
  switch (task.kind()) {
    case TaskLoss::Kind::kSquared:
      return "RMSE";
    case TaskLoss::Kind::kAbsolute:
      return "MAE";
    case TaskLoss::Kind::kPinball:
      return "pinball loss";
    case TaskLoss::Kind::kLog:
      break;
  }
  return "log loss";
}

}  // namespace pcgs

namespace pcgs::compare {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The forecast of a round; NaN where there is none.
using Forecaster = std::function<double(std::size_t t)>;

ForecastError judged(const Problem& problem, const std::vector<double>& combined, std::string name,
                     ForecastError::Kind kind, const Forecaster& forecaster) {
  ForecastError out{std::move(name), kind, {}, {}};
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const double y = problem.outcomes[t];
    if (std::isnan(y)) continue;
    const double f = forecaster(t);
    if (std::isnan(f)) continue;
    out.own.add(problem.task, f, y);
    if (!std::isnan(combined[t])) out.combined.add(problem.task, combined[t], y);
  }
  return out;
}

struct ComparedRound {
  double ours, theirs, outcome;
};

// Losses whose ratio is asked for. Where numbers are so large that their squares leave the range of a
// double, all are divided by one power of two first.
double compared_unit(const std::vector<ComparedRound>& rounds) {
  constexpr double kLarge = 1e150;
  double largest = 0;
  for (const auto& [ours, theirs, outcome] : rounds) {
    largest = std::max({largest, std::abs(ours), std::abs(theirs), std::abs(outcome)});
  }
  return largest > kLarge ? std::ldexp(1.0, std::ilogb(largest)) : 1;
}

std::optional<Beside> beside(const Problem& problem, const std::vector<double>& combined,
                             const std::string& name, const Forecaster& other) {
  std::vector<ComparedRound> rounds;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const double y = problem.outcomes[t], f = other(t);
    if (std::isnan(y) || std::isnan(f) || std::isnan(combined[t])) continue;
    rounds.push_back({combined[t], f, y});
  }
  const double unit = compared_unit(rounds);
  std::vector<double> ours, theirs;
  for (const ComparedRound& round : rounds) {
    ours.push_back(problem.task(round.ours / unit, round.outcome / unit));
    theirs.push_back(problem.task(round.theirs / unit, round.outcome / unit));
  }
  const auto ratio = stats::loss_ratio(ours, theirs);
  if (!ratio) return {};
  const bool rooted = problem.task.kind() == TaskLoss::Kind::kSquared;
  const auto measured = [&](double x) { return rooted ? std::sqrt(x) : x; };
  Beside out{name, ours.size(), measured(ratio->ratio), {}, ratio->p};
  if (ratio->interval) {
    out.interval = {measured(ratio->interval->low), measured(ratio->interval->high)};
  }
  return out;
}

// NaN unless everybody is awake.
double mixed(std::span<const double> weights, std::span<const double> forecasts) {
  if (std::any_of(forecasts.begin(), forecasts.end(), [](double f) { return std::isnan(f); })) {
    return kNaN;
  }
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * forecasts[k];
  return ForecastRange(forecasts).hold(sum);
}

// What an expert's error would be if the combination's on its rounds were that on all: rounds that
// were hard for everybody count for less.
double comparable(const ForecastError& expert, const TaskLoss& task) {
  const double own = expert.own.measure(task), combined = expert.combined.measure(task);
  return combined > 0 && std::isfinite(combined) ? own / combined : own;
}

}  // namespace

double mean_of_awake(std::span<const double> forecasts) {
  long double sum = 0;  // no sum of doubles leaves its range
  std::size_t awake = 0;
  ForecastRange range;
  for (const double f : forecasts) {
    if (std::isnan(f)) continue;
    sum += f;
    range.add(f);
    ++awake;
  }
  return awake == 0 ? kNaN : range.hold(static_cast<double>(sum / awake));
}

void rank_experts(Errors& errors, const TaskLoss& task) {
  const auto first = std::find_if(errors.all.begin(), errors.all.end(), [](const auto& one) {
    return one.kind == ForecastError::Kind::kExpert;
  });
  std::size_t most = 0;
  for (auto at = first; at != errors.all.end(); ++at) most = std::max(most, at->own.rounds());
  const auto often = [&](const ForecastError& one) {
    const std::size_t rounds = one.own.rounds();
    return rounds > 0 && 2 * rounds >= std::min(errors.all.front().own.rounds(), 2 * most);
  };
  // Who forecasts rarely comes after the others, and who never does last.
  const auto order = [&](const ForecastError& one) {
    const double error = comparable(one, task);
    return std::pair(often(one)             ? 0
                     : one.own.rounds() > 0 ? 1
                                            : 2,
                     std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  };
  std::stable_sort(first, errors.all.end(), [&](const ForecastError& a, const ForecastError& b) {
    return order(a) < order(b);
  });
  errors.best_expert.reset();
  if (first != errors.all.end() && first->own.rounds() > 0) {
    errors.best_expert = static_cast<std::size_t>(first - errors.all.begin());
  }
}

Errors errors_of(const Problem& problem, const Comparison& comparison) {
  using Kind = ForecastError::Kind;
  const std::vector<double>& combined = comparison.methods.back().forecasts;
  Errors errors;
  const auto judge = [&](const std::string& name, Kind kind, const Forecaster& forecaster) {
    errors.all.push_back(judged(problem, combined, name, kind, forecaster));
  };
  for (auto method = comparison.methods.rbegin(); method != comparison.methods.rend(); ++method) {
    judge(method->name, Kind::kMethod, [&](std::size_t t) { return method->forecasts[t]; });
  }
  // As they were given, after the combination.
  std::reverse(errors.all.begin() + 1, errors.all.end());
  const Forecaster equal = [&](std::size_t t) { return mean_of_awake(problem.values.row(t)); };
  judge("equal weights", Kind::kReference, equal);
  if (const auto weights = best_mix(problem)) {
    judge("best convex mix", Kind::kReference,
          [&](std::size_t t) { return mixed(*weights, problem.values.row(t)); });
  }
  for (std::size_t k = 0; k < problem.experts.size(); ++k) {
    judge(problem.experts[k], Kind::kExpert,
          [&](std::size_t t) { return problem.values.row(t)[k]; });
  }
  rank_experts(errors, problem.task);
  errors.beside_equal = beside(problem, combined, "equal weights", equal);
  if (errors.best_expert) {
    const std::string& name = errors.all[*errors.best_expert].name;
    const auto k = static_cast<std::size_t>(
        std::find(problem.experts.begin(), problem.experts.end(), name) - problem.experts.begin());
    errors.beside_best =
        beside(problem, combined, name, [&](std::size_t t) { return problem.values.row(t)[k]; });
  }
  return errors;
}

Errors add_errors(std::span<const Errors* const> series, const TaskLoss& task) {
  Errors sum;
  for (const Errors* one : series) {
    for (const ForecastError& error : one->all) {
      const auto at = std::find_if(sum.all.begin(), sum.all.end(), [&](const auto& known) {
        return known.name == error.name && known.kind == error.kind;
      });
      if (at == sum.all.end()) {
        sum.all.push_back(error);
      } else {
        at->own.add(error.own);
        at->combined.add(error.combined);
      }
    }
  }
  // A reference that only a later series has stands after the experts of the first.
  std::stable_partition(sum.all.begin(), sum.all.end(), [](const ForecastError& error) {
    return error.kind != ForecastError::Kind::kExpert;
  });
  rank_experts(sum, task);
  const auto beside = [&](const ForecastError& other) -> std::optional<Beside> {
    const double ratio = other.combined.measure(task) / other.own.measure(task);
    if (!std::isfinite(ratio)) return {};
    return Beside{other.name, other.own.rounds(), ratio, {}, {}};
  };
  if (sum.best_expert) sum.beside_best = beside(sum.all[*sum.best_expert]);
  for (const ForecastError& error : sum.all) {
    if (error.kind == ForecastError::Kind::kReference && error.name == "equal weights") {
      sum.beside_equal = beside(error);
    }
  }
  return sum;
}

std::vector<IntervalScore> interval_scores(const Problem& problem, const IntervalRecord& record) {
  std::vector<IntervalScore> scores;
  for (std::size_t i = 0; i < record.levels.size(); ++i) {
    std::size_t rounds = 0, inside = 0;
    long double width = 0;  // where no sum of doubles leaves the range
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      const double low = record.low.row(t)[i], high = record.high.row(t)[i];
      const double y = problem.outcomes[t];
      if (std::isnan(low) || std::isnan(y)) continue;
      ++rounds;
      inside += y >= low && y <= high ? 1 : 0;
      width += static_cast<long double>(high) - low;
    }
    const auto n = static_cast<double>(rounds);
    scores.push_back({record.levels[i], rounds, static_cast<double>(inside) / n,
                      static_cast<double>(width / n)});
  }
  return scores;
}

}  // namespace pcgs::compare
