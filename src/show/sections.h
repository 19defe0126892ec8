// What each kind of result adds to a page, and the parts that several of them have. Each takes what it
// shows and leaves out what there is nothing to show of.
#pragma once

#include <iterator>
#include <optional>
#include <string>
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

// One result of a page, and what else is known about the same run.
struct Shown {
  std::string origin;
  results::Result result;
  const RunDepth* depth = nullptr;
  const ForecasterView* view = nullptr;
  const FanView* fans = nullptr;
};

// What the results of a page add to it, each in its turn.
struct PageParts {
  std::string title, subtitle;  // of a page that has no other result; empty: as usual
  std::vector<Block> summary;
  std::vector<Section> sections;
  std::vector<Section> later;  // for after the curves of forecasts

  void add(std::vector<Block> blocks) {
    std::move(blocks.begin(), blocks.end(), std::back_inserter(summary));
  }
  void add(std::vector<Section> more) {
    std::move(more.begin(), more.end(), std::back_inserter(sections));
  }
  void add(Section section) { sections.push_back(std::move(section)); }
};

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
Figures error_figures(const results::ForecastAnswer& answer);
// The table of errors, and what there is to say about it.
void add_errors(const results::ForecastAnswer& answer, std::vector<Block>& blocks);

// Round by round.
Section depth_section(const std::vector<const RunDepth*>& runs);
std::optional<Section> restarts_section(const std::vector<const RunDepth*>& runs);
Section curves_section(const std::vector<ForecastCurves>& all);

}  // namespace pcgs::report
