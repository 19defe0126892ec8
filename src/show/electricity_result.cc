#include "show/electricity_result.h"

#include "data/json_fields.h"
#include "show/kinds.h"

namespace pcgs::results {

void fields(Fields& f, ElectricityResult::BestExpert& expert) {
  f("name", expert.name, "mean_loss", expert.mean_loss);
}

void fields(Fields& f, ElectricityResult::Method& method) {
  f("name", method.name);
  f.unless_empty("chosen_in_hindsight", method.chosen_in_hindsight);
  f.unless_empty("chosen_on_training_part", method.chosen_on_training_part);
  f("mean_loss", method.mean_loss, "regret_per_round", method.regret_per_round);
  f.unless_empty("unclipped_mean_loss", method.unclipped_mean_loss);
  f.unless_empty("unclipped_regret_per_round", method.unclipped_regret_per_round);
  f("ns_per_round", method.ns_per_round);
}

void fields(Fields& f, ElectricityResult& study) {
  f("file", study.file, "column", study.column, "seasons", study.seasons, "observations",
    study.observations, "burn_in", study.burn_in, "training_rounds", study.training_rounds,
    "rounds", study.rounds, "scale", study.scale, "experts", study.experts, "best_expert",
    study.best_expert, "switches", study.switches, "oracle_mean_loss", study.oracle_mean_loss);
  f.unless_empty("bound", study.bound);
  f.unless_empty("unclipped_oracle_mean_loss", study.unclipped_oracle_mean_loss);
  f("methods", study.methods);
  f.require(!study.switches.empty(), "switches", "is empty");
  f.require(study.oracle_mean_loss.has_all(study.switches) &&
                (!study.unclipped_oracle_mean_loss ||
                 study.unclipped_oracle_mean_loss->has_all(study.switches)),
            "oracle_mean_loss", "lacks one of the switch budgets");
  f.require(!study.methods.empty(), "methods", "is empty");
  f.require(std::all_of(study.methods.begin(), study.methods.end(),
                        [&](const auto& m) {
                          return m.regret_per_round.has_all(study.switches) &&
                                 (!m.unclipped_regret_per_round ||
                                  m.unclipped_regret_per_round->has_all(study.switches));
                        }),
            "methods", "lack regrets for one of the switch budgets");
}

}  // namespace pcgs::results
