// One function for each part of a report. Each takes what it shows and returns nothing where there
// is nothing to show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "show/blocks.h"
#include "show/depth.h"
#include "show/fan_view.h"
#include "show/forecast_curves.h"
#include "show/forecaster_view.h"
#include "show/result.h"

namespace pcgs::report {

// pcgs run on losses; the depth, if given, says how sure the first place is.
std::vector<Block> run_summary(const results::RunResult& run, const RunDepth* depth);
// Every method and its regret.
Section run_section(const results::RunResult& run);

// pcgs run on forecasts.
std::vector<Block> forecaster_summary(const results::ForecastAnswer& answer);
// The view, if given, is of the same run, which has an answer.
std::vector<Section> forecaster_sections(const results::RunResult& run, const ForecasterView* view);

// Errors in the measure of the task, as every page on forecasts shows them.
Cell error_cell(const std::optional<double>& error);
Figures error_figures(const results::ForecastAnswer& answer);
// The table of errors, and what there is to say about it.
void add_errors(const results::ForecastAnswer& answer, std::vector<Block>& blocks);

// pcgs run --by.
std::vector<Block> series_summary(const results::SeriesResult& result);
Section series_section(const results::SeriesResult& result);

// pcgs run --quantiles.
std::vector<Block> quantile_summary(const results::QuantileResult& result);
// The fans, if given, are of the same run.
std::vector<Section> quantile_sections(const results::QuantileResult& result, const FanView* fans);

// pcgs electricity.
std::vector<Block> electricity_summary(const results::ElectricityResult& study);
Section electricity_section(const results::ElectricityResult& study);

// pcgs forecast; the depth, if given, says what is proved.
std::vector<Block> forecast_summary(const results::ForecastResult& forecast, const RunDepth* depth);
Section forecast_section(const results::ForecastResult& forecast);

// pcgs suite.
std::vector<Block> main_summary(const results::MainStudy& study);
Section main_section(const results::MainStudy& study);
Section heavy_tail_section(const results::HeavyTailStudy& study);
Section scaling_section(const results::ScalingStudy& study);
Section ablation_section(const results::AblationStudy& study);
Section mechanism_section(const results::MechanismStudy& study);

// pcgs-train.
std::vector<Block> training_summary(const results::TrainingResult& training);
std::vector<Section> training_sections(const results::TrainingResult& training);

// Round by round.
Section depth_section(const std::vector<const RunDepth*>& runs);
std::optional<Section> restarts_section(const std::vector<const RunDepth*>& runs);
Section curves_section(const std::vector<ForecastCurves>& all);

}  // namespace pcgs::report
