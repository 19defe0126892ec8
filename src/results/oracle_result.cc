#include "results/oracle_result.h"

#include "results/fields.h"
#include "results/kinds.h"

namespace pcgs::results {

void fields(Fields& f, OracleResult& oracle) {
  f("rounds", oracle.rounds);
  f("experts", oracle.experts);
  f("values", oracle.values);
  f("switches_used", oracle.switches_used);
  f("seconds", oracle.seconds);
  f("states_per_second", oracle.states_per_second);
}

}  // namespace pcgs::results
