// Results as one HTML page that holds everything it needs: it opens from disk, without a network.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "report/blocks.h"
#include "report/depth.h"
#include "report/forecast_curves.h"
#include "report/replay.h"

namespace pcgs::report {

// Whether this build holds what pages are made of (see PCGS_REPORT in CMakeLists.txt).
bool available();
// Throws Error, saying what to do, if not: before the work that a page would be about.
void require_available();

// What a page is about, in any mixture; parts without data are left out.
struct Material {
  struct Result {
    std::string origin;           // for messages and the title
    nlohmann::ordered_json json;  // as run, suite, electricity and forecast print it
  };
  std::vector<Result> results;
  std::vector<RunDepth> runs;
  std::vector<ForecastCurves> forecasts;
};

// The best expert of a result of pcgs forecast; empty if there is none.
std::string best_expert_name(const nlohmann::ordered_json& forecast);

// Throws Error, naming its origin, for a result that is none of these, and for two of one kind.
std::string page(const Material& material);
// What a page shows, in order. Takes no assets.
std::vector<Section> sections(const Material& material);

// The page of a comparison that was looked at in depth.
std::string run_page(const compare::Problem& problem, const compare::Comparison& comparison,
                     RunDepth depth);
// The same for one that was not: its methods play once more.
std::string run_page(const compare::Problem& problem, const compare::Comparison& comparison);

}  // namespace pcgs::report
