// pcgs.run: methods played on a whole sequence and measured against the oracle, as `pcgs run` does.
#include "run/comparison.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "arrays.h"
#include "bindings.h"
#include "combine/hindsight_methods.h"
#include "construction_guard.h"
#include "expert_names.h"
#include "interpreter.h"
#include "interval_options.h"
#include "loss_options.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "report_page.h"
#include "run.h"
#include "run/clock.h"
#include "run/method_list.h"
#include "run/problem.h"
#include "show/forecast_answer.h"
#include "show/result.h"
#include "show/run_result.h"
#if __has_include("show/report.h")
#include "show/run_page.h"
#endif

namespace pcgs::python {

namespace {

Matrix copy_of(const MatrixView& view) {
  Matrix matrix;
  matrix.rows = view.rows;
  matrix.columns = view.columns;
  matrix.values.assign(view.data, view.data + view.rows * view.columns);
  return matrix;
}

void check_finite(const Matrix& matrix, const std::vector<std::string>& names,
                  const std::string& origin, const char* advice) {
  for (std::size_t t = 0; t < matrix.rows; ++t) {
    for (std::size_t k = 0; k < matrix.columns; ++k) {
      const double x = matrix.row(t)[k];
      if (std::isfinite(x)) continue;
      throw Error(
          fmt::format("{}: row {}, column {}: is {}; {}", origin, t + 1, names[k], x, advice));
    }
  }
}

Matrix side_of(py::handle side, std::size_t rounds) {
  if (side.is_none()) return {};
  Matrix matrix = copy_of(table_of(side, "side").values);
  if (matrix.rows != rounds) {
    throw Error(fmt::format("side: has {} rows for {} rounds; give a row for every round",
                            matrix.rows, rounds));
  }
  check_finite(matrix, numbered_names(matrix.columns), "side", "give finite numbers");
  return matrix;
}

// (name, texts, seconds since 1970), as pcgs._rows.times_of has them.
TimeColumn times_of(const py::tuple& given) {
  TimeColumn times;
  times.calendar = true;
  times.text.name = given[0].cast<std::string>();
  for (const py::handle text : given[1]) times.text.add(text.cast<std::string>());
  const Row at = row_of(given[2], "times");
  times.at.assign(at.values.begin(), at.values.end());
  return times;
}

struct Settings {
  std::string origin, outcome_name;
  py::object names, y, side, loss, tau, scale, times;
  std::optional<std::vector<std::size_t>> rows;  // where each round stands, if not at its number
};

compare::Problem problem_of(py::handle values, const Settings& settings) {
  const bool forecasts = !settings.y.is_none();
  compare::Problem problem;
  problem.origin = settings.origin;
  const Table table = table_of(values, settings.origin.c_str());
  if (table.values.rows == 0 || table.values.columns == 0) {
    throw Error(
        fmt::format("{}: has {} rows and {} columns; give a row for each round and a column "
                    "for each expert",
                    problem.origin, table.values.rows, table.values.columns));
  }
  problem.experts = settings.names.is_none() ? numbered_names(table.values.columns)
                                             : expert_names(settings.names).names;
  if (problem.experts.size() != table.values.columns) {
    throw Error(fmt::format("{} names for {} experts; give one for each", problem.experts.size(),
                            table.values.columns));
  }
  problem.values = copy_of(table.values);
  if (settings.rows) {
    if (settings.rows->size() != problem.rounds()) {
      throw Error(fmt::format("{} numbers of rows for {} rounds; give one for each",
                              settings.rows->size(), problem.rounds()));
    }
    problem.rows = *settings.rows;
  }
  if (forecasts) {
    const Row y = row_of(settings.y, settings.outcome_name.c_str());
    if (y.values.size() != problem.rounds()) {
      throw Error(fmt::format("{}: {} outcomes for {} rounds; give one for each",
                              settings.outcome_name, y.values.size(), problem.rounds()));
    }
    problem.outcomes.assign(y.values.begin(), y.values.end());
  } else {
    check_finite(problem.values, problem.experts, problem.origin,
                 "give finite losses; forecasts, with y, may be missing");
  }
  problem.side = side_of(settings.side, problem.rounds());
  const LossOptions losses = loss_options(settings.loss, settings.tau, settings.scale);
  problem.task = losses.task;
  problem.scale = losses.scale;
  compare::check_values(problem, settings.outcome_name);
  if (!settings.times.is_none()) {
    problem.times = times_of(settings.times);
    if (problem.times->at.size() != problem.rounds() ||
        problem.times->text.size() != problem.rounds()) {
      throw Error(fmt::format("{} times for {} rounds; give one for each", problem.times->at.size(),
                              problem.rounds()));
    }
  }
  return problem;
}

// Lets Ctrl-C end the work, looking now and then, and tells how far it is.
class Interruptible {
 public:
  // `progress` is called with rounds played and rounds to play; None: nobody is told. It outlives this.
  Interruptible(py::handle progress, std::size_t rounds) : progress_(progress), rounds_(rounds) {}

