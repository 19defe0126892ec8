// What somebody who forecasts sees first: how wrong the combination was beside their models, in a
// sentence, a table and charts.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "show/forecast_answer.h"
#include "show/forecaster_charts.h"
#include "show/run_result.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::error_cell;
using results::ErrorLine;
using results::ForecastAnswer;
using results::measured;

constexpr std::size_t kExpertsShown = 50, kComingShown = 12;

const ErrorLine* find(const ForecastAnswer& answer, const char* kind, const std::string& name) {
  for (const auto& line : answer.errors) {
    if (line.kind == kind && line.name == name) return &line;
  }
  return nullptr;
}

}  // namespace

Figures error_figures(const ForecastAnswer& answer) {
  Figures figures;
  const auto add = [&](const ErrorLine* line, const std::string& whose) {
    if (line == nullptr || !measured(answer, *line)) return;
    figures.all.push_back(
        {error_cell(measured(answer, *line)), fmt::format("{} of {}", answer.measure, whose)});
  };
  add(&answer.errors.front(), "the combination");
  if (answer.beside_best) {
    add(find(answer, "expert", answer.beside_best->name),
        "the best model, " + answer.beside_best->name);
  }
  add(find(answer, "reference", kEqualWeights), kEqualWeights);
  if (answer.next.empty() || !answer.next.front().forecast) return figures;
  const auto& next = answer.next.front();
  Cell forecast = number(next.forecast, "{}");
  forecast.text = results::error_text(*next.forecast);
  std::string meaning = next.time.empty() ? fmt::format("forecast of row {}", next.row)
                                          : "forecast for " + unbroken(next.time);
  for (const auto& [level, ends] : next.interval.by_name) {
    if (level != "0.8" || ends.size() != 2) continue;
    meaning += fmt::format(", with 80 % between {} and {}", results::error_text(ends[0]),
                           results::error_text(ends[1]));
  }
  figures.all.push_back({std::move(forecast), std::move(meaning)});
  return figures;
}

namespace {

Table coming_table(const ForecastAnswer& answer) {
  Table table;
  table.id = "coming";
  table.caption = answer.next.size() == 1 ? "The coming forecast" : "The coming forecasts";
  if (answer.next.size() > kComingShown) {
    table.caption += fmt::format(": the first {} of {}", kComingShown, answer.next.size());
  }
  const bool timed = !answer.next.front().time.empty();
  table.head = {timed ? Table::Column{"time", "time"} : Table::Column{"row", "row"},
                {"forecast", "forecast"}};
  std::vector<std::string> levels;
  for (const auto& [level, ends] : answer.next.front().interval.by_name) levels.push_back(level);
  for (const auto& level : levels) {
    for (const char* end : {"from", "to"}) {
      table.head.push_back({fmt::format("{:g} %, {}", 100 * std::atof(level.c_str()), end)});
    }
  }
  double largest = 0;
  for (const auto& next : answer.next) {
    largest = std::max(largest, std::abs(next.forecast.value_or(0)));
  }
  const int decimals = show::decimals_for(largest, 5);
  for (const auto& next : answer.next) {
    if (table.rows.size() == kComingShown) break;
    auto& row = table.rows.emplace_back();
    row.push_back({timed ? next.time : fmt::format("{}", next.row)});
    row.push_back(next.forecast ? show::fixed(next.forecast, decimals) : Cell{"nobody forecasts"});
    for (const auto& level : levels) {
      const auto& all = next.interval.by_name;
      const auto at =
          std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == level; });
      for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
        row.push_back(at != all.end() && at->second.size() == 2
                          ? show::fixed(at->second[end], decimals)
                          : show::missing());
      }
    }
  }
  return table;
}

Table intervals_table(const std::vector<results::RunResult::Intervals>& intervals) {
  Table table;
  table.id = "intervals";
  table.caption = "How often outcomes lay inside the intervals that were published before them";
  table.head = {
      {"asked", "level"}, {"held", "coverage"}, {"mean width", "mean_width"}, {"rounds", "rounds"}};
  for (const auto& one : intervals) {
    Cell level = number(one.level, "{}");
    level.text = fmt::format("{:g} %", 100 * one.level);
    table.rows.push_back({std::move(level), show::share(one.coverage, "{:.1f} %"),
                          error_cell(one.mean_width), whole(one.rounds)});
  }
  return table;
}

Table errors_of(const ForecastAnswer& answer) {
  Table table = results::errors_table(answer);
  table.id = "errors";
  table.caption =
      "Errors of the combination, of what needs no learning and of each model, the best first; and "
      "how far the combination's error is below or above theirs on the same rounds";
  if (const std::size_t left_out = keep_models(table, answer, kExpertsShown); left_out > 0) {
    table.caption +=
        fmt::format(" (the best {} of {} models)", kExpertsShown, kExpertsShown + left_out);
  }
  // What is paid for and the difference come first: a phone shows these.
  table.bring_forward({measured_column(answer).key, "difference"});
  table.strong = {0};
  return table;
}

}  // namespace

std::vector<Block> forecaster_summary(const ForecastAnswer& answer) {
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{results::headline(answer), true});
  if (auto sure = results::sureness(answer); !sure.empty()) {
    blocks.emplace_back(Paragraph{std::move(sure)});
  }
  if (auto figures = error_figures(answer); !figures.all.empty()) {
    blocks.emplace_back(std::move(figures));
  }
  add_errors(answer, blocks);
  return blocks;
}

void add_errors(const ForecastAnswer& answer, std::vector<Block>& blocks) {
  blocks.emplace_back(errors_of(answer));
  std::string notes = "Bias is the mean of forecast less outcome: above 0, forecasts are too high.";
  if (std::any_of(answer.errors.begin(), answer.errors.end(), results::is_mix)) {
    notes +=
        " * Constant weights found in hindsight, on rounds with every forecast there: nobody could "
        "have published it.";
  }
  if (answer.rounds_without_outcome > 0) {
    notes += fmt::format(" {} round{} without an outcome: forecast, and not learned from.",
                         answer.rounds_without_outcome,
                         answer.rounds_without_outcome == 1 ? " was" : "s were");
  }
  blocks.emplace_back(Paragraph{std::move(notes)});
}

std::vector<Section> forecaster_sections(const results::RunResult& run,
                                         const ForecasterView* view) {
  const ForecastAnswer& answer = *run.answer;
  std::vector<Section> sections;
  Section gains{"gains", view != nullptr ? "Gains and weights" : "Weights", {}};
  if (view != nullptr && !view->gains.empty()) gains.blocks.emplace_back(gains_chart(*view));
  if (!answer.weights_now.by_name.empty()) gains.blocks.emplace_back(weights_chart(answer));
  if (view != nullptr && !view->bins.empty()) {
    gains.blocks.emplace_back(bins_choice(*view, answer.measure));
  }
  if (!gains.blocks.empty()) sections.push_back(std::move(gains));
  Section latest{"latest", "Latest forecasts", {}};
  if (view != nullptr) latest.blocks.emplace_back(latest_chart(*view));
  if (!answer.next.empty()) latest.blocks.emplace_back(coming_table(answer));
  if (!latest.blocks.empty()) sections.push_back(std::move(latest));
  if (!run.methods.back().intervals.empty()) {
    Section intervals{"intervals-section", "Intervals", {}};
    intervals.blocks.emplace_back(intervals_table(run.methods.back().intervals));
    if (view != nullptr && !view->held.empty()) intervals.blocks.emplace_back(held_chart(*view));
    sections.push_back(std::move(intervals));
  }
  return sections;
}

}  // namespace pcgs::report
