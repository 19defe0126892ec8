#include "results/ablation_study.h"

#include "results/fields.h"
#include "results/kinds.h"

namespace pcgs::results {

void fields(Fields& f, AblationStudy::Family& family) {
  f("name", family.name);
  f("oracle", family.oracle);
  f("methods", family.methods);
  f("comparisons", family.comparisons);
  require_regrets(f, family.oracle, family.methods);
}

void fields(Fields& f, AblationStudy& study) {
  f("config", study.config);
  f("families", study.families);
  f.unless_empty("timing", study.timing);
  f.require(!study.families.empty(), "families", "is empty");
}

}  // namespace pcgs::results
