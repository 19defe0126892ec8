// Scores of quantiles as tables: of everybody, of series, and of what series share.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/text.h"
#include "run/quantiles.h"
#include "show/forecast_answer.h"
#include "show/run_result.h"

namespace pcgs::results {

using show::Cell;
using show::Table;

namespace {

constexpr std::size_t kGroupsShown = 12;

// How many outcomes central intervals held: all of them, or those nearest to 0.5, 0.8 and 0.95.
std::vector<std::pair<std::string, double>> held_of(const QuantileResult::Shape& shape, bool all) {
  if (all) return shape.held.by_name;
  std::vector<double> intervals;
  for (const auto& [name, held] : shape.held.by_name) intervals.push_back(std::stod(name));
  std::vector<std::pair<std::string, double>> out;
  for (const std::size_t i : compare::usual_intervals(intervals)) {
    out.push_back(shape.held.by_name[i]);
  }
  return out;
}

// The errors of the answer, with the shapes behind the score.
Table scores_table(const QuantileResult& result) {
  Table table = errors_table(result.answer);
  if (result.shapes.empty()) return table;
  const auto insert = [](auto& all, const auto& more) {
    all.insert(all.begin() + 2, more.begin(), more.end());
  };
  insert(table.head, shape_head(result.shapes.front(), "shape.", false));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    insert(table.rows[i], shape_cells(result.shapes[i], false));
  }
  return table;
}

std::string coming_text(const QuantileResult& result, const QuantileResult::Coming& one) {
  std::string out =
      fmt::format("  {}{}{}", one.time, one.key.empty() ? "" : "  ", fmt::join(one.key, ", "));
  if (one.quantiles.empty()) out += "  nobody forecasts";
  const std::size_t last = one.quantiles.size();
  // The ends and the middle.
  for (std::size_t p = 0; p < last; ++p) {
    if (p != 0 && p != last / 2 && p + 1 != last) continue;
    out += fmt::format("   q{:g}: {:.6g}", result.levels[p], one.quantiles[p]);
  }
  return out;
}

std::string proved_text(const QuantileResult::Proved& proved, bool several) {
  const auto beside = [](double above) {
    return fmt::format("{:.3f} {}", std::abs(above), above < 0 ? "less" : "more");
  };
  return fmt::format(
      "proved, in units of a middling expert's score in each round: the combination's was {:.3f}; "
      "at "
      "most {:.3f} more than that of the best expert{} (it was {}), and at most {:.3f} more than "
      "that "
      "of the best sequence of experts ({})\n",
      proved.score, proved.expert_bound, several ? " of each series" : "",
      beside(proved.above_expert), proved.path_bound, beside(proved.above_path));
}

// The intervals of all groups are the same. Rows without an outcome have no shape.
const QuantileResult::Shape* first_shape(const ScoreGroups& groups) {
  for (const auto& one : groups.all) {
    if (one.scores->shape) return &*one.scores->shape;
  }
  return nullptr;
}

std::vector<Cell> row_of(const ScoreGroups::One& one, std::size_t shape_columns) {
  const auto& scores = *one.scores;
  std::vector<Cell> row;
  for (const auto& part : one.key) row.push_back({part});
  row.push_back(show::whole(scores.scored()));
  if (scores.others.empty()) return row;
  row.push_back(error_cell(scores.score));
  const std::size_t before_shape = row.size();
  if (scores.shape) {
    const auto cells = shape_cells(*scores.shape, false);
    row.insert(row.end(), cells.begin(), cells.end());
  }
  row.resize(before_shape + shape_columns, show::missing());
  const auto score = [](const QuantileResult::Other* other) {
    return other == nullptr ? show::missing() : error_cell(other->score);
  };
  const auto* mean = find_other(scores, compare::kQuantileMean);
  row.push_back(score(find_other(scores, compare::kLinearPool)));
  row.push_back(scores.beside_equal ? show::difference(scores.beside_equal->difference)
                                    : show::missing());
  row.push_back(score(mean));
  row.push_back(mean == nullptr ? show::missing() : show::difference(mean->difference));
  if (const auto& best = scores.beside_best) {
    row.push_back({best->name});
    row.push_back(score(find_other(scores, best->name)));
    row.push_back(show::difference(best->difference));
  }
  return row;
}

// As far as they are short; else a line that says where the scores are.
std::string group_tables(const QuantileResult& result) {
  std::string out;
  std::vector<std::string> elsewhere;
  for (const auto& groups : score_groups(result)) {
    if (groups.all.size() <= kGroupsShown) {
      out += '\n' + text(group_table(groups, result.answer.measure));
    } else {
      elsewhere.push_back(
          fmt::format("{} of {}", groups.all.size(), fmt::join(groups.columns, ", ")));
    }
  }
  if (!elsewhere.empty()) {
    out += fmt::format("\nscores of {}: --json, --out and --report have them\n",
                       fmt::join(elsewhere, ", and of "));
  }
  return out;
}

}  // namespace

