// What mixture() and oracle() are made of: one method on rows of forecasts, in one pass; the best path
// with few switches and the best constant mixture, known in hindsight.
#include <cmath>

#include "conversions.h"
#include "entry_points.h"
#include "pcgs/aggregator.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "run/checks.h"
#include "run/errors.h"

namespace pcgs::r {

namespace {

using namespace cpp11::literals;

Aggregator aggregator_of(const Fields& given) {
  const SEXP scale = given["scale"];
  AggregatorOptions options;
  options.task = task_of(given);
  if (scale != R_NilValue) options.scale = LossScale::fixed(number_of(scale));
  options.names = texts_of(given["experts"]);
  return make_aggregator(text_of(given["method"]), options.names.size(), options);
}

// A round whose outcome is not known is forecast and forgotten.
void learn(Aggregator& aggregator, std::int64_t round, double outcome) {
  std::isnan(outcome) ? aggregator.abandon(round) : aggregator.learn(round, outcome);
}

Problem problem_of(SEXP values, SEXP outcomes) {
  Problem problem;
  problem.experts = column_names_of(values);
  problem.values = matrix_of(values);
  problem.outcomes = numbers_of(outcomes);
  return problem;
}

}  // namespace

SEXP play_rows(SEXP options, SEXP state, SEXP values, SEXP outcomes, SEXP online) {
  Aggregator aggregator = state == R_NilValue
                              ? aggregator_of(Fields(options))
                              : Aggregator::load_bytes(bytes_of(state), "the mixture", make_method);
  const Matrix rows = matrix_of(values);
  const std::vector<double> y = numbers_of(outcomes);
  const bool each = flag_of(online);
  // By column, as R keeps them.
  cpp11::sexp weights = cpp11::safe[Rf_allocMatrix](REALSXP, static_cast<int>(rows.rows),
                                                    static_cast<int>(rows.columns));
  Rf_setAttrib(weights, R_DimNamesSymbol, Rf_getAttrib(values, R_DimNamesSymbol));
  double* const kept = REAL(weights);
  std::vector<double> combined(rows.rows);
  const std::int64_t first = aggregator.last_opened() + 1;
  constexpr std::size_t kBetween = 1024;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    if (t % kBetween == kBetween - 1) cpp11::check_user_interrupt();
    combined[t] = aggregator.predict(rows.row(t));
    const std::int64_t round = aggregator.last_opened();
    const auto played = aggregator.played(round);
    for (std::size_t k = 0; k < played.size(); ++k) kept[k * rows.rows + t] = played[k];
    if (each) learn(aggregator, round, y[t]);
  }
  if (!each) {
    for (std::size_t t = 0; t < rows.rows; ++t) {
      learn(aggregator, first + static_cast<std::int64_t>(t), y[t]);
    }
  }
  const auto next = aggregator.weights();
  return cpp11::writable::list({"prediction"_nm = combined, "weights"_nm = weights,
                                "coefficients"_nm = std::vector<double>(next.begin(), next.end()),
                                "capped"_nm = static_cast<double>(aggregator.capped()),
                                "state"_nm = r_raw(aggregator.save_bytes())});
}

// The column that a run would refuse because it is the outcome; NULL if there is none.
SEXP outcome_column(SEXP values, SEXP outcomes, SEXP name) {
  try {
    compare::check_columns(problem_of(values, outcomes), text_of(name), true);
  } catch (const Error& error) {
    return r_texts({error.place().column});
  }
  return R_NilValue;
}

// Losses [T x K], infinite where an expert is missing.
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

SEXP convex_mix(SEXP values, SEXP outcomes, SEXP task) {
  Problem problem = problem_of(values, outcomes);
  problem.task = task_of(Fields(task));
  const auto weights = compare::best_mix(problem);
  if (!weights) return R_NilValue;
  return cpp11::as_sexp(*weights);
}

}  // namespace pcgs::r
