// What pcgs forecast found, in words and as a table.
#include <fmt/format.h>

#include <cmath>

#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "show/forecast_result.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::ForecastResult;

// Without its options where these are the usual ones.
std::string familiar_name(const std::string& method) {
  const std::string plain = method.substr(0, method.find('{'));
  try {
    return make_method(plain, 2)->name() == method ? plain : method;
  } catch (const Error&) {
    return method;  // of another version, or of somebody's own
  }
}

std::vector<Block> forecast_summary(const ForecastResult& forecast, const RunDepth* depth) {
  const auto method = familiar_name(forecast.method);
  std::string lead = fmt::format("{} experts, combined by {}, forecast {}", forecast.experts.size(),
                                 method, forecast.column);
  if (const auto* best = best_expert(forecast)) {
    const double mine = *best->combined_mean_loss, other = *best->mean_loss;
    lead += fmt::format(
        " with a mean {} loss of {:.6g}, against {:.6g} of {}, the best of them, in the same "
        "rounds ({:.1f} % {})",
        forecast.loss, mine, other, best->name, 100 * std::abs(1 - mine / std::max(other, 1e-300)),
        mine <= other ? "less" : "more");
  }
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{lead + ".", true});
  blocks.emplace_back(
      Figures{{{number(forecast.next, "{:.6g}"), "the next value of " + forecast.column},
               {number(forecast.mean_loss, "{:.6g}"), "mean loss of the combined forecast"},
               {whole(forecast.rounds), "rows of the series"},
               {whole(forecast.gaps), "of them gaps"}}});
  if (depth != nullptr && !depth->methods.front().regret.y.empty()) {
    const MethodDepth& run = depth->methods.front();
    std::string text = fmt::format(
        "In bounded losses, {} is {:.2f} behind the exact best path of experts with at most {} "
        "switches in hindsight, over all rounds",
        method, run.regret.y.back(), depth->switches);
    if (run.certified_switches) {
      text += fmt::format("; proved, without any assumption on the series, to be at most {:.2f}",
                          run.bound.y.back());
    }
    blocks.emplace_back(Paragraph{text + "."});
  }
  return blocks;
}

Section forecast_section(const ForecastResult& forecast) {
  Section section{"experts-section", "All experts", {}};
  Table table;
  table.id = "experts";
  table.caption =
      "Each expert over the rounds in which it forecast, beside the combined forecast in the same "
      "rounds; the weights are those of the next round";
  table.head = {{"expert", "name"},
                {"rounds", "rounds"},
                {"mean loss", "mean_loss"},
                {"combined, same rounds", "combined_mean_loss"},
                {"next forecast", "next_forecast"},
                {"weight", "next_weight"}};
  const auto* best = best_expert(forecast);
  for (const auto& expert : forecast.experts) {
    if (&expert == best) table.strong.push_back(table.rows.size());
    table.rows.push_back({{expert.name},
                          whole(expert.rounds),
                          number(expert.mean_loss, "{:.6g}"),
                          number(expert.combined_mean_loss, "{:.6g}"),
                          number(expert.next_forecast, "{:.6g}"),
                          number(expert.next_weight, "{:.4f}")});
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace

void show_forecast(const ForecastResult& forecast, const Shown& shown, PageParts& page) {
  page.add(forecast_summary(forecast, shown.depth));
  page.add(forecast_section(forecast));
}

}  // namespace pcgs::report