std::vector<Table::Column> shape_head(const QuantileResult::Shape& shape, const std::string& where,
                                      bool all) {
  std::vector<Table::Column> head = {
      {"width", where + "width"}, {"too high", where + "above"}, {"too low", where + "below"}};
  for (const auto& [name, held] : held_of(shape, all)) {
    // The JSON name of an interval holds a dot, which is what separates the steps of a longer key.
    head.push_back({fmt::format("{:g} %", 100 * std::stod(name)), all ? "held." + name : ""});
  }
  return head;
}

std::vector<Cell> shape_cells(const QuantileResult::Shape& shape, bool all) {
  std::vector<Cell> cells;
  for (const auto& part : {shape.width, shape.above, shape.below}) {
    cells.push_back(error_cell(part));
  }
  for (const auto& one : held_of(shape, all)) cells.push_back(show::share(one.second, "{:.0f} %"));
  return cells;
}

const QuantileResult::Other* find_other(const QuantileResult::Scores& scores,
                                        const std::string& name) {
  const auto at = std::ranges::find(scores.others, name, &QuantileResult::Other::name);
  return at == scores.others.end() ? nullptr : &*at;
}

std::vector<ScoreGroups> score_groups(const QuantileResult& result) {
  std::vector<ScoreGroups> out;
  if (result.by.empty()) return out;
  for (const auto& column : result.by) {
    ScoreGroups groups{fmt::format("by-{}", out.size() + 1), column, {column}, {"value"}, {}};
    for (const auto& one : result.values) {
      if (one.column == column) groups.all.push_back({{one.value}, &one.scores});
    }
    if (!groups.all.empty()) out.push_back(std::move(groups));
  }
  ScoreGroups series{"series", "series", result.by, {}, {}};
  for (std::size_t i = 0; i < result.by.size(); ++i) {
    series.json_names.push_back(fmt::format("key.{}", i));
  }
  for (const auto& one : result.series) series.all.push_back({one.key, &one.scores});
  out.push_back(std::move(series));
  return out;
}

Table group_table(const ScoreGroups& groups, const std::string& measure) {
  Table table;
  table.left = groups.columns.size();
  for (std::size_t i = 0; i < groups.columns.size(); ++i) {
    table.head.push_back({groups.columns[i], groups.json_names[i]});
  }
  table.head.insert(table.head.end(), {{"rounds", "others.0.rounds"}, {measure, "score"}});
  const auto* shape = first_shape(groups);
  const auto parts =
      shape == nullptr ? std::vector<Table::Column>() : shape_head(*shape, "shape.", false);
  table.head.insert(table.head.end(), parts.begin(), parts.end());
  table.head.insert(table.head.end(), {{"linear pool", "others.0.score"},
                                       {"beside it", "beside_equal_weights.difference", true},
                                       {"quantile mean", "others.1.score"},
                                       {"beside it", "others.1.difference", true},
                                       {"best model", "beside_best.name"},
                                       {"its score", "", true},
                                       {"beside it", "beside_best.difference"}});
  for (const auto& one : groups.all) {
    table.rows.push_back(row_of(one, parts.size()));
    table.rows.back().resize(table.head.size(), show::missing());
  }
  return table;
}

std::string quantile_table(const QuantileResult& result, const std::string& origin) {
  std::string out = fmt::format("{}: {}, {}, {}", origin, io::counted(result.rounds, "round"),
                                io::counted(result.experts.size(), "expert"),
                                io::counted(result.levels.size(), "level"));
  if (!result.by.empty()) {
    out += fmt::format(", {} series of {}", result.series.size(), fmt::join(result.by, ", "));
  }
  out += span_text(result.answer.times) + "\n\n";
  out += errors_text(result.answer, scores_table(result));
  if (!result.shapes.empty() && !result.shapes.front().held.by_name.empty()) {
    out += "per cent: how many outcomes the central interval held that should hold so many\n";
  }
  if (result.scale == "log1p") out += "all scores are those of ln(1 + x)\n";
  out += without_outcome_text(result.answer, "round");
  for (const auto& [count, what] :
       {std::pair{result.crossed, "had quantiles that crossed, and were put in order"},
        {result.wild, "were far outside all others and held at their edge"}}) {
    if (count > 0) out += fmt::format("{} {}\n", io::counted(count, "forecast"), what);
  }
  if (result.proved) out += proved_text(*result.proved, result.series.size() > 1);
  out += group_tables(result);
  std::vector<std::string> next;
  for (const auto& one : result.coming) next.push_back(coming_text(result, one));
  out += first_lines("next", next);
  return out + weights_text(result.answer.weights_now);
}

}  // namespace pcgs::results