  void operator()(std::size_t rounds) {
    played_ += rounds;
    const auto now = Clock::now();
    if (now - looked_ < std::chrono::milliseconds(50)) return;
    looked_ = now;
    const WithPython with_python;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress_.is_none()) progress_(std::min(played_, rounds_), rounds_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point looked_ = Clock::now();
  py::handle progress_;
  std::size_t rounds_, played_ = 0;
};

// How many of the first rounds are known at each, where the caller says it.
std::vector<std::size_t> known_at_of(const py::object& given, std::size_t rounds) {
  if (given.is_none()) return {};
  auto known = given.cast<std::vector<std::size_t>>();
  for (std::size_t t = 0; t < known.size(); ++t) {
    if (known[t] > t || (t > 0 && known[t] < known[t - 1])) {
      throw Error(fmt::format(
          "round {} is said to know {} outcomes; give no more than there were, and no fewer than "
          "before",
          t + 1, known[t]));
    }
  }
  if (known.size() != rounds) {
    throw Error(
        fmt::format("known has {} numbers for {} rounds; give one for each", known.size(), rounds));
  }
  return known;
}

Run play(py::handle values, py::object names, py::object y, std::vector<std::string> methods,
         const py::iterable& switches, py::handle switch_cost, py::object side, py::object loss,
         py::object tau, py::object scale, std::optional<std::vector<std::size_t>> given_seasons,
         std::optional<std::vector<std::size_t>> rows, std::size_t block, std::size_t delay,
         const py::object& known, const py::object& intervals, const std::string& origin,
         const std::string& outcome_name, py::object times, const py::object& progress) {
  Run run;
  run.problem = problem_of(values, {origin, outcome_name, std::move(names), std::move(y),
                                    std::move(side), std::move(loss), std::move(tau),
                                    std::move(scale), std::move(times), std::move(rows)});
  if (run.problem.times) {
    compare::put_in_time(run.problem, nullptr, false,
                         [&](const Note& note) { run.notes.push_back(worded(note.sentence)); });
  }
  run.problem.block = block;
  run.problem.delay = delay;
  run.problem.known_at = known_at_of(known, run.problem.rounds());
  const auto seasons = given_seasons ? *given_seasons : compare::usual_seasons(run.problem);
  compare::ComparisonOptions options;
  options.called = methods;
  options.methods = std::move(methods);
  for (std::string& method : options.methods) {
    if (is_playable(method)) method = with_seasons(method, seasons);
  }
  options.intervals = interval_options(intervals);
  if (options.intervals && !seasons.empty()) options.intervals->season = seasons.front();
  if (options.methods.empty()) throw Error("no method is named; give at least one");
  for (const py::handle s : switches) {
    const auto count = static_cast<std::size_t>(count_of(s, "switches", 0, 1000000));
    if (std::find(options.switches.begin(), options.switches.end(), count) !=
        options.switches.end()) {
      throw Error(fmt::format("switches has {} twice; give each number once", count));
    }
    options.switches.push_back(count);
  }
  if (options.switches.empty()) throw Error("switches is empty; give at least one number");
  if (!switch_cost.is_none()) options.switch_cost = number_of(switch_cost, "switch_cost");
  // Where they cost no pass of their own.
  options.keep_weights = options.intervals.has_value();
  const std::size_t rounds = compare::rounds_to_play(run.problem, options);
  options.advance = Interruptible(progress, rounds);
  {
    const OthersMayRun others_may_run;
    compare::check_methods(options.methods, {run.problem.experts.size(), run.problem.side.columns,
                                             run.problem.has_forecasts()});
    run.comparison = compare::play_methods(run.problem, options);
    run.result = results::run_result(run.problem, run.comparison);
  }
  if (!progress.is_none()) progress(rounds, rounds);
  run.weights = std::move(run.comparison.methods.back().weights);
  return run;
}

std::string page_of(const Run& run) {
#if __has_include("show/report.h")
  return report::run_page(run.problem, run.comparison, run.result);
#else
  return run.problem.origin;  // nobody asks: there are no pages
#endif
}

// [T x K] the weights that the last method played: zero for sleepers.
py::array_t<double> weights_of(Run& run) {
  if (run.weights.rows == 0) {
    Matrix weights;
    {
      const OthersMayRun others_may_run;
      weights = compare::weights_of(run.problem, run.comparison.methods.back(),
                                    Interruptible(Py_None, 0));
    }
    run.weights = std::move(weights);
  }
  const Matrix& kept = run.weights;
  py::array_t<double> out({kept.rows, kept.columns});
  std::copy(kept.values.begin(), kept.values.end(), out.mutable_data());
  return out;
}

void write_report(const Run& run, py::handle path) {
  write_page(path, [&] { return page_of(run); });
}

const compare::MethodResult& method_at(const Run& run, std::size_t i) {
  if (i >= run.comparison.methods.size()) throw py::index_error("there are fewer methods");
  return run.comparison.methods[i];
}

// {level: [T x 2]}
py::dict intervals_of(const Run& run, std::size_t method) {
  py::dict out;
  const auto& record = method_at(run, method).intervals;
  if (!record) return out;
  for (std::size_t i = 0; i < record->levels.size(); ++i) {
    const auto rounds = static_cast<py::ssize_t>(run.problem.rounds());
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

}  // namespace

void bind_comparison(py::module_& m) {
  py::class_<Run>(m, "Run", kMadeByUsOnly, "What pcgs.run keeps; pcgs.Result is its face.")
      .def("json", [](const Run& run) { return results::to_json(run.result); })
      .def("table",
           [](const Run& run) { return results::run_table(run.result, run.problem.origin); })
      .def("headline", [](const Run& run) { return results::headline(run.answer()); })
      .def("sureness", [](const Run& run) { return results::sureness(run.answer()); })
      .def("notes", [](const Run& run) { return run.notes; })
      .def("outcomes", [](const Run& run) { return array_of(run.problem.outcomes); })
      .def(
          "expert",
          [](const Run& run, std::size_t k) {
            if (k >= run.problem.experts.size()) throw py::index_error("there are fewer experts");
            std::vector<double> column;
            for (std::size_t t = 0; t < run.problem.rounds(); ++t) {
              column.push_back(run.problem.values.row(t)[k]);
            }
            return array_of(column);
          },
          py::arg("expert"))
      .def(
          "forecasts",
          [](const Run& run, std::size_t i) { return array_of(method_at(run, i).forecasts); },
          py::arg("method"))
      .def("intervals", &intervals_of, py::arg("method"))
      .def("weights", &weights_of)
      .def("report", &write_report, py::arg("path"));
  m.def(
      "methods_from",
      [](const std::string& list, bool forecasts) {
        return compare::methods_from(
            {list.empty() ? std::vector<std::string>() : split_specs(list), "", forecasts});
      },
      py::arg("list"), py::arg("forecasts"));
  m.def("play", &play, py::arg("values"), py::kw_only(), py::arg("names"), py::arg("y"),
        py::arg("methods"), py::arg("switches"), py::arg("switch_cost"), py::arg("side"),
        py::arg("loss"), py::arg("tau"), py::arg("scale"), py::arg("seasons"), py::arg("rows"),
        py::arg("block"), py::arg("delay"), py::arg("known"), py::arg("intervals"),
        py::arg("origin"), py::arg("outcome_name"), py::arg("times"), py::arg("progress"));
}

}  // namespace pcgs::python
