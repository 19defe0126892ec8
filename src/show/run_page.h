// The page of a comparison.
#pragma once

#include <optional>
#include <string>

#include "run/comparison.h"
#include "run/quantiles.h"
#include "show/depth.h"
#include "show/run_result.h"

namespace pcgs::report {

// Looks at every method of a comparison in depth. Where it had begun before the first round of the
// problem, what it could prove is left out.
class DepthObserver final : public RunObserver {
 public:
  // Requires hindsight.
  TraceSink* begin(const Problem& problem, const MethodResult& method, const Aggregator& player,
                   const Hindsight* hindsight) override;
  void end() override;
  // After a method has played: everything, on the calendar of the problem if it has one.
  RunDepth take(const Problem& problem);

 private:
  const Hindsight* hindsight_ = nullptr;
  std::optional<RunDepth> run_;
  std::optional<DepthRecorder> recorder_;
  double before_ = 0;  // rounds that had been opened
};

// The page of a comparison, whose result this is, that was looked at in depth.
std::string run_page(const Problem& problem, const Comparison& comparison,
                     results::RunResult result, RunDepth depth);
// The same for one that was not: its methods play once more.
std::string run_page(const Problem& problem, const Comparison& comparison,
                     results::RunResult result);

// The page of many series.
std::string series_page(const results::SeriesResult& result, const std::string& origin);
// That of quantiles: what was published in each round, [rounds x P], and the result of it.
std::string quantile_page(const QuantileProblem& problem, const Matrix& published,
                          results::QuantileResult result);

}  // namespace pcgs::report
