#include "show/scaling_result.h"

#include "show/kinds.h"

namespace pcgs::results {

void fields(Fields& f, ScalingStudy::Pool& pool) {
  f("experts", pool.experts, "oracle", pool.oracle, "generating_path", pool.generating_path,
    "methods", pool.methods, "comparisons", pool.comparisons);
  require_regrets(f, pool);
}

void fields(Fields& f, ScalingStudy& study) { study_fields(f, study, "pools", study.pools); }

}  // namespace pcgs::results
