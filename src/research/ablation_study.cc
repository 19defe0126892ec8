// The ablation study: what each of the Transformer's choices is worth.
//
// Most variants keep the shipped weights and take one choice away; a constant in place of a choice
// is the best of the grid in hindsight, so that the comparison is not won by a bad constant. Where
// there are models that were trained without the choice (--retrained), they play too.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <numeric>

#include "core/spec.h"
#include "data/parallel.h"
#include "methods/methods.h"
#include "network/transformer.h"
#include "pcgs/aggregator.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "research/study.h"
#include "research/study_page.h"
#include "run/statistics.h"

namespace pcgs::studies {

namespace {

constexpr const char* kFamilies[] = {"mix", "predictive", "heavy-tail"};

// One row of the table: the best of its candidates for a family.
struct Variant {
  std::string name;
  std::vector<std::string> candidates;  // specs
  bool clipped = true;  // false: it learns from losses that are scaled into [0,1] instead
  std::vector<MethodSource> sources = {};  // of the candidates
};

// The models of a folder, in the order of their names. One that combines needs forecasts, which the
// sequences of this study do not have.
std::vector<Variant> retrained(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() != ".safetensors") continue;
    if (!transformer_from_file(at->path().string())->combines()) paths.push_back(at->path());
  }
  if (paths.empty()) {
    throw Error(
        fmt::format("{} holds no models (.safetensors); give the folder of those that were "
                    "trained for this study",
                    folder));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Variant> all;
  for (const auto& path : paths) {
    all.push_back({fmt::format("retrained: {}", path.stem().string()),
                   {with_model("pcgs-tf", path.string())}});
  }
  return all;
}

std::vector<Variant> variants(const StudyConfig& config) {
  std::vector<std::string> rates, oracle_rates, restarts, uniform_restarts;
  for (const double eta : kEtaGrid) {
    rates.push_back(fmt::format("pcgs-tf{{eta={}}}", eta));
    oracle_rates.push_back(fmt::format("pcgs-tf:oracle{{eta={}}}", eta));
  }
  for (const double rho : kRhoGrid) {
    if (rho == 0) continue;
    restarts.push_back(fmt::format("pcgs-tf{{rho={}}}", rho));
    uniform_restarts.push_back(fmt::format("pcgs-tf{{rho={},uniform=1}}", rho));
  }
  std::vector<Variant> all = {{"pcgs-tf", {"pcgs-tf"}},
                              {"constant rho*", restarts},
                              {"uniform q", {"pcgs-tf{uniform=1}"}},
                              {"constant rho*, uniform q", uniform_restarts},
                              {"constant eta*", rates},
                              {"scaled, not clipped", {"pcgs-tf"}, false},
                              {"oracle recipe (eta = 4)", {"pcgs-tf:oracle"}},
                              {"oracle recipe, constant eta*", oracle_rates}};
  if (!config.retrained.empty()) {
    for (auto& variant : retrained(config.retrained)) all.push_back(std::move(variant));
  }
  for (auto& variant : all) {
    for (const auto& spec : variant.candidates) variant.sources.push_back(resolve_method(spec));
  }
  return all;
}

// By the sequence's own range, known in hindsight: no bound that holds without clipping is closer.
Matrix scaled(Matrix unclipped) {
  const auto [low, high] = std::minmax_element(unclipped.values.begin(), unclipped.values.end());
  const double least = *low, range = *high - *low;
  for (double& x : unclipped.values) x = range > 0 ? (x - least) / range : 0;
  return unclipped;
}

// Whatever it learns from, it pays the losses that everybody else pays.
double play_variant(const MethodSource& source, bool clipped, const suite::Sequence& sequence) {
  const Matrix& losses = sequence.losses;
  auto method = source(losses.columns);
  if (clipped) return suite::play(std::move(method), losses);
  Aggregator aggregator(std::move(method));
  const Matrix learned = scaled(sequence.unclipped);
  double paid = 0;
  for (std::size_t t = 0; t < losses.rows; ++t) {
    const auto weights = aggregator.weights();
    paid += std::inner_product(weights.begin(), weights.end(), losses.row(t).begin(), 0.0);
    aggregator.learn(learned.row(t));
  }
  return paid;
}

// "eta=16" of pcgs-tf{eta=16}.
std::string constant_of(const std::string& candidate) {
  const Assignment first = parse_spec("method", candidate).assignments.front();
  return first.key + '=' + first.value;
}

// The variants on the sequences of one family, as if they were methods.
suite::Tournament play_family(const StudyConfig& config, const std::string& family,
                              const std::vector<Variant>& all, const io::Advance& advance) {
  suite::Tournament played;
  played.oracle.resize(config.sequences);
  using Losses = std::vector<double>;       // [N]
  std::vector<std::vector<Losses>> losses;  // [variants][candidates]
  for (const auto& variant : all) {
    losses.emplace_back(variant.candidates.size(), Losses(config.sequences));
  }
  std::mutex one_at_a_time;
  parallel_for(config.sequences, config.threads, [&](std::size_t i) {
    const auto sequence = config.sequence(family, i);
    played.oracle[i] = switching_oracle(sequence.losses, config.switches).back();
    for (std::size_t v = 0; v < all.size(); ++v) {
      for (std::size_t c = 0; c < all[v].candidates.size(); ++c) {
        losses[v][c][i] = play_variant(all[v].sources[c], all[v].clipped, sequence);
        const std::lock_guard lock(one_at_a_time);
        advance(1);
      }
    }
  });
  for (std::size_t v = 0; v < all.size(); ++v) {
    const auto best =
        std::min_element(losses[v].begin(), losses[v].end(), [](const auto& a, const auto& b) {
          return stats::summarize(a).mean < stats::summarize(b).mean;
        });
    const auto chosen = static_cast<std::size_t>(best - losses[v].begin());
    played.entries.push_back(
        {all[v].name, losses[v].size() > 1 ? constant_of(all[v].candidates[chosen]) : "", *best});
  }
  return played;
}

}  // namespace

