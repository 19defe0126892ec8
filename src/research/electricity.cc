#include "research/electricity.h"

#include <fmt/format.h>

#include "combine/hindsight.h"

namespace pcgs::studies {

using compare::Comparison;

namespace {

compare::Problem problem_of(const std::string& origin, const SplitLosses& losses,
                            const Matrix& part) {
  compare::Problem problem;
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

compare::Problem test_problem(const std::string& origin, const SplitLosses& losses) {
  auto problem = problem_of(origin, losses, losses.test);
  problem.unclipped = losses.test_errors;
  return problem;
}

Comparison play_benchmark(const std::string& origin, const SplitLosses& losses,
                          compare::ComparisonOptions options, const io::Monitor& monitor) {
  const auto play = [&](const compare::Problem& problem, compare::ComparisonOptions compared) {
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
