// What the sections of the studies have in common.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "combine/hindsight_methods.h"
#include "research/study_results.h"
#include "show/blocks.h"
#include "show/sections.h"

namespace pcgs::report {

// The fixed comparator of all studies, tuned in hindsight, and the limit that nobody can beat.
inline constexpr const char* kTuned = kTunedFixedShare;
inline constexpr const char* kLimit = "bayes";
// Chosen in hindsight, or knowing the law: not among those who can win.
bool playable(const std::string& method);

// "oracle with at most 12 switches, 20 sequences of 600 rounds and 32 experts, seed 7"
std::string setting(const results::StudyConfig& config);

// "12.34 ± 0.56"; empty for null.
Cell mean_and_deviation(const results::MethodRegret* method);

// The names of all entries, which are families or methods.
template <class Entry>
std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

// The names of the methods of families, cells or pools, each once.
template <class Entry>
std::vector<std::string> method_names(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    for (const auto& method : entry.methods) {
      if (std::find(names.begin(), names.end(), method.name) == names.end()) {
        names.push_back(method.name);
      }
    }
  }
  return names;
}

// Means and deviations of one family, as a group of the chart dots_by_family.
ordered_json family_dots(const std::string& family,
                         const std::vector<results::MethodRegret>& methods);

template <class Family>
void add_dots(const std::vector<Family>& families, const char* palette, Chart& chart) {
  chart.uses = "dots_by_family";
  const auto methods = method_names(families);
  chart.values = {{"families", names_of(families)}, {"series", methods}, {"palette", palette}};
  for (const auto& family : families) {
    chart.groups.push_back(family_dots(family.name, family.methods));
  }
}

// Methods down, families across; cell(family, name) says what stands there.
template <class Family, class CellOf>
Table by_family(const std::vector<Family>& families, const std::vector<std::string>& methods,
                const CellOf& cell) {
  Table table;
  table.head.push_back({"method", "name"});
  for (const auto& family : families) table.head.push_back({family.name, family.name});
  for (const auto& method : methods) {
    auto& row = table.rows.emplace_back();
    row.push_back({method});
    for (const auto& family : families) row.push_back(cell(family, method));
  }
  return table;
}

template <class Family>
Table means_table(const std::vector<Family>& families) {
  return by_family(families, method_names(families), [](const Family& family, const auto& name) {
    return mean_and_deviation(results::find_method(family.methods, name));
  });
}

// Titles are those of the studies, since no file of the reader's is shown.
void show_main(const results::MainStudy& study, const Shown& shown, PageParts& page);
void show_heavy_tail(const results::HeavyTailStudy& study, const Shown& shown, PageParts& page);
void show_scaling(const results::ScalingStudy& study, const Shown& shown, PageParts& page);
void show_ablation(const results::AblationStudy& study, const Shown& shown, PageParts& page);
void show_mechanism(const results::MechanismStudy& study, const Shown& shown, PageParts& page);

// Rows, columns, and for each pair a colour from worse to better and a text.

struct HeatMap {
  struct Cell {
    double value;  // NaN: an empty cell
    std::string text;
    std::string note;  // below it, small; empty: none
  };
  std::vector<std::string> rows, columns;
  std::vector<Cell> cells;  // [rows x columns]

  const Cell& at(std::size_t row, std::size_t column) const {
    return cells[row * columns.size() + column];
  }
};

// `low` is the worst colour and `high` the best. Rows are methods and columns families, unless the
// chart's values say otherwise; they and its texts are for the caller to add.
Chart heat_map(const HeatMap& map, double low, double high, const char* row = "method",
               const char* column = "family");

}  // namespace pcgs::report
