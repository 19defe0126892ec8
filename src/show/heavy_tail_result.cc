#include "show/heavy_tail_result.h"

#include "show/kinds.h"

namespace pcgs::results {

void fields(Fields& f, HeavyTailStudy::Cell& cell) {
  f("df", cell.df, "jump_probability", cell.jump_probability, "oracle", cell.oracle, "methods",
    cell.methods, "comparisons", cell.comparisons);
  require_regrets(f, cell);
}

void fields(Fields& f, HeavyTailStudy& study) { study_fields(f, study, "cells", study.cells); }

}  // namespace pcgs::results
