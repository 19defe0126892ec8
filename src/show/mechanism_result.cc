#include "show/mechanism_result.h"

#include "show/kinds.h"

namespace pcgs::results {

void fields(Fields& f, MechanismStudy::Method& method) {
  f("name", method.name, "switches_total", method.switches_total, "rho_after_switch",
    method.rho_after_switch, "rho_elsewhere", method.rho_elsewhere, "rho_ratio", method.rho_ratio,
    "q_on_next", method.q_on_next, "q_entropy", method.q_entropy, "rho_volatility_correlation",
    method.rho_volatility_correlation, "effective_complexity", method.effective_complexity,
    "uniform_complexity", method.uniform_complexity);
}

void fields(Fields& f, MechanismStudy::Family& family) {
  f("name", family.name, "methods", family.methods);
  f.require(!family.methods.empty(), "methods", "is empty");
}

void fields(Fields& f, MechanismStudy& study) {
  study_fields(f, study, "families", study.families);
}

}  // namespace pcgs::results
