#include "show/oracle_result.h"

#include "data/json_fields.h"
#include "show/kinds.h"

namespace pcgs::results {

void fields(Fields& f, OracleResult::Unlimited& unlimited) {
  f("value", unlimited.value, "switches_used", unlimited.switches_used);
}

void fields(Fields& f, OracleResult& oracle) {
  f("rounds", oracle.rounds, "experts", oracle.experts, "values", oracle.values, "switches_used",
    oracle.switches_used);
  f.unless_empty("switch_cost", oracle.switch_cost);
  f.unless_empty("unlimited", oracle.unlimited);
  f("seconds", oracle.seconds, "states_per_second", oracle.states_per_second);
}

}  // namespace pcgs::results
