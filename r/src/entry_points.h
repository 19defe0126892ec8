// What R calls. Each takes and returns what R holds; the library's Errors become R's.
#pragma once

#include <cpp11.hpp>

namespace pcgs::r {

// Each method on a table of forecasts, as `pcgs run` plays it; or on from a state (raw), with its method.
SEXP play(SEXP problem, SEXP options, SEXP state);
// How wrong forecasts were beside the experts and references, and the sentences about it.
SEXP answer(SEXP problem, SEXP methods, SEXP forecasts);

// One method on rows, each learned before the next one is forecast if `online`, else all of them after
// the last: for mixture(). From a state (raw) or, without one, from the options.
SEXP play_rows(SEXP options, SEXP state, SEXP values, SEXP outcomes, SEXP online);

SEXP switching(SEXP losses, SEXP switches);
SEXP convex_mix(SEXP problem);

SEXP method_table();

SEXP aggregator_new(SEXP options);
SEXP aggregator_load(SEXP path);
SEXP aggregator_from(SEXP bytes);
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
