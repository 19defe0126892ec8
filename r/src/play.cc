// Whole runs, as `pcgs run` plays them and with its numbers.
#include <algorithm>

#include "combine/hindsight_methods.h"
#include "conversions.h"
#include "entry_points.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "problem.h"
#include "run/clock.h"
#include "run/comparison.h"
#include "run/method_list.h"
#include "run/resume.h"

namespace pcgs::r {

namespace {

using namespace cpp11::literals;

// One run, from its rows to what R keeps of it.
struct Run {
  compare::Problem problem;
  std::string outcome_name, scale;  // as the user wrote them
  std::vector<std::string> called{};
  compare::MethodResult last{};                  // the method that is published
  std::vector<std::vector<double>> forecasts{};  // [methods] of all
  std::vector<double> ns_per_round{};            // [methods]
  std::optional<Aggregator> aggregator{};
  std::optional<compare::Resumed> before{};
  std::vector<std::string> notes{};

  const compare::Clock* clock() const { return before ? before->clock() : nullptr; }

  void keep(const compare::MethodResult& method) {
    forecasts.push_back(method.forecasts);
    ns_per_round.push_back(method.ns_per_round);
  }
};

void put_in_time(Run& run) {
  if (run.problem.times && run.problem.rounds() > 0) {
    compare::put_in_time(run.problem, run.clock(), false,
                         [&](const Note& note) { run.notes.push_back(worded(note.sentence)); });
  }
  compare::check_values(run.problem, run.outcome_name);
}

void let_interrupt(std::size_t) { cpp11::check_user_interrupt(); }

void play_last(Run& run, Aggregator& by) {
  run.last = compare::play_once(run.problem, by, let_interrupt);
  run.keep(run.last);
}

// The last method is published: it leaves weights, intervals and a state.
void begin(Run& run, const Fields& given) {
  put_in_time(run);
  const SEXP told = given["seasons"];
  const auto seasons = told == R_NilValue ? compare::usual_seasons(run.problem) : counts_of(told);
  run.called = texts_of(given["methods"]);
  std::vector<std::string> specs = run.called;
  for (std::string& spec : specs) {
    if (is_playable(spec)) spec = with_seasons(spec, seasons);
  }
  compare::check_methods(specs, {run.problem.experts.size(), 0, true});
  if (!is_playable(specs.back())) {
    throw Error("the last method is the one that is published, and " + specs.back() +
                " is known in hindsight only; name another one last");
  }
  if (specs.size() > 1) {
    compare::ComparisonOptions options;
    options.switches = {0};
    options.advance = let_interrupt;
    options.methods.assign(specs.begin(), specs.end() - 1);
    options.called.assign(run.called.begin(), run.called.end() - 1);
    for (const auto& one : compare::play_methods(run.problem, options).methods) run.keep(one);
  }
  run.aggregator = compare::make_player(run.problem, specs.back(), false,
                                        intervals_of(given["intervals"], seasons));
  play_last(run, *run.aggregator);
}

void go_on(Run& run, const Fields& given, SEXP state) {
  compare::ResumeRules rules;
  rules.state = "the earlier run";
  rules.outcome = run.outcome_name;
  rules.skip_learned = flag_of(given["skip_learned"]);
  rules.experts_may_change = true;
  run.before = compare::resume(bytes_of(state), run.problem, rules);
  put_in_time(run);
  const std::string spec(run.before->aggregator.method().name());
  run.called = {run.before->before ? run.before->before->method : spec};
  if (run.before->before) run.scale = run.before->before->scale;
  if (run.problem.rounds() == 0) {
    throw Error("all of these rows were learned before; give rows that are new");
  }
  play_last(run, run.before->aggregator);
  run.aggregator = std::move(run.before->aggregator);
}

void leave_note(Run& run) {
  compare::RunNote note{run.called.back(), run.outcome_name, run.scale, {}};
  if (run.problem.times && (run.clock() != nullptr || run.problem.known() > 0)) {
    note.clock = compare::clock_after(run.problem, run.clock());
  }
  compare::leave_note(*run.aggregator, note);
}

}  // namespace

SEXP play(SEXP problem, SEXP options, SEXP state) {
  const Fields table(problem), given(options);
  Run run{problem_of(table), text_of(table["outcome_name"]),
          table["scale"] == R_NilValue ? std::string() : text_of(table["scale"])};
  state == R_NilValue ? begin(run, given) : go_on(run, given, state);
  leave_note(run);
  const compare::MethodResult& last = run.last;
  const auto& record = last.intervals;
  const bool changed = run.before.has_value();
  return cpp11::writable::list(
      {"experts"_nm = r_texts(run.problem.experts), "methods"_nm = r_texts(run.called),
       "spec"_nm = run.aggregator->method().name(),
       "forecasts"_nm = r_columns(run.forecasts, run.problem.rounds()),
       "weights"_nm = r_matrix(last.weights),
       "levels"_nm = record ? record->levels : std::vector<double>(),
       "low"_nm = record ? r_matrix(record->low) : cpp11::sexp(R_NilValue),
       "high"_nm = record ? r_matrix(record->high) : cpp11::sexp(R_NilValue),
       "next_weights"_nm = last.next_weights, "ns_per_round"_nm = run.ns_per_round,
       "state"_nm = r_raw(run.aggregator->save_bytes()), "notes"_nm = r_texts(run.notes),
       "skipped"_nm = changed ? static_cast<double>(run.before->skipped) : 0.0,
       "values"_nm = r_matrix(run.problem.values)});
}

}  // namespace pcgs::r
