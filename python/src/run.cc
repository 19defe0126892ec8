// pcgs.run and pcgs.run_series: a Request and a Table out of Python objects, run(), and its Outcome.
#include "pcgs/run.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include "arrays.h"
#include "combine/hindsight_methods.h"
#include "data/whole_file.h"
#include "module.h"
#include "options.h"
#include "pcgs/error.h"
#include "rows.h"
#include "run/comparison.h"
#include "show/forecast_answer.h"
#include "show/report.h"
#include "show/result.h"
#include "show/run_result.h"

namespace pcgs::python {

namespace {

// ---- Tables -------------------------------------------------------------------------------------

TextColumn text_of(const std::string& name, py::handle texts) {
  TextColumn column;
  column.name = name;
  for (const py::handle text : texts) column.add(text.cast<std::string_view>());
  return column;
}

// What pcgs._table makes: see there.
pcgs::Table table_of_parts(const py::dict& given) {
  pcgs::Table table;
  table.origin = given["origin"].cast<std::string>();
  table.values = matrix_of(given["values"], table.origin.c_str());
  if (table.values.rows == 0 || table.values.columns == 0) {
    throw Error(
        ErrorKind::kMissing, {.file = table.origin},
        fmt::format("has {} rows and {} columns; give a row for each round and a column for "
                    "each model",
                    table.values.rows, table.values.columns));
  }
  const py::object names = given["names"];
  if (!names.is_none()) table.names = expert_names(names).names;
  for (std::size_t k = 1; names.is_none() && k <= table.values.columns; ++k) {
    table.names.push_back(fmt::format("e{}", k));
  }
  if (table.names.size() != table.values.columns) {
    throw Error(ErrorKind::kMismatch, {.file = table.origin, .field = "models"},
                fmt::format("{} names for {} columns; give one for each", table.names.size(),
                            table.values.columns));
  }
  for (const auto& [name, texts] : given["texts"].cast<py::dict>()) {
    table.texts.push_back(text_of(name.cast<std::string>(), texts));
  }
  for (const py::handle one : given["times"]) {
    const auto parts = one.cast<py::tuple>();
    TimeColumn times{text_of(parts[0].cast<std::string>(), parts[1]), {}, true};
    times.at = numbers_of(parts[2], "times");
    table.times.push_back(std::move(times));
  }
  if (const py::object y = given["outcomes"]; !y.is_none()) table.outcomes = numbers_of(y, "y");
  if (const py::object side = given["side"]; !side.is_none()) {
    table.side = matrix_of(side, "side");
  }
  table.rows = given["rows"].cast<std::vector<std::size_t>>();
  table.known_at = given["known_at"].cast<std::vector<std::size_t>>();
  return table;
}

// ---- Playing ------------------------------------------------------------------------------------

// Ends a run that nobody wants any more.
struct Stopped : std::exception {};

// Plays in a thread of its own, so that this one, whatever the others do, hears Ctrl-C and tells how
// far it is. `progress` is called with rounds played and rounds to play; None: nobody is told.
Outcome play(Request request, pcgs::Table table, py::handle progress) {
  std::atomic<std::size_t> played{0}, all{0};
  std::atomic<bool> stop{false};
  request.progress = [&](std::size_t now, std::size_t whole) {
    if (stop) throw Stopped();
    played = now;
    all = whole;
  };
  std::exception_ptr wrong;
  Outcome outcome;
  const auto look = [&] {
    const WithPython with_python;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none() && all > 0) progress(played.load(), all.load());
    } catch (...) {
      wrong = std::current_exception();
      stop = true;
    }
  };
  {
    const OthersMayRun others_may_run;
    auto playing =
        std::async(std::launch::async, [&] { outcome = run(request, std::move(table)); });
    while (playing.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      if (!stop) look();
    }
    try {
      playing.get();
    } catch (const Stopped&) {
    } catch (...) {
      if (!wrong) wrong = std::current_exception();
    }
  }
  if (wrong) std::rethrow_exception(wrong);
  if (!progress.is_none() && all > 0) progress(all.load(), all.load());
  return outcome;
}

