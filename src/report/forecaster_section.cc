// What somebody who forecasts sees first: how wrong the combination was beside their models, in a
// sentence, a table and charts.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "report/drawn.h"
#include "report/sections.h"
#include "report/time_charts.h"
#include "results/headline.h"

namespace pcgs::report {

namespace {

using results::ErrorLine;
using results::ForecastAnswer;

constexpr std::size_t kExpertsShown = 50, kWeightsShown = 20, kComingShown = 12;

// How many decimals show so many digits of a number; those of a column stand below each other.
int decimals_for(double x, int digits) {
  if (!std::isfinite(x) || x == 0) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(x)))), 0, 9);
}

Cell fixed(const std::optional<double>& x, int decimals) {
  Cell cell = number(x, "{}");
  if (cell.exact.empty()) return cell;
  // Further digits would be wider than a phone.
  cell.text =
      std::abs(*x) < 1e15 ? fmt::format("{:.{}f}", *x, decimals) : fmt::format("{:.4g}", *x);
  return cell;
}

Cell share_cell(const std::optional<double>& share, const char* format) {
  Cell cell = number(share, "{}");
  if (!cell.exact.empty()) cell.text = fmt::format(fmt::runtime(format), 100 * *share);
  return cell;
}

bool any(const ForecastAnswer& answer, std::optional<double> ErrorLine::*what) {
  return std::any_of(answer.errors.begin(), answer.errors.end(),
                     [&](const ErrorLine& line) { return (line.*what).has_value(); });
}

const ErrorLine* find(const ForecastAnswer& answer, const char* kind, const std::string& name) {
  for (const auto& line : answer.errors) {
    if (line.kind == kind && line.name == name) return &line;
  }
  return nullptr;
}

bool is_mix(const ErrorLine& line) {
  return line.kind == "reference" && line.name == "best convex mix";
}

}  // namespace

const std::optional<double>& measured(const ForecastAnswer& answer, const ErrorLine& line) {
  return answer.measure == "RMSE" ? line.rmse : answer.measure == "MAE" ? line.mae : line.loss;
}

Cell error_cell(const std::optional<double>& error) {
  Cell cell = number(error, "{}");
  if (!cell.exact.empty()) cell.text = results::error_text(*error);
  return cell;
}

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

Chart weights_chart(const ForecastAnswer& answer) {
  auto all = answer.weights_now.by_name;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) > std::abs(b.second);
  });
  if (all.size() > kWeightsShown) {
    double rest = 0;
    const std::size_t others = all.size() - kWeightsShown;
    for (std::size_t k = kWeightsShown; k < all.size(); ++k) rest += all[k].second;
    all.resize(kWeightsShown);
    all.emplace_back(fmt::format("{} others together", others), rest);
  }
  std::vector<std::string> names;
  std::vector<double> weights;
  for (const auto& [name, weight] : all) {
    names.push_back(name);
    weights.push_back(weight);
  }
  Chart chart;
  chart.uses = "bars";
  chart.id = "weights-now";
  chart.title = "Weights now";
  chart.note = "How much of the next forecast comes from each model.";
  chart.alternative = "Weights of the models in the next forecast, largest first:";
  for (std::size_t k = 0; k < std::min<std::size_t>(names.size(), 5); ++k) {
    chart.alternative +=
        fmt::format("{} {} {:.0f} %", k == 0 ? "" : ",", names[k], 100 * weights[k]);
  }
  chart.alternative += ".";
  chart.height = static_cast<int>(28 * names.size());
  chart.groups.push_back({{"name", names}, {"value", drawn(weights)}});
  const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
  chart.values = {{"names", names},
                  {"low", std::min(*low, 0.0)},
                  {"high", std::max(*high, 1e-6)},
                  {"left", *low < 0 ? 52 : 0}};  // room for the numbers at the ends of bars
  return chart;
}

Chart gains_chart(const ForecasterView& view) {
  Chart chart = over_time("gains", "gains-chart", "", view.range);
  chart.title = "What the combination has gained so far";
  chart.note = fmt::format(
      "The {} that it saved, summed up to each round: rising, it is the better of the two; "
      "falling, "
      "the other is.",
      view.loss);
  chart.height = 280;
  std::vector<std::string> series;
  for (const auto& gain : view.gains) {
    series.push_back("over " + gain.over);
    chart.groups.push_back(curve(gain.sum, {{"series", series.back()}}));
    chart.alternative += fmt::format("{} the combination has saved {} in {} over {}",
                                     chart.alternative.empty() ? "Up to the last round" : ", and",
                                     results::error_text(gain.sum.y.back()), view.loss, gain.over);
  }
  chart.alternative += ".";
  chart.values.update({{"axis", view.loss + " saved"},
                       {"series", series},
                       {"palette", series.size() == 2 ? "rivals" : "equal"}});
  return chart;
}

