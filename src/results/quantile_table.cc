#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/text_table.h"
#include "results/answer_table.h"
#include "results/headline.h"
#include "results/quantile_result.h"

namespace pcgs::results {

namespace {

constexpr std::size_t kExpertsShown = 12, kSeriesShown = 12, kComingShown = 6;

// Of the intervals there are, those that people ask for.
std::vector<std::string> shown_intervals(const QuantileResult& result) {
  std::vector<std::string> out;
  if (result.shapes.empty()) return out;
  for (const char* wanted : {"0.5", "0.8", "0.95"}) {
    for (const auto& [name, held] : result.shapes.front().held.by_name) {
      if (name == wanted) out.push_back(name);
    }
  }
  if (out.empty()) {
    for (const auto& [name, held] : result.shapes.front().held.by_name) {
      if (out.size() < 3) out.push_back(name);
    }
  }
  return out;
}

io::TextTable errors_table(const QuantileResult& result) {
  const auto intervals = shown_intervals(result);
  io::TextTable table{"", {"score of", result.answer.measure}, {}};
  if (!result.shapes.empty()) {
    table.head.insert(table.head.end(), {"width", "too high", "too low"});
  }
  for (const auto& name : intervals)
    table.head.push_back(fmt::format("{:g} %", 100 * std::stod(name)));
  table.head.insert(table.head.end(), {"combination beside it", "rounds"});
  std::size_t experts = 0, left_out = 0;
  for (std::size_t i = 0; i < result.answer.errors.size(); ++i) {
    const ErrorLine& line = result.answer.errors[i];
    if (line.kind == "expert" && ++experts > kExpertsShown) {
      ++left_out;
      continue;
    }
    auto& row = table.rows.emplace_back();
    row.push_back(line.name + (i == 0 ? " (the combination)" : ""));
    row.push_back(line.loss ? error_text(*line.loss) : line.rounds > 0 ? ">1e308" : "-");
    if (!result.shapes.empty()) {
      const auto& shape = result.shapes[i];
      for (const auto& part : {shape.width, shape.above, shape.below}) {
        row.push_back(part ? error_text(*part) : ">1e308");
      }
      for (const auto& wanted : intervals) {
        for (const auto& [name, held] : shape.held.by_name) {
          if (name == wanted) row.push_back(fmt::format("{:.0f} %", 100 * held));
        }
      }
    }
    row.push_back(line.difference ? fmt::format("{:+.1f} %", *line.difference) : "");
    row.push_back(fmt::format("{}", line.rounds));
  }
  if (left_out > 0) {
    auto& row = table.rows.emplace_back(table.head.size());
    row[0] = fmt::format("({} more; --json has them)", left_out);
  }
  return table;
}

io::TextTable series_rows(const QuantileResult& result) {
  io::TextTable table{"", result.by, {}};
  table.left = table.head.size();
  table.head.insert(table.head.end(), {"rounds", result.answer.measure, "beside equal weights",
                                       "best model", "beside it"});
  for (const auto& one : result.series) {
    if (table.rows.size() == kSeriesShown) break;
    auto& row = table.rows.emplace_back(one.key);
    const auto difference = [](const std::optional<Difference>& to) {
      return to ? fmt::format("{:+.1f} %", to->difference) : "";
    };
    row.insert(row.end(),
               {fmt::format("{}", one.rounds), one.score ? error_text(*one.score) : "-",
                difference(one.beside_equal), one.beside_best ? one.beside_best->name : "-",
                difference(one.beside_best)});
  }
  return table;
}

std::string coming_text(const QuantileResult& result) {
  std::string out = "\nnext:\n";
  for (std::size_t i = 0; i < std::min(result.coming.size(), kComingShown); ++i) {
    const auto& one = result.coming[i];
    out += fmt::format("  {}{}{}", one.time, one.key.empty() ? "" : "  ", fmt::join(one.key, ", "));
    if (one.quantiles.empty()) out += "  nobody forecasts";
    const std::size_t last = one.quantiles.size();
    // The ends and the middle.
    for (std::size_t p = 0; p < last; ++p) {
      if (p != 0 && p != last / 2 && p + 1 != last) continue;
      out += fmt::format("   q{:g}: {:.6g}", result.levels[p], one.quantiles[p]);
    }
    out += '\n';
  }
  if (result.coming.size() > kComingShown) {
    out += fmt::format("  ... and {} more; --out and --json have them\n",
                       result.coming.size() - kComingShown);
  }
  return out;
}

}  // namespace

std::string quantile_table(const QuantileResult& result, const std::string& origin) {
  std::string out = fmt::format("{}: {}, {}, {}", origin, io::counted(result.rounds, "round"),
                                io::counted(result.experts.size(), "expert"),
                                io::counted(result.levels.size(), "level"));
  if (!result.by.empty()) {
    out += fmt::format(", {} series of {}", result.series.size(), fmt::join(result.by, ", "));
  }
  if (const auto& times = result.answer.times) {
    out += fmt::format(", from {} to {}", times->first, times->last);
  }
  out += "\n\n";
  if (result.answer.errors.front().rounds > 0) out += text(errors_table(result)) + '\n';
  out += headline(result.answer) + '\n';
  if (const std::string sure = sureness(result.answer); !sure.empty()) out += sure + '\n';
  if (!shown_intervals(result).empty()) {
    out += "per cent: how many outcomes the central interval held that should hold so many\n";
  }
  if (result.scale == "log1p") out += "all scores are those of ln(1 + x)\n";
  if (result.answer.rounds_without_outcome > 0) {
    out += fmt::format("{} without an outcome: forecast, and not learned from\n",
                       io::counted(result.answer.rounds_without_outcome, "round"));
  }
  if (result.crossed > 0) {
    out += fmt::format("{} had quantiles that crossed, and were put in order\n",
                       io::counted(result.crossed, "forecast"));
  }
  if (result.wild > 0) {
    out += fmt::format("{} lay too far from everybody's and were left out\n",
                       io::counted(result.wild, "forecast"));
  }
  if (!result.by.empty()) {
    out += '\n' + text(series_rows(result));
    if (result.series.size() > kSeriesShown) {
      out += fmt::format("({} more; --json has them)\n", result.series.size() - kSeriesShown);
    }
  }
  if (!result.coming.empty()) out += coming_text(result);
  if (!result.answer.weights_now.by_name.empty()) out += weights_text(result.answer.weights_now);
  return out;
}

}  // namespace pcgs::results
