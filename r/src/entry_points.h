// What R calls. Each takes and returns what R holds; the library's Errors become R's.
#pragma once

#include <cpp11.hpp>

namespace pcgs::r {

// A run on a table, both given as lists with the fields of Table and Request; what R keeps of its outcome.
SEXP run_table(SEXP table, SEXP options);
// How wrong one method was in these rows: the errors of a run that went on.
SEXP errors_of_rows(SEXP table, SEXP task, SEXP method, SEXP forecasts);

// One method on rows, each learned before the next one is forecast if `online`, else all of them after
// the last: for mixture(). From a state (raw) or, without one, from the options.
SEXP play_rows(SEXP options, SEXP state, SEXP values, SEXP outcomes, SEXP online);

SEXP outcome_column(SEXP values, SEXP outcomes, SEXP name);
SEXP switching(SEXP losses, SEXP switches);
SEXP convex_mix(SEXP values, SEXP outcomes, SEXP task);

SEXP method_table();

SEXP aggregator_new(SEXP options);
SEXP aggregator_from(SEXP bytes, SEXP origin);
SEXP read_bytes(SEXP path);
SEXP aggregator_save(SEXP pointer, SEXP path);
SEXP aggregator_bytes(SEXP pointer);
SEXP aggregator_about(SEXP pointer);
SEXP aggregator_predict(SEXP pointer, SEXP forecasts);
SEXP aggregator_learn(SEXP pointer, SEXP outcome, SEXP round);
SEXP aggregator_learn_losses(SEXP pointer, SEXP losses);
SEXP aggregator_weights(SEXP pointer);
SEXP aggregator_played(SEXP pointer, SEXP round);
SEXP aggregator_intervals(SEXP pointer, SEXP round);
SEXP aggregator_abandon(SEXP pointer, SEXP round);
SEXP aggregator_set_experts(SEXP pointer, SEXP names);

}  // namespace pcgs::r
