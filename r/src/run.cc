// A run: a table and a request from what R holds, and the outcome as R keeps it.
#include "pcgs/run.h"

#include <initializer_list>
#include <utility>

#include "conversions.h"
#include "entry_points.h"
#include "pcgs/registry.h"
#include "run/errors.h"
#include "run/resume.h"
#include "show/forecast_answer.h"
#include "words.h"

namespace pcgs::r {

namespace {

using namespace cpp11::literals;

// ---- From R -------------------------------------------------------------------------------------

TimeColumn times_of(const Fields& given) {
  TimeColumn times;
  times.calendar = true;
  times.text.name = text_of(given["name"]);
  for (const std::string& text : texts_of(given["text"])) times.text.add(text);
  times.at = numbers_of(given["at"]);
  return times;
}

// Its fields are origin, values (a matrix with names of columns), outcomes and times: NULL, or name, text
// and at (seconds since 1970).
Table table_of(const Fields& given) {
  Table table;
  table.origin = text_of(given["origin"]);
  table.names = column_names_of(given["values"]);
  table.values = matrix_of(given["values"]);
  table.outcomes = numbers_of(given["outcomes"]);
  if (const SEXP times = given["times"]; times != R_NilValue) {
    table.times.push_back(times_of(Fields(times)));
  }
  return table;
}

// Sets what R gives of these fields.
template <class Field, class Convert>
void give(const Fields& given, const Convert& convert,
          std::initializer_list<std::pair<const char*, Field*>> fields) {
  for (const auto& [name, field] : fields) {
    if (const SEXP value = given[name]; value != R_NilValue) *field = convert(value);
  }
}

// Its fields are those of Request; one that is NULL is left to the library.
Request request_of(const Fields& given) {
  Request request;
  give<std::string>(given, text_of,
                    {{"outcome", &request.outcome},
                     {"scale", &request.scale},
                     {"state_name", &request.state_name}});
  give<std::vector<std::string>>(given, texts_of,
                                 {{"models", &request.models},
                                  {"ignore", &request.ignore},
                                  {"methods", &request.methods},
                                  {"drop", &request.drop}});
  give<std::size_t>(given, [](SEXP number) { return counts_of(number).front(); },
                    {{"block", &request.block}, {"delay", &request.delay}});
  give<bool>(given, flag_of, {{"skip_learned", &request.skip_learned}});
  give<std::vector<std::uint8_t>>(given, bytes_of, {{"state", &request.state}});
  give<std::optional<std::vector<std::size_t>>>(given, counts_of, {{"season", &request.season}});
  give<std::optional<std::vector<double>>>(given, numbers_of, {{"intervals", &request.intervals}});
  if (given["loss"] != R_NilValue) request.loss = task_of(given);
  request.save = true;
  request.keep_weights = true;
  request.progress = [](std::size_t, std::size_t) { cpp11::check_user_interrupt(); };
  return request;
}

// ---- To R ---------------------------------------------------------------------------------------

// The lines of the table of errors as columns, and the sentences below it.
cpp11::writable::list r_errors(const results::ForecastAnswer& answer, const std::string& headline,
                               const std::string& sureness) {
  const auto texts = [&](std::string results::ErrorLine::*field) {
    std::vector<std::string> out;
    for (const auto& line : answer.errors) out.push_back(line.*field);
    return r_texts(out);
  };
  const auto numbers = [&](std::optional<double> results::ErrorLine::*field) {
    std::vector<double> out;
    for (const auto& line : answer.errors) out.push_back(r_number(line.*field));
    return out;
  };
  std::vector<int> rounds;
  for (const auto& line : answer.errors) rounds.push_back(static_cast<int>(line.rounds));
  using results::ErrorLine;
  return {"measure"_nm = answer.measure,
          "headline"_nm = headline,
          "sureness"_nm = sureness,
          "name"_nm = texts(&ErrorLine::name),
          "kind"_nm = texts(&ErrorLine::kind),
          "rounds"_nm = rounds,
          "rmse"_nm = numbers(&ErrorLine::rmse),
          "mae"_nm = numbers(&ErrorLine::mae),
          "mape"_nm = numbers(&ErrorLine::mape),
          "bias"_nm = numbers(&ErrorLine::bias),
          "loss"_nm = numbers(&ErrorLine::loss),
          "difference"_nm = numbers(&ErrorLine::difference)};
}

cpp11::writable::list r_errors(const Errors& errors) {
  const results::ForecastAnswer answer = results::errors_answer(errors);
  return r_errors(answer, results::headline(answer), results::sureness(answer));
}

cpp11::sexp r_notes(const std::vector<Note>& notes) {
  std::vector<std::string> sentences;
  for (const Note& note : notes) sentences.push_back(note.in_words_of(r_words()));
  return r_texts(sentences);
}

// A series that was played, and what holds for the whole run.
cpp11::writable::list r_outcome(const SeriesOutcome& series, cpp11::sexp errors,
                                const std::vector<std::uint8_t>& state,
                                const std::vector<Note>& notes) {
  const Problem& problem = series.problem;
  const auto& methods = series.comparison.methods;
  const MethodResult& last = methods.back();
  std::vector<std::string> names;
  std::vector<std::vector<double>> forecasts;
  std::vector<double> ns_per_round;
  for (const MethodResult& method : methods) {
    names.push_back(method.name);
    forecasts.push_back(method.forecasts);
    ns_per_round.push_back(method.ns_per_round);
  }
  std::vector<double> rows;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    rows.push_back(static_cast<double>(problem.file_row(t)));
  }
  const auto& record = last.intervals;
  return {"experts"_nm = r_texts(problem.experts),
          "methods"_nm = r_texts(names),
          "spec"_nm = last.spec(),
          "loss"_nm = std::string(problem.task.name()),
          "tau"_nm = problem.task.tau(),
          "rows"_nm = rows,
          "values"_nm = r_matrix(problem.values),
          "forecasts"_nm = r_columns(forecasts, problem.rounds()),
          "weights"_nm = r_matrix(last.weights),
          "levels"_nm = record ? record->levels : std::vector<double>(),
          "low"_nm = record ? r_matrix(record->low) : cpp11::sexp(R_NilValue),
          "high"_nm = record ? r_matrix(record->high) : cpp11::sexp(R_NilValue),
          "next_weights"_nm = last.next_weights,
          "ns_per_round"_nm = ns_per_round,
          "errors"_nm = std::move(errors),
          "state"_nm = r_raw(state),
          "notes"_nm = r_notes(notes)};
}

// Of a state that had learned every row: no rounds, and what it knows.
SeriesOutcome nothing_played(const Request& request) {
  const Aggregator kept = Aggregator::load_bytes(request.state, request.state_name, make_method);
  const auto note = compare::find_note(kept, request.state_name);
  SeriesOutcome none;
  none.problem.experts = kept.names();
  none.problem.values = Matrix(0, kept.experts());
  none.problem.task = kept.task();
  MethodResult method;
  method.full = kept.method().name();
  method.name = note ? note->method : method.full;
  method.weights = Matrix(0, kept.experts());
  method.next_weights.assign(kept.weights().begin(), kept.weights().end());
  if (const auto& options = kept.interval_options()) method.intervals.emplace(0, options->levels);
  none.comparison.methods.push_back(std::move(method));
  return none;
}

}  // namespace

