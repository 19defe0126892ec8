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
struct RunResult;
struct SeriesResult;
struct TrainingResult;
}  // namespace pcgs::results

namespace pcgs::report {

// As charts call them.
inline constexpr const char* kCombination = "combination";
inline constexpr const char* kEqualWeights = "equal weights";

// Charts that need the rounds themselves, of which a result keeps sums alone. Each is empty where there
// is nothing to show.
struct RoundCharts {
  // Of forecasts: what the combination has gained over the best model and equal weights, its errors
  // beside theirs at hours, weekdays and months, the latest forecasts with those to come, how many
  // outcomes the intervals held, and all forecasts and errors.
  std::vector<Block> gains, errors_by, latest, held, forecasts;
  std::vector<Block> fans;  // of distributions: what was forecast of each series beside what came
};
// Of a comparison on forecasts, whose answer this is.
RoundCharts forecast_charts(const Problem& problem, const Comparison& comparison,
                            const results::ForecastAnswer& answer);
// Of what was published in the rounds of the problem, [rounds x P].
RoundCharts fan_charts(const QuantileProblem& problem, const Matrix& published);

// One result of a page, and what else is known about the same run.
struct Shown {
  std::string origin;
  results::Result result;
  const RunDepth* depth = nullptr;
  const RoundCharts* charts = nullptr;
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

// The whole page, scripts and styles included. Requires that this build has them.
std::string document(const std::string& title, const std::string& subtitle,
                     const std::vector<Section>& sections);

// Of pcgs run on forecasts, whose answer this is.
std::vector<Block> forecaster_summary(const results::ForecastAnswer& answer);
// The charts, if given, are of the same run, which has an answer.
std::vector<Section> forecaster_sections(const results::RunResult& run, const RoundCharts* charts);
Chart weights_chart(const results::ForecastAnswer& answer);

// Errors in the measure of the task, as every page on forecasts shows them.
Figures error_figures(const results::ForecastAnswer& answer);
// The table of errors, and what there is to say about it.
void add_errors(const results::ForecastAnswer& answer, std::vector<Block>& blocks);

// Round by round.
Section depth_section(const std::vector<const RunDepth*>& runs);
std::optional<Section> restarts_section(const std::vector<const RunDepth*>& runs);

}  // namespace pcgs::report
