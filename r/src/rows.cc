// One method on rows of forecasts, in one pass: what mixture() and its updates are made of.
#include <cmath>

#include "conversions.h"
#include "entry_points.h"
#include "pcgs/aggregator.h"
#include "pcgs/registry.h"

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

}  // namespace pcgs::r
