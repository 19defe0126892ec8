#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/text_table.h"
#include "show/answer_table.h"
#include "show/headline.h"
#include "show/quantile_groups_table.h"
#include "show/quantile_result.h"

namespace pcgs::results {

namespace {

constexpr std::size_t kExpertsShown = 12, kComingShown = 6;

io::TextTable errors_table(const QuantileResult& result) {
  io::TextTable table{"", {"score of", result.answer.measure}, {}};
  if (!result.shapes.empty()) add_shape_head(result.shapes.front(), table.head);
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
    if (!result.shapes.empty()) add_shape(result.shapes[i], row);
    row.push_back(line.difference ? fmt::format("{:+.1f} %", *line.difference) : "");
    row.push_back(fmt::format("{}", line.rounds));
  }
  if (left_out > 0) {
    auto& row = table.rows.emplace_back(table.head.size());
    row[0] = fmt::format("({} more; --json has them)", left_out);
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
  if (!result.shapes.empty() && !result.shapes.front().held.by_name.empty()) {
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
  if (result.proved) out += proved_text(*result.proved, result.series.size() > 1);
  out += group_tables(result);
  if (!result.coming.empty()) out += coming_text(result);
  if (!result.answer.weights_now.by_name.empty()) out += weights_text(result.answer.weights_now);
  return out;
}

}  // namespace pcgs::results
