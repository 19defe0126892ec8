// A problem played once more, looked at in depth.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "compare/comparison.h"
#include "report/depth.h"
#include "report/forecast_curves.h"

namespace pcgs::report {

using MakePlayer = std::function<Aggregator(const std::string& method)>;

// Every method of the comparison, starred ones with the rates that were chosen for them. `player`
// makes the aggregator that played; where it has begun before the first round of the problem, what
// it could prove is left out. The comparison itself was timed, so nobody watched it.
RunDepth replay(const compare::Problem& problem, const compare::Comparison& comparison,
                const MakePlayer& player);

// The same from a trace that pcgs run wrote: everything but what a method could prove that is not
// of the share form. `sharing` is how many runs share the page. Throws Error, naming `origin`.
RunDepth depth_of_trace(std::string_view text, const std::string& origin, std::size_t switches,
                        std::size_t sharing);
bool is_trace(std::string_view text);

// Requires forecasts.
ForecastCurves forecast_curves(const compare::Problem& problem,
                               const compare::Comparison& comparison);

}  // namespace pcgs::report
