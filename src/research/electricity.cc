#include "research/electricity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "combine/hindsight_methods.h"
#include "pcgs/error.h"
#include "pcgs/loss_scale.h"

namespace pcgs::studies {

namespace {

constexpr std::size_t kFewestRounds = 50;  // of either part

Matrix rows_of(const Matrix& from, std::size_t first, std::size_t end) {
  Matrix out(end - first, from.columns);
  std::copy_n(from.values.begin() + static_cast<std::ptrdiff_t>(first * from.columns),
              out.values.size(), out.values.begin());
  return out;
}

// The smallest loss with at least this share of them at or below it; the largest if that is 0, and
// 1 if all are.
double quantile_scale(std::vector<double> losses, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(losses.size())));
  const auto at = losses.begin() +
                  static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, losses.size()) - 1);
  std::nth_element(losses.begin(), at, losses.end());
  if (*at > 0) return *at;
  const double largest = *std::max_element(losses.begin(), losses.end());
  return largest > 0 ? largest : 1;
}

}  // namespace

SplitLosses split_losses(const std::vector<double>& series, ExpertPool pool,
                         const SplitOptions& options, const std::string& origin) {
  SplitLosses out;
  out.experts = pool.names();
  out.observations = std::min(options.observations, series.size());
  const std::size_t skipped = series.size() - out.observations;
  const auto split =
      static_cast<std::size_t>(options.training * static_cast<double>(out.observations));

  Matrix errors(out.observations, pool.size());
  std::vector<std::size_t> begins(pool.size(), out.observations);  // its first forecast
  for (std::size_t t = 0; t < out.observations; ++t) {
    const double y = series[skipped + t];
    const auto row = errors.row(t);
    pool.forecast(row);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!std::isnan(row[k])) begins[k] = std::min(begins[k], t);
      row[k] = (row[k] - y) * (row[k] - y);
    }
    pool.observe(y);
  }
  const auto slowest = std::max_element(begins.begin(), begins.end());
  out.burn_in = std::max(options.burn_in, *slowest);
  if (out.burn_in + kFewestRounds > split) {
    throw Error(fmt::format(
        "{}: of {} observations the first {} are the training part, and {}; give more "
        "observations, or experts that look less far back",
        origin, out.observations, split,
        *slowest > options.burn_in
            ? fmt::format("{} says nothing in the first {}",
                          out.experts[static_cast<std::size_t>(slowest - begins.begin())], *slowest)
            : fmt::format("the burn-in is {}", options.burn_in)));
  }
  if (split + kFewestRounds > out.observations) {
    throw Error(fmt::format("{}: {} observations leave {} for the test part; give at least {}",
                            origin, out.observations, out.observations - split, kFewestRounds));
  }
  for (std::size_t t = out.burn_in; t < out.observations; ++t) {
    const auto row = errors.row(t);
    const auto asleep =
        std::find_if(row.begin(), row.end(), [](double e) { return std::isnan(e); });
    if (asleep == row.end()) continue;
    throw Error(fmt::format(
        "{}: {} says nothing about observation {} of {}, after it has begun; look for wild values "
        "before it, or leave that expert out",
        origin, out.experts[static_cast<std::size_t>(asleep - row.begin())], t + 1,
        out.observations));
  }
  out.training = rows_of(errors, out.burn_in, split);
  out.test = out.test_errors = rows_of(errors, split, out.observations);
  out.scale = quantile_scale(out.training.values, options.quantile);
  out.bound = options.bound;
  const LossScale scale = LossScale().bounded_by(options.bound);
  for (Matrix* part : {&out.training, &out.test}) {
    for (double& l : part->values) l = scale.bounded(l, out.scale);
  }
  return out;
}

namespace {

Problem problem_of(const std::string& origin, const SplitLosses& losses, const Matrix& part) {
  Problem problem;
  problem.origin = origin;
  problem.experts = losses.experts;
  problem.values = part;
  return problem;
}

}  // namespace

ExpertPool benchmark_pool(const std::vector<std::size_t>& seasons, std::size_t window) {
  Experts experts = benchmark_experts(seasons);
  if (window > 0) {
    std::vector<std::size_t> lags = {1, 2, 3};
    if (!seasons.empty() && seasons[0] > 3) lags.push_back(seasons[0]);
    experts.push_back(rolling_regression_expert(lags, window));
  }
  return ExpertPool(std::move(experts));
}

std::vector<std::string> benchmark_methods() {
  return {"hedge", "fixed-share", "genshare",       "ml-poly",
          "boa",   "guard",       "pcgs-tf:oracle", "pcgs-tf"};
}

Problem test_problem(const std::string& origin, const SplitLosses& losses) {
  auto problem = problem_of(origin, losses, losses.test);
  problem.unclipped = losses.test_errors;
  return problem;
}

Comparison play_benchmark(const std::string& origin, const SplitLosses& losses,
                          compare::ComparisonOptions options, const io::Monitor& monitor) {
  const auto play = [&](const Problem& problem, compare::ComparisonOptions compared) {
    compared.advance = monitor("playing", compare::rounds_to_play(problem, compared));
    return compare::play_methods(problem, compared);
  };
  compare::ComparisonOptions tuning;
  tuning.switches = options.switches;
  tuning.methods = {"hedge*", "fixed-share*"};
  const Comparison tuned = play(problem_of(origin, losses, losses.training), tuning);

  std::erase_if(options.methods, [](const std::string& name) { return !is_playable(name); });
  options.shown_as.resize(options.methods.size());
  for (const auto& method : tuned.methods) {
    options.methods.push_back(method.chosen);
    options.shown_as.push_back(
        fmt::format("{} (tuned on training part)", method.name.substr(0, method.name.size() - 1)));
  }
  options.methods.insert(options.methods.end(), tuning.methods.begin(), tuning.methods.end());
  options.shown_as.resize(options.methods.size());
  return play(test_problem(origin, losses), std::move(options));
}

}  // namespace pcgs::studies
