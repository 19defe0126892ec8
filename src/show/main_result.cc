#include "show/main_result.h"

#include "show/kinds.h"

namespace pcgs::results {

void fields(Fields& f, MainStudy::Tuned& tuned) { f("regret", tuned.regret, "mean", tuned.mean); }

void fields(Fields& f, MainStudy::Family& family) {
  f("name", family.name, "oracle", family.oracle, "generating_path", family.generating_path,
    "methods", family.methods);
  f.unless_empty("fixed_share_tuned_per_sequence", family.fixed_share_tuned_per_sequence);
  f("comparisons", family.comparisons);
  require_regrets(f, family);
}

void fields(Fields& f, MainStudy& study) { study_fields(f, study, "families", study.families); }

}  // namespace pcgs::results
