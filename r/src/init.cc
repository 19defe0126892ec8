// What R finds in this library.
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include <cpp11.hpp>
#include <cpp11/declarations.hpp>

#include "entry_points.h"
#include "words.h"

namespace {

// An Error becomes a condition of R with its kind and place, anything else a plain error with its sentence.
template <auto function>
struct Called;

template <class... Given, SEXP (*function)(Given...)>
struct Called<function> {
  static constexpr int kArguments = sizeof...(Given);
  static SEXP call(Given... given) {
    BEGIN_CPP11
    try {
      return function(given...);
    } catch (const pcgs::Error& error) {
      pcgs::r::raise(error);
    }
    END_CPP11
  }
};

template <auto function>
R_CallMethodDef entry(const char* name) {
  return {name, reinterpret_cast<DL_FUNC>(&Called<function>::call), Called<function>::kArguments};
}

}  // namespace

extern "C" attribute_visible void R_init_pcgs(DllInfo* library) {
  using namespace pcgs::r;
  static const R_CallMethodDef kEntries[] = {
      entry<run_table>("C_run_table"),
      entry<errors_of_rows>("C_errors_of_rows"),
      entry<play_rows>("C_play_rows"),
      entry<outcome_column>("C_outcome_column"),
      entry<switching>("C_switching"),
      entry<convex_mix>("C_convex_mix"),
      entry<method_table>("C_method_table"),
      entry<aggregator_new>("C_aggregator_new"),
      entry<aggregator_from>("C_aggregator_from"),
      entry<read_bytes>("C_read_bytes"),
      entry<aggregator_save>("C_aggregator_save"),
      entry<aggregator_bytes>("C_aggregator_bytes"),
      entry<aggregator_about>("C_aggregator_about"),
      entry<aggregator_predict>("C_aggregator_predict"),
      entry<aggregator_learn>("C_aggregator_learn"),
      entry<aggregator_learn_losses>("C_aggregator_learn_losses"),
      entry<aggregator_weights>("C_aggregator_weights"),
      entry<aggregator_played>("C_aggregator_played"),
      entry<aggregator_intervals>("C_aggregator_intervals"),
      entry<aggregator_abandon>("C_aggregator_abandon"),
      entry<aggregator_set_experts>("C_aggregator_set_experts"),
      {nullptr, nullptr, 0}};
  R_registerRoutines(library, nullptr, kEntries, nullptr, nullptr);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
