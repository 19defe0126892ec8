#include "studies/regrets.h"

#include <fmt/format.h>

#include <algorithm>

#include "methods/hindsight.h"
#include "stats/summary.h"

namespace pcgs::studies {

using nlohmann::ordered_json;

std::vector<Regrets> regrets(const suite::Tournament& tournament) {
  std::vector<Regrets> all;
  for (const suite::Entry& entry : tournament.entries) {
    all.push_back({entry.name, entry.chosen, suite::minus(entry.losses, tournament.oracle)});
  }
  return all;
}

const Regrets* find(const std::vector<Regrets>& all, const std::string& name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Regrets& r) { return r.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::optional<double> share_closed(const std::vector<Regrets>& all, double mean) {
  const Regrets* tuned = find(all, kTunedFixedShare);
  const Regrets* limit = find(all, suite::kLimitName);
  if (tuned == nullptr || limit == nullptr) return std::nullopt;
  const double from = stats::summarize(tuned->values).mean;
  const double to = stats::summarize(limit->values).mean;
  if (!(from > to)) return std::nullopt;  // too few sequences to tell them apart
  return (from - mean) / (from - to);
}

ordered_json regrets_json(const std::vector<Regrets>& all) {
  ordered_json out = ordered_json::array();
  for (const Regrets& one : all) {
    const auto [mean, std] = stats::summarize(one.values);
    ordered_json entry = {{"name", one.name}};
    if (!one.chosen.empty()) entry["chosen_in_hindsight"] = one.chosen;
    entry["regret"] = one.values;
    entry["mean"] = mean;
    entry["std"] = std;
    if (const auto closed = share_closed(all, mean)) entry["share_closed"] = *closed;
    out.push_back(std::move(entry));
  }
  return out;
}

ordered_json paired_json(const std::string& a, const std::string& b, const stats::Paired& paired) {
  const auto number = [](const std::optional<double>& x) {
    return x ? ordered_json(*x) : ordered_json(nullptr);
  };
  return {{"a", a},
          {"b", b},
          {"win_rate", paired.win_rate},
          {"mean_improvement", paired.mean_improvement},
          {"ci_low", paired.ci_low},
          {"ci_high", paired.ci_high},
          {"t", number(paired.t)},
          {"t_p", paired.t_p},
          {"wilcoxon_w", paired.wilcoxon_w},
          {"wilcoxon_p", paired.wilcoxon_p},
          {"cohens_d", number(paired.cohens_d)}};
}

std::string mean_and_deviation(const std::vector<double>& values) {
  const auto [mean, std] = stats::summarize(values);
  return fmt::format("{:.2f} ± {:.2f}", mean, std);
}

stats::Bootstrap bootstrap_for(const suite::Tournament& tournament) {
  constexpr std::uint64_t kSeed = 1;  // the resamples of every study
  return {tournament.oracle.size(), stats::kResamples, kSeed};
}

}  // namespace pcgs::studies