// ---- What came out ------------------------------------------------------------------------------

struct Run {
  std::string origin;
  Outcome outcome;
  bool resumed = false;
};

// One of the series of a run, or all that there is.
struct Played {
  std::shared_ptr<Run> run;
  std::size_t number = 0;
  results::RunResult result;

  const SeriesOutcome& series() const { return run->outcome.series[number]; }
  const Problem& problem() const { return series().problem; }
  const results::ForecastAnswer& answer() const {
    if (!result.answer) {
      throw Error(ErrorKind::kCall, {.field = "outcome"},
                  fmt::format("losses were combined, not forecasts; give forecasts and {}",
                              option("outcome")));
    }
    return *result.answer;
  }
  const MethodResult& method(std::size_t i) const {
    const auto& methods = series().comparison.methods;
    if (i >= methods.size()) throw py::index_error("there are fewer methods");
    return methods[i];
  }
};

std::shared_ptr<Run> play_all(const py::dict& fields, const py::dict& parts,
                              const py::object& progress) {
  Request request = request_of(fields);
  const bool forecasts = !request.outcome.empty();
  // The state is there for whoever asks later; what was tuned in hindsight has none.
  const bool all = request.methods.size() == 1 && request.methods.front() == "all";
  request.save = request.methods.empty() || is_playable(request.methods.back());
  if (all && !forecasts) request.save = false;  // the last of them is starred
  request.keep_weights = true;
  auto made = std::make_shared<Run>();
  pcgs::Table table = table_of_parts(parts);
  made->origin = table.origin;
  made->resumed = !request.state.empty();
  made->outcome = play(std::move(request), std::move(table), progress);
  return made;
}

py::list series_of(const std::shared_ptr<Run>& run) {
  py::list out;
  for (std::size_t i = 0; i < run->outcome.series.size(); ++i) {
    const SeriesOutcome& one = run->outcome.series[i];
    out.append(Played{run, i, results::run_result(one.problem, one.comparison, one.errors)});
  }
  return out;
}

// Weights zero for sleepers.
py::array_t<double> weights_of(const Played& one) {
  return array_of(one.series().comparison.methods.back().weights);
}

// {level: [T x 2]}
py::dict intervals_of(const Played& one, std::size_t method) {
  py::dict out;
  const auto& record = one.method(method).intervals;
  if (!record) return out;
  for (std::size_t i = 0; i < record->levels.size(); ++i) {
    const auto rounds = static_cast<py::ssize_t>(record->low.rows);
    py::array_t<double> ends({rounds, py::ssize_t{2}});
    auto at = ends.mutable_unchecked<2>();
    for (py::ssize_t t = 0; t < rounds; ++t) {
      at(t, 0) = record->low.row(static_cast<std::size_t>(t))[i];
      at(t, 1) = record->high.row(static_cast<std::size_t>(t))[i];
    }
    out[py::float_(record->levels[i])] = ends;
  }
  return out;
}

// [T] of the rows of the table, from 1 on: where the played rounds stand.
std::vector<std::size_t> rows_of(const Problem& problem) {
  std::vector<std::size_t> rows;
  for (std::size_t t = 0; t < problem.rounds(); ++t) rows.push_back(problem.file_row(t));
  return rows;
}

// The same of quantiles: the first of the rows of each round.
std::vector<std::size_t> rows_of(const QuantileProblem& problem) {
  std::vector<std::size_t> rows;
  for (const auto& round : problem.rounds) rows.push_back(round.forecasts.front().row + 1);
  return rows;
}

const QuantileOutcome& quantiles_of(const Run& run) {
  if (!run.outcome.quantiles) throw Error(ErrorKind::kCall, {}, "these are no quantiles");
  return *run.outcome.quantiles;
}

results::QuantileResult quantile_result_of(const Run& run) {
  const QuantileOutcome& one = quantiles_of(run);
  return results::quantile_result(one.problem, one.panel, one.published);
}

results::SeriesResult several_of(const Run& run) {
  if (run.outcome.by.empty()) throw Error(ErrorKind::kCall, {}, "these are not several series");
  return results::series_result(run.outcome);
}

