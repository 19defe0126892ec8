#include "results/heavy_tail_study.h"

#include "results/fields.h"
#include "results/kinds.h"

namespace pcgs::results {

void fields(Fields& f, HeavyTailStudy::Cell& cell) {
  f("df", cell.df);
  f("jump_probability", cell.jump_probability);
  f("oracle", cell.oracle);
  f("methods", cell.methods);
  f("comparisons", cell.comparisons);
  require_regrets(f, cell.oracle, cell.methods);
}

void fields(Fields& f, HeavyTailStudy& study) {
  f("config", study.config);
  f("cells", study.cells);
  f.unless_empty("timing", study.timing);
  f.require(!study.cells.empty(), "cells", "is empty");
}

}  // namespace pcgs::results
