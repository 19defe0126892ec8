#include "show/ablation_result.h"

#include "show/kinds.h"

namespace pcgs::results {

void fields(Fields& f, AblationStudy::Family& family) {
  f("name", family.name, "oracle", family.oracle, "methods", family.methods, "comparisons",
    family.comparisons);
  require_regrets(f, family);
}

void fields(Fields& f, AblationStudy& study) { study_fields(f, study, "families", study.families); }

}  // namespace pcgs::results
