#include "show/quantile_groups_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "data/text_table.h"
#include "run/level_scores.h"
#include "show/headline.h"

namespace pcgs::results {

namespace {

constexpr std::size_t kGroupsShown = 12;

struct Group {
  std::vector<std::string> key;  // [columns]
  const QuantileResult::Scores* scores;
};

std::string score_text(const std::optional<double>& score) {
  return score ? error_text(*score) : ">1e308";
}

std::string score_of(const std::vector<QuantileResult::Other>& others, const char* name) {
  const auto at = std::ranges::find(others, name, &QuantileResult::Other::name);
  return at == others.end() ? "-" : score_text(at->score);
}

std::string table_of(const QuantileResult& result, const std::vector<std::string>& columns,
                     const std::vector<Group>& groups) {
  // Rows without an outcome have no shape.
  const auto with_shape = std::ranges::find_if(
      groups, [](const Group& group) { return group.scores->shape.has_value(); });
  io::TextTable table{"", columns, {}};
  table.left = columns.size();
  table.head.insert(table.head.end(), {"rounds", result.answer.measure});
  if (with_shape != groups.end()) add_shape_head(*with_shape->scores->shape, table.head);
  const std::size_t before_others = table.head.size();
  table.head.insert(table.head.end(), {"linear pool", "quantile mean", "best model", "beside it"});
  for (const auto& [key, scores] : groups) {
    auto& row = table.rows.emplace_back(key);
    row.push_back(fmt::format("{}", scores->scored()));
    if (scores->others.empty()) {
      row.resize(table.head.size(), "-");
      continue;
    }
    row.push_back(score_text(scores->score));
    if (scores->shape) add_shape(*scores->shape, row);
    row.resize(before_others, "-");
    row.push_back(score_of(scores->others, compare::kLinearPool));
    row.push_back(score_of(scores->others, compare::kQuantileMean));
    const auto& best = scores->beside_best;
    row.push_back(best ? best->name : "-");
    row.push_back(best ? fmt::format("{:+.1f} %", best->difference) : "-");
  }
  return '\n' + text(table);
}

}  // namespace

void add_shape_head(const QuantileResult::Shape& shape, std::vector<std::string>& head) {
  head.insert(head.end(), {"width", "too high", "too low"});
  for (const auto& [name, held] : usual_held(shape)) {
    head.push_back(fmt::format("{:g} %", 100 * std::stod(name)));
  }
}

void add_shape(const QuantileResult::Shape& shape, std::vector<std::string>& row) {
  for (const auto& part : {shape.width, shape.above, shape.below}) row.push_back(score_text(part));
  for (const auto& [name, held] : usual_held(shape)) {
    row.push_back(fmt::format("{:.0f} %", 100 * held));
  }
}

std::string group_tables(const QuantileResult& result) {
  if (result.by.empty()) return "";
  std::string out;
  std::vector<std::string> elsewhere;
  const auto add = [&](const std::vector<std::string>& columns, const std::vector<Group>& groups) {
    if (groups.size() <= kGroupsShown) {
      out += table_of(result, columns, groups);
    } else {
      elsewhere.push_back(fmt::format("{} of {}", groups.size(), fmt::join(columns, ", ")));
    }
  };
  if (!result.values.empty()) {
    for (const auto& column : result.by) {
      std::vector<Group> groups;
      for (const auto& one : result.values) {
        if (one.column == column) groups.push_back({{one.value}, &one.scores});
      }
      add({column}, groups);
    }
  }
  std::vector<Group> groups;
  for (const auto& one : result.series) groups.push_back({one.key, &one.scores});
  add(result.by, groups);
  if (!elsewhere.empty()) {
    out += fmt::format("\nscores of {}: --json, --out and --report have them\n",
                       fmt::join(elsewhere, ", and of "));
  }
  return out;
}

}  // namespace pcgs::results