results::AblationStudy ablation_study(const StudyConfig& config, const io::Monitor& monitor) {
  const auto all_variants = variants(config);
  std::size_t runs = 0;
  for (const auto& variant : all_variants) runs += variant.candidates.size();
  const io::Advance advance =
      monitor("ablation study", std::size(kFamilies) * config.sequences * runs);
  results::AblationStudy study;
  study.config = config.summary();
  study.config.methods.clear();
  study.config.featured.clear();
  for (const std::string family : kFamilies) {
    const auto played = play_family(config, family, all_variants, advance);
    auto methods = method_regrets(played);
    auto comparisons = against_others(methods, {methods.front().name});
    study.families.push_back({{played.oracle, std::move(methods), std::move(comparisons)}, family});
  }
  return study;
}

StudyTables tables_of(const results::AblationStudy& study) {
  io::TextTable table{
      fmt::format("Dynamic regret of the Transformer with one of its choices taken away "
                  "(oracle with {} switches), mean ± standard deviation over {} sequences; "
                  "* the constant of the grid that is best for the family in hindsight",
                  study.config.switches, study.config.sequences),
      {"variant"},
      {}};
  for (const auto& variant : study.families.front().methods) table.rows.push_back({variant.name});
  for (const auto& family : study.families) {
    table.head.push_back(family.name);
    for (std::size_t v = 0; v < family.methods.size(); ++v) {
      table.rows[v].push_back(mean_and_deviation(family.methods[v].mean, family.methods[v].std));
    }
  }
  return {{{"ablation", std::move(table)}}};
}

}  // namespace pcgs::studies

namespace pcgs::report {

namespace {

using results::AblationStudy;

Section ablation_section(const AblationStudy& study) {
  Section section{"ablation", "Ablations: what each choice is worth", {}};
  Chart chart;
  chart.id = "ablation-chart";
  chart.title = "Regret without one of the choices";
  chart.note =
      "Dynamic regret, mean and standard deviation; further left is better. The first row is the "
      "whole.";
  chart.alternative = "The means of the table below, one row of dots for each variant.";
  add_dots(study.families, "variants", chart);
  chart.height = static_cast<int>(20 + 18 * method_names(study.families).size());
  section.blocks.emplace_back(std::move(chart));
  Table table = means_table(study.families);
  table.id = "ablation-means";
  table.caption = "Dynamic regret, mean ± standard deviation; " + setting(study.config);
  table.head.front().name = "variant";
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace

void show_ablation(const AblationStudy& study, const Shown& shown, PageParts& page) {
  page.title = shown.result.kind().name;
  page.add(ablation_section(study));
}

}  // namespace pcgs::report
