// The ablation study: what each of the Transformer's choices is worth.
//
// Most variants keep the shipped weights and take one choice away; a constant in place of a choice
// is the best of the grid in hindsight, so that the comparison is not won by a bad constant. Where
// there are models that were trained without the choice (--retrained), they play too.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/spec.h"
#include "methods/methods.h"
#include "network/transformer.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "research/study.h"
#include "run/statistics.h"

namespace pcgs::studies {

namespace {

constexpr const char* kFamilies[] = {"mix", "predictive", "heavy-tail"};

// The models of a folder, in the order of their names. One that combines needs forecasts, which the
// sequences of this study do not have.
std::vector<suite::Contender> retrained(const std::string& folder) {
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
  std::vector<suite::Contender> all;
  for (const auto& path : paths) {
    all.push_back({fmt::format("retrained: {}", path.stem().string()),
                   {with_model("pcgs-tf", path.string())}});
  }
  return all;
}

std::vector<suite::Contender> variants(const StudyConfig& config) {
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
  std::vector<suite::Contender> all = {{"pcgs-tf", {"pcgs-tf"}},
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
  return all;
}

// "eta=16" of pcgs-tf{eta=16}.
std::string constant_of(const std::string& candidate) {
  const Assignment first = parse_spec("method", candidate).assignments.front();
  return first.key + '=' + first.value;
}

show::Table variants_table(const StudyResult& study) {
  show::Table table = means_table(study);
  table.head.front().name = "variant";
  return table;
}

}  // namespace

void play_ablation(const StudyConfig& config, const io::Monitor& monitor, StudyResult& study) {
  const auto all = variants(config);
  const io::Advance advance = monitor(study.form->kind, std::size(kFamilies) * config.sequences);
  study.config.methods.clear();
  study.config.featured.clear();
  for (const std::string family : kFamilies) {
    auto tournament = config.tournament(family);
    tournament.contenders = all;
    tournament.finished_one = [&] { advance(1); };
    suite::Tournament played = suite::play_tournament(tournament);
    // Of the variants alone, on the losses that they pay.
    played.entries.resize(all.size());
    played.unclipped_oracle.clear();
    for (auto& entry : played.entries) {
      if (!entry.chosen.empty()) entry.chosen = constant_of(entry.chosen);
    }
    add_regrets(played, {all.front().name}, study.parts.emplace_back(results::Part{family}));
  }
}

StudyTables ablation_tables(const StudyResult& study) {
  return {{{"ablation",
            plain(variants_table(study),
                  fmt::format("Dynamic regret of the Transformer with one of its choices taken "
                              "away (oracle with {} switches), mean ± standard deviation over {} "
                              "sequences; * the constant of the grid that is best for the family "
                              "in hindsight",
                              study.config.switches, study.config.sequences))}}};
}

void show_ablation(const StudyResult& study, report::PageParts& page) {
  report::Chart chart;
  chart.height = static_cast<int>(20 + 18 * method_names(study.parts).size());
  chart.id = "ablation-chart";
  chart.title = "Regret without one of the choices";
  chart.note =
      "Dynamic regret, mean and standard deviation; further left is better. The first row is the "
      "whole.";
  chart.alternative = "The means of the table below, one row of dots for each variant.";
  add_dots(study, "variants", chart);
  show::Table table = variants_table(study);
  table.id = "ablation-means";
  table.caption = "Dynamic regret, mean ± standard deviation; " + setting(study.config);
  page.add(report::Section{
      "ablation", "Ablations: what each choice is worth", {std::move(chart), std::move(table)}});
}

}  // namespace pcgs::studies
