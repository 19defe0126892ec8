#include "studies/electricity.h"

#include <fmt/format.h>

#include "methods/hindsight.h"

namespace pcgs::studies {

using compare::Comparison;
using compare::MethodResult;

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
  return {"hedge", "fixed-share", "genshare", "ml-poly", "boa", "guard", "pcgs-tf"};
}

compare::Problem test_problem(const std::string& origin, const SplitLosses& losses) {
  return problem_of(origin, losses, losses.test);
}

Comparison play_benchmark(const std::string& origin, const SplitLosses& losses,
                          std::vector<std::string> methods,
                          const std::vector<std::size_t>& switches, const io::Monitor& monitor) {
  constexpr const char* kTuned[] = {"hedge", "fixed-share"};
  compare::ComparisonOptions compared;
  compared.switches = switches;
  const auto play = [&](const Matrix& part) {
    const auto problem = problem_of(origin, losses, part);
    compared.advance = monitor("playing", rounds_to_play(problem, compared));
    return play_methods(problem, compared);
  };
  for (const char* name : kTuned) compared.methods.push_back(fmt::format("{}*", name));
  const Comparison tuned = play(losses.training);

  std::erase_if(methods, [](const std::string& name) { return !is_playable(name); });
  const std::size_t untuned = methods.size();
  for (const MethodResult& method : tuned.methods) methods.push_back(method.chosen);
  methods.insert(methods.end(), compared.methods.begin(), compared.methods.end());
  compared.methods = std::move(methods);
  Comparison comparison = play(losses.test);
  for (std::size_t i = 0; i < std::size(kTuned); ++i) {
    MethodResult& method = comparison.methods[untuned + i];
    method.chosen = method.name;
    method.name = fmt::format("{} (tuned on training part)", kTuned[i]);
  }
  return comparison;
}

}  // namespace pcgs::studies
