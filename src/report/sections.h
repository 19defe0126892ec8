// One function for each part of a report. Each takes what it shows and returns nothing where there
// is nothing to show; results are JSON objects as the program prints them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/blocks.h"
#include "report/depth.h"
#include "report/forecast_curves.h"

namespace pcgs::report {

using nlohmann::ordered_json;

// pcgs run; the depth, if given, says how sure the first place is.
std::vector<Block> run_summary(const ordered_json& run, const RunDepth* depth);
Section run_section(const ordered_json& run);

// pcgs electricity.
std::vector<Block> electricity_summary(const ordered_json& study);
Section electricity_section(const ordered_json& study);

// pcgs forecast; the depth, if given, says what is proved.
std::vector<Block> forecast_summary(const ordered_json& forecast, const RunDepth* depth);
Section forecast_section(const ordered_json& forecast);

// pcgs suite.
std::vector<Block> main_summary(const ordered_json& study);
Section main_section(const ordered_json& study);
Section heavy_tail_section(const ordered_json& study);
Section scaling_section(const ordered_json& study);
Section ablation_section(const ordered_json& study);
Section mechanism_section(const ordered_json& study);

// Round by round.
Section depth_section(const std::vector<RunDepth>& runs);
std::optional<Section> restarts_section(const std::vector<RunDepth>& runs);
Section curves_section(const std::vector<ForecastCurves>& all);

}  // namespace pcgs::report
