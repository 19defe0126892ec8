#include "run/errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine/quantile_levels.h"
#include "core/kernels.h"
#include "run/statistics.h"

namespace pcgs {

// ---- Sums ---------------------------------------------------------------------------------------

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

void ErrorSums::add(const levels::Levels& levels, std::span<const double> quantiles,
                    double outcome) {
  ++rounds_;
  levels_.score += level_score(levels, quantiles, outcome);
  if (!levels.symmetric()) return;
  const levels::ScoreParts parts = score_parts(levels, quantiles, outcome);
  levels_.width += parts.width;
  levels_.above += parts.above;
  levels_.below += parts.below;
  levels_.held.resize(levels.size() / 2);
  for (std::size_t i = 0; i < levels_.held.size(); ++i) {
    levels_.held[i] += quantiles[i] <= outcome && outcome <= quantiles[levels.size() - 1 - i];
  }
}

void ErrorSums::add(const ErrorSums& others) {
  if (others.rounds_ == 0) return;
  smallest_ = rounds_ == 0 ? others.smallest_ : std::min(smallest_, others.smallest_);
  rounds_ += others.rounds_;
  for (const auto sum : {&ErrorSums::squared_, &ErrorSums::absolute_, &ErrorSums::signed_,
                         &ErrorSums::relative_, &ErrorSums::loss_, &ErrorSums::size_}) {
    this->*sum += others.*sum;
  }
}

double ErrorSums::rmse() const {
  return static_cast<double>(std::sqrt(squared_ / static_cast<long double>(rounds_)));
}

std::optional<double> ErrorSums::mape() const {
  if (rounds_ == 0 || !(smallest_ >= 0.05 * mean(size_)) || smallest_ == 0) return {};
  return mean(relative_);
}

// ---- Measures -----------------------------------------------------------------------------------

ErrorMeasure ErrorMeasure::of_levels(bool symmetric) {
  ErrorMeasure measure;
  measure.kind_.reset();
  measure.symmetric_ = symmetric;
  return measure;
}

const char* ErrorMeasure::name() const {
  if (!kind_) return symmetric_ ? "WIS" : "level score";
  constexpr const char* kNames[] = {"RMSE", "MAE", "pinball loss", "log loss"};
  return kNames[static_cast<std::size_t>(*kind_)];
}

double ErrorMeasure::operator()(const ErrorSums& sums) const {
  if (!kind_) return sums.of_levels().score / static_cast<double>(sums.rounds());
  return is_root() ? sums.rmse() : sums.loss();
}

double ErrorMeasure::ratio(const ForecastError& other) const {
  if (kind_) return (*this)(other.combined) / (*this)(other.own);
  // Infinite for one that was never wrong, if the combination was.
  const double ours = other.combined.of_levels().score, theirs = other.own.of_levels().score;
  return ours == theirs ? 1 : ours / theirs;
}

}  // namespace pcgs

