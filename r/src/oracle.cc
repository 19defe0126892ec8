// What nobody could have known: the best path with few switches, and the best constant mixture.
#include "pcgs/oracle.h"

#include "conversions.h"
#include "entry_points.h"
#include "problem.h"
#include "run/best_mix.h"

namespace pcgs::r {

using namespace cpp11::literals;

// Losses [T x K], infinite where an expert sleeps.
SEXP switching(SEXP losses, SEXP switches) {
  const Matrix table = matrix_of(losses);
  const std::size_t most = counts_of(switches).front();
  const auto values = switching_oracle(table, most);
  cpp11::check_user_interrupt();
  const SwitchingPath best = switching_path(table, most);
  std::vector<double> path;  // from 1 on
  for (const std::uint32_t expert : best.experts) path.push_back(expert + 1.0);
  return cpp11::writable::list({"values"_nm = values, "path"_nm = path, "loss"_nm = best.loss,
                                "switches"_nm = static_cast<double>(best.switches)});
}

SEXP convex_mix(SEXP problem) {
  const auto weights = compare::best_mix(problem_of(Fields(problem)));
  if (!weights) return R_NilValue;
  return cpp11::as_sexp(*weights);
}

}  // namespace pcgs::r
