#include "results/electricity_result.h"

#include "results/fields.h"
#include "results/kinds.h"

namespace pcgs::results {

void fields(Fields& f, ElectricityResult::BestExpert& expert) {
  f("name", expert.name);
  f("mean_loss", expert.mean_loss);
}

void fields(Fields& f, ElectricityResult::Method& method) {
  f("name", method.name);
  f.unless_empty("chosen_in_hindsight", method.chosen_in_hindsight);
  f.unless_empty("chosen_on_training_part", method.chosen_on_training_part);
  f("mean_loss", method.mean_loss);
  f("regret_per_round", method.regret_per_round);
  f("ns_per_round", method.ns_per_round);
}

void fields(Fields& f, ElectricityResult& study) {
  f("file", study.file);
  f("column", study.column);
  f("seasons", study.seasons);
  f("observations", study.observations);
  f("burn_in", study.burn_in);
  f("training_rounds", study.training_rounds);
  f("rounds", study.rounds);
  f("scale", study.scale);
  f("experts", study.experts);
  f("best_expert", study.best_expert);
  f("switches", study.switches);
  f("oracle_mean_loss", study.oracle_mean_loss);
  f("methods", study.methods);
  f.require(!study.switches.empty(), "switches", "is empty");
  f.require(study.oracle_mean_loss.has_all(study.switches), "oracle_mean_loss",
            "lacks one of the switch budgets");
  f.require(!study.methods.empty(), "methods", "is empty");
  f.require(std::all_of(study.methods.begin(), study.methods.end(),
                        [&](const auto& m) { return m.regret_per_round.has_all(study.switches); }),
            "methods", "lack regrets for one of the switch budgets");
}

}  // namespace pcgs::results