SEXP run_table(SEXP table, SEXP options) {
  const Request request = request_of(Fields(options));
  Outcome outcome = run(request, table_of(Fields(table)));
  if (outcome.nothing_new()) {
    const SeriesOutcome none = nothing_played(request);
    results::ForecastAnswer nothing;
    nothing.measure = ErrorMeasure(none.problem.task).name();
    return r_outcome(none,
                     r_errors(nothing, "No row is new: the state had learned all of them.", ""),
                     request.state, outcome.notes);
  }
  SeriesOutcome& series = outcome.series.front();
  if (!request.state.empty()) {  // the state knows the seasons that the method has
    series.comparison.methods.back().full =
        Aggregator::load_bytes(outcome.state, request.state_name, make_method).method().name();
  }
  return r_outcome(series, r_errors(outcome.errors), outcome.state, outcome.notes);
}

SEXP errors_of_rows(SEXP table, SEXP task, SEXP method, SEXP forecasts) {
  Table rows = table_of(Fields(table));
  Problem problem;
  problem.origin = std::move(rows.origin);
  problem.experts = std::move(rows.names);
  problem.values = std::move(rows.values);
  problem.outcomes = std::move(rows.outcomes);
  problem.task = task_of(Fields(task));
  Comparison comparison;
  comparison.rounds = problem.rounds();
  MethodResult& combined = comparison.methods.emplace_back();
  combined.name = text_of(method);
  combined.forecasts = numbers_of(forecasts);
  return r_errors(compare::errors_of(problem, comparison));
}

}  // namespace pcgs::r