// The combination beside the best model and equal weights at hours, weekdays and months.
Choice bins_choice(const ForecasterView& view, const std::string& measure) {
  Choice choice{"errors-by", "Error by", {}};
  for (const auto& bins : view.bins) {
    std::string by = bins.by;
    by[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(by[0])));
    Chart chart;
    chart.uses = "bins";
    chart.id = fmt::format("errors-by-{}", choice.options.size() + 1);
    chart.title = fmt::format("{} by {}", measure, by);
    chart.note = "On the rounds that everybody here forecast; lower is better.";
    chart.height = 240;
    std::vector<std::string> series;
    for (const auto& line : bins.lines) {
      series.push_back(line.name);
      chart.groups.push_back(
          {{"series", line.name}, {"bin", bins.names}, {"value", drawn(line.errors)}});
    }
    const auto& errors = bins.lines.front().errors;
    const auto [low, high] = std::minmax_element(errors.begin(), errors.end());
    const auto name_at = [&](auto at) {
      return bins.names[static_cast<std::size_t>(at - errors.begin())];
    };
    chart.alternative = fmt::format("{} of the combination by {}: from {} ({}) to {} ({}).",
                                    measure, by, results::error_text(*low), name_at(low),
                                    results::error_text(*high), name_at(high));
    chart.values = {{"axis", measure},
                    {"names", bins.names},
                    {"series", series},
                    {"palette", series.size() == 3 ? "forecasters" : "rivals"}};
    choice.options.push_back({bins.by, {std::move(chart)}});
  }
  return choice;
}

std::string levels_text(const std::vector<ForecasterView::Latest::Band>& bands) {
  if (bands.empty()) return "";
  if (bands.size() == 1) {
    return fmt::format(" The band is the {:g} % interval.", 100 * bands.front().level);
  }
  return fmt::format(" The light band is the {:g} % interval, the darker one that of {:g} %.",
                     100 * bands.front().level, 100 * bands.back().level);
}

Chart latest_chart(const ForecasterView& view) {
  const auto& latest = view.latest;
  const char* const came = "what came";
  Chart chart = over_time("latest", "latest-chart", "", latest.range);
  chart.title = latest.known == 0   ? "What is to come"
                : latest.two_weeks  ? "The last two weeks"
                : latest.known == 1 ? "The last round"
                                    : fmt::format("The last {} rounds", latest.known);
  if (latest.known > 0 && latest.coming > 0) chart.title += ", and what is to come";
  chart.note = "Every forecast was made before its value was known.";
  if (latest.known > 0 && latest.coming > 0) {
    chart.note += " Right of the dashed line no value is known yet.";
  }
  chart.note += levels_text(latest.bands);
  chart.alternative = fmt::format(
      "Forecasts of the combination beside what came in the last {} rounds, and {} to come.",
      latest.known, latest.coming);
  chart.height = 320;
  std::vector<std::string> series = {came, kCombination};
  if (!latest.best.x.empty()) {
    series.insert(series.begin() + 1, best_model_name(view.best_model));
    chart.groups.push_back(curve(latest.best, {{"series", series[1]}, {"width", 1}}));
  }
  chart.groups.push_back(curve(latest.combination, {{"series", kCombination}, {"width", 2}}));
  chart.groups.push_back(curve(latest.outcome, {{"series", came}, {"width", 1.25}}));
  ordered_json bands = ordered_json::array();
  for (const auto& band : latest.bands) {
    bands.push_back({{"level", fmt::format("{:g} %", 100 * band.level)},
                     {"round", drawn(band.at)},
                     {"low", drawn(band.low)},
                     {"high", drawn(band.high)}});
  }
  ordered_json now = ordered_json::array();
  if (latest.known > 0 && latest.coming > 0) {
    now.push_back({{"round", drawn(std::vector<double>{latest.now})}});
  }
  chart.datasets = {
      {"bands", bands}, {"now", now}, {"outcomes", ordered_json::array({curve(latest.outcome)})}};
  chart.values.update({{"axis", "forecast and outcome"},
                       {"series", series},
                       {"palette", series.size() == 3 ? "latest" : "latest_alone"}});
  return chart;
}

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
  const int decimals = decimals_for(largest, 5);
  for (const auto& next : answer.next) {
    if (table.rows.size() == kComingShown) break;
    auto& row = table.rows.emplace_back();
    row.push_back({timed ? next.time : fmt::format("{}", next.row)});
    row.push_back(next.forecast ? fixed(next.forecast, decimals) : Cell{"nobody forecasts"});
    for (const auto& level : levels) {
      const auto& all = next.interval.by_name;
      const auto at =
          std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == level; });
      for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
        row.push_back(at != all.end() && at->second.size() == 2 ? fixed(at->second[end], decimals)
                                                                : Cell{"none"});
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
    table.rows.push_back({std::move(level), share_cell(one.coverage, "{:.1f} %"),
                          error_cell(one.mean_width), whole(one.rounds)});
  }
  return table;
}

