// What each kind of result adds to a page, and the parts that several of them have. Each takes what it
// shows and leaves out what there is nothing to show of.
#pragma once

#include <optional>
#include <vector>

#include "show/blocks.h"
#include "show/report.h"

namespace pcgs::results {
struct ForecastAnswer;
struct ForecastResult;
struct QuantileResult;
struct SeriesResult;
struct TrainingResult;
}  // namespace pcgs::results

namespace pcgs::report {

void show_run(const results::RunResult& run, const Shown& shown, PageParts& page);
void show_series(const results::SeriesResult& result, const Shown& shown, PageParts& page);
void show_quantiles(const results::QuantileResult& result, const Shown& shown, PageParts& page);
void show_forecast(const results::ForecastResult& forecast, const Shown& shown, PageParts& page);
void show_training(const results::TrainingResult& training, const Shown& shown, PageParts& page);

// Of pcgs run on forecasts, whose answer this is.
std::vector<Block> forecaster_summary(const results::ForecastAnswer& answer);
// The view, if given, is of the same run, which has an answer.
std::vector<Section> forecaster_sections(const results::RunResult& run, const ForecasterView* view);

// Errors in the measure of the task, as every page on forecasts shows them.
Cell error_cell(const std::optional<double>& error);
Figures error_figures(const results::ForecastAnswer& answer);
// The table of errors, and what there is to say about it.
void add_errors(const results::ForecastAnswer& answer, std::vector<Block>& blocks);

// Round by round.
Section depth_section(const std::vector<const RunDepth*>& runs);
std::optional<Section> restarts_section(const std::vector<const RunDepth*>& runs);
Section curves_section(const std::vector<ForecastCurves>& all);

}  // namespace pcgs::report
