#include "results/scaling_study.h"

#include "results/fields.h"
#include "results/kinds.h"

namespace pcgs::results {

void fields(Fields& f, ScalingStudy::Pool& pool) {
  f("experts", pool.experts);
  f("oracle", pool.oracle);
  f("generating_path", pool.generating_path);
  f("methods", pool.methods);
  f("comparisons", pool.comparisons);
  require_regrets(f, pool.oracle, pool.methods);
}

void fields(Fields& f, ScalingStudy& study) {
  f("config", study.config);
  f("pools", study.pools);
  f.unless_empty("timing", study.timing);
  f.require(!study.pools.empty(), "pools", "is empty");
}

}  // namespace pcgs::results
