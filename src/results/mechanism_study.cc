#include "results/mechanism_study.h"

#include "results/fields.h"
#include "results/kinds.h"

namespace pcgs::results {

void fields(Fields& f, MechanismStudy::Method& method) {
  f("name", method.name);
  f("switches_total", method.switches_total);
  f("rho_after_switch", method.rho_after_switch);
  f("rho_elsewhere", method.rho_elsewhere);
  f("rho_ratio", method.rho_ratio);
  f("q_on_next", method.q_on_next);
  f("q_entropy", method.q_entropy);
  f("rho_volatility_correlation", method.rho_volatility_correlation);
  f("effective_complexity", method.effective_complexity);
  f("uniform_complexity", method.uniform_complexity);
}

void fields(Fields& f, MechanismStudy::Family& family) {
  f("name", family.name);
  f("methods", family.methods);
  f.require(!family.methods.empty(), "methods", "is empty");
}

void fields(Fields& f, MechanismStudy& study) {
  f("config", study.config);
  f("families", study.families);
  f.unless_empty("timing", study.timing);
  f.require(!study.families.empty(), "families", "is empty");
}

}  // namespace pcgs::results
