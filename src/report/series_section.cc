// Many series: the errors of all together, and a row for each.
#include <fmt/format.h>

#include "report/sections.h"
#include "results/headline.h"

namespace pcgs::report {

std::vector<Block> series_summary(const results::SeriesResult& result) {
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{headline(result.answer), true});
  blocks.emplace_back(
      Paragraph{fmt::format("It is better than the best model of its series in {} of {} series.",
                            better_than_best(result), result.series.size())});
  return blocks;
}

Section series_section(const results::SeriesResult& result) {
  Section section{"series", "Series", {}};
  Table table;
  table.id = "series-table";
  for (std::size_t i = 0; i < result.by.size(); ++i) {
    table.head.push_back({result.by[i], fmt::format("key.{}", i)});
  }
  table.head.push_back({"rounds", "rounds"});
  table.head.push_back({"beside the best model, %", "beside_best.difference"});
  for (const auto& one : result.series) {
    auto& row = table.rows.emplace_back();
    for (const auto& value : one.key) row.push_back({value});
    row.push_back(number(static_cast<double>(one.rounds), "{:.0f}"));
    const auto& best = one.answer.beside_best;
    row.push_back(best ? number(best->difference, "{:+.1f}") : Cell{""});
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace pcgs::report