std::string json_of(const Run& run) {
  if (run.outcome.quantiles) return results::to_json(quantile_result_of(run));
  return results::to_json(several_of(run));
}

std::string text_of(const Run& run) {
  if (run.outcome.quantiles) return results::quantile_table(quantile_result_of(run), run.origin);
  return results::series_table(several_of(run), run.origin);
}

std::string headline_of(const Run& run) {
  return results::headline(run.outcome.quantiles ? quantile_result_of(run).answer
                                                 : several_of(run).answer);
}

std::string page_of(const Run& run) {
  if (!run.outcome.quantiles) return report::series_page(several_of(run), run.origin);
  const QuantileOutcome& one = *run.outcome.quantiles;
  return report::quantile_page(one.problem, one.published, quantile_result_of(run));
}

std::string page_of(const Played& one) {
  if (one.run->resumed) {
    throw Error(ErrorKind::kCall, {.field = "state"},
                "a page is of a run from its beginning, and this one resumes from a state");
  }
  return report::run_page(one.problem(), one.series().comparison, one.result);
}

// Writes the page to that path, all of it or nothing, while other threads run.
template <class Kind>
void write_page(const Kind& kind, py::handle path) {
  if (!report::available()) {
    throw Error(
        "this build of pcgs has no report page; install npm, build the package again, and then "
        "report() writes one");
  }
  const std::string name = path_of(path);
  const OthersMayRun others_may_run;
  WholeFile file(name);  // says what is wrong with the path before the work
  file.write(page_of(kind));
  file.commit();
}

py::list notes_of(const Run& run) {
  py::list out;
  for (const Note& note : run.outcome.notes) {
    out.append(py::make_tuple(std::string(kind_name(note.kind)), note.in_words_of(python_words())));
  }
  return out;
}

py::bytes state_of(const Run& run) {
  const auto& state = run.outcome.state;
  if (state.empty()) {
    throw Error(ErrorKind::kCall, {.field = "methods"},
                "the last method is known in hindsight only and has no state");
  }
  return py_bytes(state);
}

}  // namespace

void bind_run(py::module_& m) {
  py::class_<Run, std::shared_ptr<Run>>(m, "Run", kMadeByUsOnly, "What came of one call.")
      .def("nothing_new", [](const Run& run) { return run.outcome.nothing_new(); })
      .def("last_learned", [](const Run& run) { return run.outcome.last_learned; })
      .def("notes", &notes_of)
      .def("state", &state_of)
      .def("series", &series_of)
      .def("json", &json_of)
      .def("table", [](const Run& run) { return text_of(run); })
      .def("headline", &headline_of)
      .def("report", &write_page<Run>, py::arg("path"))
      .def("quantile_rows", [](const Run& run) { return rows_of(quantiles_of(run).problem); })
      .def("quantile_columns", [](const Run& run) { return quantiles_of(run).problem.columns; })
      .def("published", [](const Run& run) { return array_of(quantiles_of(run).published); });
  py::class_<Played>(m, "Played", kMadeByUsOnly, "One series of a run; pcgs.Result is its face.")
      .def("key", [](const Played& one) { return one.series().key; })
      .def("rows", [](const Played& one) { return rows_of(one.problem()); })
      .def("json", [](const Played& one) { return results::to_json(one.result); })
      .def("table",
           [](const Played& one) { return results::run_table(one.result, one.run->origin); })
      .def("headline", [](const Played& one) { return results::headline(one.answer()); })
      .def("sureness", [](const Played& one) { return results::sureness(one.answer()); })
      .def("outcomes", [](const Played& one) { return array_of(one.problem().outcomes); })
      .def("experts", [](const Played& one) { return array_of(one.problem().values); })
      .def(
          "forecasts",
          [](const Played& one, std::size_t i) { return array_of(one.method(i).forecasts); },
          py::arg("method"))
      .def("intervals", &intervals_of, py::arg("method"))
      .def("weights", &weights_of)
      .def("report", &write_page<Played>, py::arg("path"));
  m.def("play", &play_all, py::arg("request"), py::arg("table"), py::arg("progress"));
}

}  // namespace pcgs::python
