// Results as one HTML page that holds everything it needs: it opens from disk, without a network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "show/depth.h"
#include "show/fan.h"
#include "show/forecaster_view.h"
#include "show/result.h"

namespace pcgs::results {
struct RunResult;
}

namespace pcgs::report {

struct Section;

// Whether this build holds what pages are made of (see PCGS_REPORT in CMakeLists.txt).
bool available();
// Throws Error, saying what to do, if not: before the work that a page would be about.
void require_available();

// What a page is about, in any mixture; parts without data are left out.
struct Material {
  struct Result {
    std::string origin;  // for messages and the title
    results::Result result;
    std::optional<RunDepth> depth{};       // the same run, round by round
    std::optional<ForecasterView> view{};  // of forecasts
    std::optional<FanView> fans{};         // of quantiles
  };
  std::vector<Result> results;
  std::vector<RunDepth> runs;  // further ones
  std::vector<ForecastCurves> forecasts;
};

// Throws Error, naming their origins, for two results of one kind and for a kind that has no page.
std::string page(const Material& material);
// What a page shows, in order. Takes no assets.
std::vector<Section> sections(const Material& material);

// Throws Error, naming both, unless a trace can be of this run: the same experts, its methods, and
// as many rounds.
void check_belongs(const results::RunResult& run, const std::string& run_origin,
                   const RunDepth& trace, const std::string& trace_origin);

}  // namespace pcgs::report
