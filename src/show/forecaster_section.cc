// What somebody who forecasts sees first: how wrong the combination was beside their models, in a
// sentence, a table and charts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <span>

#include "show/forecast_answer.h"
#include "show/run_result.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::error_cell;
using results::ErrorLine;
using results::ForecastAnswer;
using results::measured;

constexpr std::size_t kExpertsShown = 50, kComingShown = 12;

}  // namespace

Figures error_figures(const ForecastAnswer& answer) {
  Figures figures;
  const auto add = [&](const char* kind, const std::string& name, const std::string& whose) {
    const auto line = std::ranges::find_if(
        answer.errors, [&](const ErrorLine& one) { return one.kind == kind && one.name == name; });
    if (line == answer.errors.end() || !measured(answer, *line)) return;
    figures.all.push_back(
        {error_cell(measured(answer, *line)), fmt::format("{} of {}", answer.measure, whose)});
  };
  const ErrorLine& combination = answer.errors.front();
  add(combination.kind.c_str(), combination.name, "the combination");
  if (const auto& best = answer.beside_best) {
    add("expert", best->name, "the best model, " + best->name);
  }
  add("reference", kEqualWeights, kEqualWeights);
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
  const auto& intervals = answer.next.front().interval.by_name;
  for (const auto& [level, ends] : intervals) {
    for (const char* end : {"from", "to"}) {
      table.head.push_back({fmt::format("{:g} %, {}", 100 * std::atof(level.c_str()), end)});
    }
  }
  double largest = 0;
  for (const auto& next : answer.next) {
    largest = std::max(largest, std::abs(next.forecast.value_or(0)));
  }
  const int decimals = show::decimals_for(largest, 5);
  for (const auto& next :
       std::span(answer.next).first(std::min(answer.next.size(), kComingShown))) {
    auto& row = table.rows.emplace_back();
    row.push_back({timed ? next.time : fmt::format("{}", next.row)});
    row.push_back(next.forecast ? show::fixed(next.forecast, decimals) : Cell{"nobody forecasts"});
    for (const auto& [level, of_first] : intervals) {
      const auto& all = next.interval.by_name;
      const auto at = std::ranges::find(all, level, [](const auto& one) { return one.first; });
      const bool known = at != all.end() && at->second.size() == 2;
      for (const std::size_t end : {0u, 1u}) {
        row.push_back(known ? show::fixed(at->second[end], decimals) : show::missing());
      }
    }
  }
  return table;
}

Table intervals_table(const std::vector<results::RunResult::Intervals>& intervals) {
  Table table{
      .id = "intervals",
      .caption = "How often outcomes lay inside the intervals that were published before them",
      .head = {{"asked", "level"},
               {"held", "coverage"},
               {"mean width", "mean_width"},
               {"rounds", "rounds"}}};
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

Chart weights_chart(const ForecastAnswer& answer) {
  constexpr std::size_t kShown = 20, kNamed = 5;
  auto all = answer.weights_now.by_name;
  std::ranges::stable_sort(all, std::greater(), [](const auto& x) { return std::abs(x.second); });
  if (all.size() > kShown) {
    double rest = 0;
    for (std::size_t k = kShown; k < all.size(); ++k) rest += all[k].second;
    const std::string others = fmt::format("{} others together", all.size() - kShown);
    all.resize(kShown);
    all.emplace_back(others, rest);
  }
  Chart chart{.id = "weights-now",
              .title = "Weights now",
              .note = "How much of the next forecast comes from each model.",
              .alternative = "Weights of the models in the next forecast, largest first:",
              .uses = "bars",
              .height = static_cast<int>(28 * all.size())};
  std::vector<std::string> names;
  std::vector<double> weights;
  for (const auto& [name, weight] : all) {
    if (names.size() < kNamed) {
      chart.alternative +=
          fmt::format("{} {} {:.0f} %", names.empty() ? "" : ",", name, 100 * weight);
    }
    names.push_back(name);
    weights.push_back(weight);
  }
  chart.alternative += ".";
  chart.groups.push_back({{"name", names}, {"value", drawn(weights)}});
  const auto [low, high] = std::ranges::minmax(weights);
  chart.values = {{"names", names},
                  {"low", std::min(low, 0.0)},
                  {"high", std::max(high, 1e-6)},
                  {"left", low < 0 ? 52 : 0}};  // room for the numbers at the ends of bars
  return chart;
}

std::vector<Section> forecaster_sections(const results::RunResult& run, const RoundCharts* charts) {
  const ForecastAnswer& answer = *run.answer;
  const RoundCharts none, &drawn = charts != nullptr ? *charts : none;
  std::vector<Section> sections = {
      {"gains", charts != nullptr ? "Gains and weights" : "Weights", drawn.gains},
      {"latest", "Latest forecasts", drawn.latest},
      {"intervals-section", "Intervals", {}},
      {"forecasts", "All forecasts", drawn.forecasts}};
  const auto append = [](std::vector<Block>& to, const std::vector<Block>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  if (!answer.weights_now.by_name.empty()) {
    sections[0].blocks.emplace_back(weights_chart(answer));
  }
  append(sections[0].blocks, drawn.errors_by);
  if (!answer.next.empty()) sections[1].blocks.emplace_back(coming_table(answer));
  if (const auto& intervals = run.methods.back().intervals; !intervals.empty()) {
    sections[2].blocks.emplace_back(intervals_table(intervals));
    append(sections[2].blocks, drawn.held);
  }
  std::erase_if(sections, [](const Section& section) { return section.blocks.empty(); });
  return sections;
}

}  // namespace pcgs::report