namespace pcgs::compare {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Kind = ForecastError::Kind;

// What an expert's error would be if the combination's on its rounds were that on all: rounds that
// were hard for everybody count for less.
double comparable(const ForecastError& expert, const ErrorMeasure& measure) {
  if (!measure.of_points()) return -measure.ratio(expert);
  const double own = measure(expert.own), combined = measure(expert.combined);
  const double error = combined > 0 && std::isfinite(combined) ? own / combined : own;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

// Of points, who forecasts rarely comes after the others, and who never does last. Those who never gave
// a distribution that was judged are left out.
void rank_experts(Errors& errors) {
  const ErrorMeasure& measure = errors.measure;
  const std::size_t combined = errors.all.front().own.rounds();
  if (!measure.of_points() && combined > 0) {
    std::erase_if(errors.all, [](const ForecastError& one) { return one.own.rounds() == 0; });
  }
  const auto first = std::ranges::find(errors.all, Kind::kExpert, &ForecastError::kind);
  std::size_t most = 0;
  for (auto at = first; at != errors.all.end(); ++at) most = std::max(most, at->own.rounds());
  // Where nobody forecasts half of the points, half as often as the most frequent is enough.
  const std::size_t all = measure.of_points() ? std::min(combined, 2 * most) : combined;
  const auto often = [&](const ForecastError& one) {
    return one.own.rounds() > 0 && 2 * one.own.rounds() >= all;
  };
  const auto order = [&](const ForecastError& one) {
    const int group = !measure.of_points() || often(one) ? 0 : one.own.rounds() > 0 ? 1 : 2;
    return std::pair(group, comparable(one, measure));
  };
  std::ranges::stable_sort(first, errors.all.end(), {}, order);
  const auto best = std::find_if(first, errors.all.end(), often);
  errors.best_expert.reset();
  if (best != errors.all.end()) {
    errors.best_expert = static_cast<std::size_t>(best - errors.all.begin());
  }
}

// `beside` puts the combination beside one of the others.
template <class BesideOne>
void set_beside(Errors& errors, const BesideOne& beside) {
  if (errors.best_expert) errors.beside_best = beside(errors.all[*errors.best_expert]);
  const auto equal = std::ranges::find(errors.all, Kind::kReference, &ForecastError::kind);
  if (equal != errors.all.end()) errors.beside_equal = beside(*equal);
}

}  // namespace

void PairedLosses::add(double time, double our, double their) {
  if (rounds++ == 0 || time != last) {
    ours.push_back(0);
    theirs.push_back(0);
    last = time;
  }
  ours.back() += our;
  theirs.back() += their;
}

void judge(Errors& errors, const std::function<PairedLosses(const ForecastError& other)>& paid) {
  rank_experts(errors);
  const ErrorMeasure& measure = errors.measure;
  set_beside(errors, [&](const ForecastError& other) -> std::optional<Beside> {
    const PairedLosses losses = paid(other);
    const auto ratio = stats::loss_ratio(losses.ours, losses.theirs);
    if (!ratio) return {};
    const auto measured = [&](double x) { return measure.is_root() ? std::sqrt(x) : x; };
    Beside out{other.name, losses.rounds, measured(ratio->ratio), {}, ratio->p};
    if (!measure.of_points()) out.ratio = measure.ratio(other);
    if (!std::isfinite(out.ratio)) return {};
    if (ratio->interval) {
      out.interval = {measured(ratio->interval->low), measured(ratio->interval->high)};
    }
    return out;
  });
}

Errors add_errors(std::span<const Errors* const> series) {
  Errors sum;
  sum.measure = series.front()->measure;
  for (const Errors* one : series) {
    for (const ForecastError& error : one->all) {
      const auto at = std::ranges::find_if(sum.all, [&](const auto& known) {
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
  std::stable_partition(sum.all.begin(), sum.all.end(),
                        [](const auto& one) { return one.kind != Kind::kExpert; });
  rank_experts(sum);
  set_beside(sum, [&](const ForecastError& other) -> std::optional<Beside> {
    const double ratio = sum.measure.ratio(other);
    if (!std::isfinite(ratio)) return {};
    return Beside{other.name, other.own.rounds(), ratio, {}, {}};
  });
  return sum;
}

// ---- Points -------------------------------------------------------------------------------------

namespace {

// The forecast of a round; NaN where there is none.
using Forecaster = std::function<double(std::size_t t)>;

ForecastError judged(const Problem& problem, const std::vector<double>& combined, std::string name,
                     Kind kind, const Forecaster& forecaster) {
  ForecastError out{std::move(name), kind};
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

// Losses whose ratio is asked for. Where numbers are so large that their squares leave the range of a
// double, all are divided by one power of two first.
PairedLosses paid(const Problem& problem, const std::vector<double>& combined,
                  const Forecaster& other) {
  constexpr double kLarge = 1e150;
  const auto each_round = [&](const auto& use) {
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      const double y = problem.outcomes[t], f = other(t);
      if (!std::isnan(y) && !std::isnan(f) && !std::isnan(combined[t])) use(t, combined[t], f, y);
    }
  };
  double largest = 0;
  each_round([&](std::size_t, double ours, double theirs, double y) {
    largest = std::max({largest, std::abs(ours), std::abs(theirs), std::abs(y)});
  });
  const double unit = largest > kLarge ? std::ldexp(1.0, std::ilogb(largest)) : 1;
  PairedLosses out;
  each_round([&](std::size_t t, double ours, double theirs, double y) {
    out.add(static_cast<double>(t), problem.task(ours / unit, y / unit),
            problem.task(theirs / unit, y / unit));
  });
  return out;
}

// NaN unless everybody is awake.
double mixed(std::span<const double> weights, std::span<const double> forecasts) {
  if (std::ranges::any_of(forecasts, [](double f) { return std::isnan(f); })) return kNaN;
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * forecasts[k];
  return ForecastRange(forecasts).hold(sum);
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

Errors errors_of(const Problem& problem, const Comparison& comparison) {
  const std::vector<double>& combined = comparison.methods.back().forecasts;
  Errors errors;
  errors.measure = problem.task;
  const auto add = [&](const std::string& name, Kind kind, const Forecaster& forecaster) {
    errors.all.push_back(judged(problem, combined, name, kind, forecaster));
  };
  const auto add_method = [&](const MethodResult& method) {
    add(method.name, Kind::kMethod, [&](std::size_t t) { return method.forecasts[t]; });
  };
  add_method(comparison.methods.back());
  for (std::size_t i = 0; i + 1 < comparison.methods.size(); ++i) add_method(comparison.methods[i]);
  const Forecaster equal = [&](std::size_t t) { return mean_of_awake(problem.values.row(t)); };
  add("equal weights", Kind::kReference, equal);
  if (const auto weights = best_mix(problem)) {
    add("best convex mix", Kind::kReference,
        [&](std::size_t t) { return mixed(*weights, problem.values.row(t)); });
  }
  const auto expert = [&](std::size_t k) -> Forecaster {
    return [&problem, k](std::size_t t) { return problem.values.row(t)[k]; };
  };
  for (std::size_t k = 0; k < problem.experts.size(); ++k) {
    add(problem.experts[k], Kind::kExpert, expert(k));
  }
  judge(errors, [&](const ForecastError& other) {
    const auto at = std::ranges::find(problem.experts, other.name) - problem.experts.begin();
    return paid(problem, combined,
                other.kind == Kind::kReference ? equal : expert(static_cast<std::size_t>(at)));
  });
  return errors;
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