Chart held_chart(const ForecasterView& view) {
  Chart chart = over_time("held", "held-chart", "", view.range);
  chart.canvas = false;
  chart.title = "Outcomes inside the intervals";
  chart.note = fmt::format(
      "Each dot is the share in a part of about {} rounds; the dashed line is the share that was "
      "asked for. Some scatter around it is chance.",
      view.rounds_in_part);
  chart.height = 240;
  std::vector<std::string> series;
  std::vector<double> levels;
  for (const auto& held : view.held) {
    series.push_back(fmt::format("{:g} % intervals", 100 * held.level));
    levels.push_back(held.level);
    std::vector<std::string> around;
    for (const double x : held.share.x) around.push_back(place_text(view.range.calendar, x));
    chart.groups.push_back(curve(held.share, {{"series", series.back()}, {"around", around}}));
    const auto [low, high] = std::minmax_element(held.share.y.begin(), held.share.y.end());
    chart.alternative +=
        fmt::format("{}{} held between {:.0f} and {:.0f} % of outcomes.",
                    chart.alternative.empty() ? "" : " ", series.back(), 100 * *low, 100 * *high);
  }
  chart.datasets = {{"asked", ordered_json::array({{{"series", series}, {"level", levels}}})}};
  chart.values.update({{"axis", "outcomes inside"}, {"series", series}, {"palette", "levels"}});
  return chart;
}

Table errors_table(const ForecastAnswer& answer) {
  const bool loss = any(answer, &ErrorLine::loss), mape = any(answer, &ErrorLine::mape);
  Table table;
  table.id = "errors";
  table.caption =
      "Errors of the combination, of what needs no learning and of each model, the best first; and "
      "how far the combination's error is below or above theirs on the same rounds";
  // What is paid for and the difference come first: a phone shows these.
  const bool mae = answer.measure == "MAE";
  table.head = {{"error of", "name"}};
  if (loss) {
    table.head.push_back({answer.measure, "loss"});
  } else {
    table.head.push_back(mae ? Table::Column{"MAE", "mae"} : Table::Column{"RMSE", "rmse"});
  }
  table.head.push_back({"combination beside it", "difference"});
  if (loss || mae) table.head.push_back({"RMSE", "rmse"});
  if (loss || !mae) table.head.push_back({"MAE", "mae"});
  if (mape) table.head.push_back({"MAPE", "mape"});
  table.head.insert(table.head.end(), {{"bias", "bias"}, {"rounds", "rounds"}});
  table.strong = {0};
  const ErrorLine& first = answer.errors.front();
  const int decimals = decimals_for(measured(answer, first).value_or(1), 4);
  const int of_errors = loss ? decimals_for(first.rmse.value_or(1), 4) : decimals;
  std::size_t experts = 0;
  for (const ErrorLine& line : answer.errors) {
    if (line.kind == "expert" && ++experts > kExpertsShown) continue;
    auto& row = table.rows.emplace_back();
    const bool combination = &line == &first;
    row.push_back({line.name + (combination    ? " (the combination)"
                                : is_mix(line) ? " *"
                                               : ""),
                   line.name});
    row.push_back(fixed(measured(answer, line), decimals));
    row.push_back(combination ? Cell{""} : number(line.difference, "{:+.1f} %"));
    if (loss || mae) row.push_back(fixed(line.rmse, of_errors));
    if (loss || !mae) row.push_back(fixed(line.mae, of_errors));
    if (mape) row.push_back(share_cell(line.mape, "{:.2f} %"));
    row.push_back(fixed(line.bias, of_errors));
    row.push_back(whole(line.rounds));
  }
  if (experts > kExpertsShown) {
    table.caption += fmt::format(" (the best {} of {} models)", kExpertsShown, experts);
  }
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
  blocks.emplace_back(errors_table(answer));
  std::string notes = "Bias is the mean of forecast less outcome: above 0, forecasts are too high.";
  if (std::any_of(answer.errors.begin(), answer.errors.end(), is_mix)) {
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
