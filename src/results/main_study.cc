#include "results/main_study.h"

#include "results/fields.h"
#include "results/kinds.h"

namespace pcgs::results {

void fields(Fields& f, MainStudy::Tuned& tuned) {
  f("regret", tuned.regret);
  f("mean", tuned.mean);
}

void fields(Fields& f, MainStudy::Family& family) {
  f("name", family.name);
  f("oracle", family.oracle);
  f("generating_path", family.generating_path);
  f("methods", family.methods);
  f.unless_empty("fixed_share_tuned_per_sequence", family.fixed_share_tuned_per_sequence);
  f("comparisons", family.comparisons);
  require_regrets(f, family.oracle, family.methods);
}

void fields(Fields& f, MainStudy& study) {
  f("config", study.config);
  f("families", study.families);
  f.unless_empty("timing", study.timing);
  f.require(!study.families.empty(), "families", "is empty");
}

}  // namespace pcgs::results
