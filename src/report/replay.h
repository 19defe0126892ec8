// A problem played once more, looked at in depth.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compare/comparison.h"
#include "report/depth.h"
#include "report/forecast_curves.h"

namespace pcgs::report {

// How finely a run is drawn of which so many methods share a page: pages stay small.
std::size_t stretches_for(std::size_t methods);

// Looks at every method of a comparison in depth. Where it had begun before the first round of the
// problem, what it could prove is left out. The problem must outlive the observer.
class DepthObserver final : public compare::Observer {
 public:
  explicit DepthObserver(const compare::Problem& problem) : problem_(problem) {}
  TraceSink* begin(const compare::MethodResult& method, const Aggregator& player,
                   const Hindsight& hindsight) override;
  void end() override;
  RunDepth take() { return std::move(*run_); }  // after a method has played

 private:
  const compare::Problem& problem_;
  const Hindsight* hindsight_ = nullptr;
  std::optional<RunDepth> run_;
  std::optional<DepthRecorder> recorder_;
};

// The same from a trace that pcgs run wrote: everything but what a method could prove that is not
// of the share form. `sharing` is how many runs share the page. Throws Error, naming `origin`.
RunDepth depth_of_trace(std::string_view text, const std::string& origin, std::size_t switches,
                        std::size_t sharing);
bool is_trace(std::string_view text);

// Requires forecasts.
ForecastCurves forecast_curves(const compare::Problem& problem,
                               const compare::Comparison& comparison);

}  // namespace pcgs::report
