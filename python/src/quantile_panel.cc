// pcgs.QuantilePanel: a QuantilePanel that Python can hold.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "arrays.h"
#include "data/whole_file.h"
#include "held.h"
#include "module.h"
#include "pcgs/error.h"
#include "pcgs/quantiles.h"
#include "rows.h"

namespace pcgs::python {

namespace {

// Opening a round with so many quantiles takes tens of microseconds. Handing the interpreter over and
// taking it back costs up to a thread's whole time slice, so it must be worth it.
constexpr std::size_t kLongRound = 1024;

std::optional<std::size_t> place_of(std::span<const std::string> names, std::string_view name) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names.begin());
}

QuantileScale quantile_scale(py::handle given) {
  if (py::isinstance<py::str>(given)) {
    if (given.equal(py::str("raw"))) return QuantileScale::kRaw;
    if (given.equal(py::str("log1p"))) return QuantileScale::kLog1p;
  }
  throw Error(fmt::format("scale is {}; give 'raw' or 'log1p'", repr_of(given)));
}

// What merely counts as true may be meant for another option.
bool yes_or_no(py::handle chosen, const char* what) {
  if (py::isinstance<py::bool_>(chosen)) return chosen.cast<bool>();
  throw Error(fmt::format("{} is {}; give True or False", what, repr_of(chosen)));
}

// The panel would say the same, but only after the newcomers of the round have been added to it.
void check_quantiles(const QuantileRows& rows, const QuantileOptions& options) {
  const bool log1p = options.scale == QuantileScale::kLog1p;
  const std::size_t count = options.levels.size();
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    const double x = rows.values[i];
    if (!std::isinf(x) && !(log1p && x <= -1)) continue;
    throw Error(fmt::format("the quantile {:g} of {} is {}; give {}, or NaN for none",
                            options.levels[i % count], rows.experts[i / count], x,
                            log1p ? "finite numbers above -1" : "finite numbers"));
  }
}

class PythonPanel : public Held<PythonPanel, QuantilePanel> {
 public:
  static constexpr const char *kWhat = "panel", *kMaker = "QuantilePanel(levels=...)";
  explicit PythonPanel(QuantilePanel panel) {
    one_ = std::make_unique<QuantilePanel>(std::move(panel));
  }

  static std::unique_ptr<PythonPanel> make(py::handle levels, py::handle scale,
                                           py::handle calibrate, py::handle certify) {
    return std::make_unique<PythonPanel>(
        QuantilePanel({numbers_of(levels, "levels"), quantile_scale(scale),
                       yes_or_no(calibrate, "calibrate"), yes_or_no(certify, "certify")}));
  }
  static std::unique_ptr<PythonPanel> from_bytes(std::string_view bytes,
                                                 const std::string& origin) {
    return std::make_unique<PythonPanel>(QuantilePanel::load_bytes(bytes_in(bytes), origin));
  }
  static std::unique_ptr<PythonPanel> from_state(py::handle state) {
    const py::bytes bytes = state_bytes(state);
    return from_bytes(static_cast<std::string_view>(bytes), "the state");
  }
  static std::unique_ptr<PythonPanel> load(py::handle path) {
    const std::string name = path_of(path);
    const auto bytes = read_whole_file(name);
    return from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
  }

  void add_expert(py::handle name) {
    const Turn turn(*this);
    one_->add_expert(name_of(name, "an expert"));
  }
  void remove_expert(py::handle name) {
    const Turn turn(*this);
    one_->remove_expert(name_of(name, "an expert"));
  }
  void add_series(py::handle name) {
    const Turn turn(*this);
    one_->add_series(name_of(name, "a series"));
  }

  std::int64_t open(py::handle series, py::handle quantiles) {
    const Turn turn(*this);
    const std::string name = name_of(series, "a series");
    const QuantileRows rows = quantile_rows(quantiles, one_->options().levels, one_->experts());
    check_quantiles(rows, one_->options());
    // Nothing is refused from here on.
    const std::vector<double> table = in_order_of_experts(rows);
    const auto place = place_of(one_->series(), name);
    const std::size_t index = place ? *place : one_->add_series(name);
    std::int64_t round = 0;
    at_length([&] { round = one_->open(index, table); });
    return round;
  }
  py::object forecast(py::handle round) {
    const Turn turn(*this);
    return array_of(one_->forecast(round_of(round)));
  }
  void learn(py::handle round, py::handle outcome) {
    const Turn turn(*this);
    const std::int64_t number = round_of(round);
    const double y = number_of(outcome, "outcome");
    at_length([&] { one_->learn(number, y); });
  }
  void abandon(py::handle round) {
    const Turn turn(*this);
    one_->abandon(round_of(round));
  }
  std::string series_of(py::handle round) {
    const Turn turn(*this);
    return one_->series()[one_->series_of(round_of(round))];
  }
  py::dict weights(py::handle series) {
    const Turn turn(*this);
    const auto weights = one_->weights(place_of_series(series));
    py::dict out;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      out[py::str(one_->experts()[k])] = weights[k];
    }
    return out;
  }

  py::dict certificate(py::handle series) {
    const Turn turn(*this);
    const ScoreClaims claims = one_->certificate(place_of_series(series));
    const Certificate &path = claims.against_path.certificate,
                      &expert = claims.against_expert.certificate;
    py::dict out;
    out["rounds"] = claims.rounds;
    out["score"] = claims.against_expert.loss;
    out["above_path"] = path.regret;
    out["path_bound"] = path.bound;
    out["above_expert"] = expert.regret;
    out["expert_bound"] = expert.bound;
    out["holds"] = path.holds() && expert.holds();
    return out;
  }

  void set_note(std::string note) {
    const Turn turn(*this);
    one_->set_note(std::move(note));
  }
  py::bytes to_bytes() {
    const Turn turn(*this);
    return py_bytes(one_->save_bytes());
  }
  void save(const std::string& path) {
    const Turn turn(*this);
    one_->save(path);
  }

  std::string description() const {
    check_made();
    const auto number = [](std::size_t n, const char* what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    return fmt::format("<pcgs.QuantilePanel: {}, {}, {} series>",
                       number(one_->options().levels.size(), "level"),
                       number(one_->experts().size(), "expert"), one_->series().size());
  }

 private:
  // [K x P] with a row of NaN for those asleep; adds those whom the panel does not know.
  std::vector<double> in_order_of_experts(const QuantileRows& rows) {
    std::unordered_map<std::string, std::size_t> places;
    for (const std::string& name : one_->experts()) places.emplace(name, places.size());
    for (const std::string& name : rows.experts) {
      if (places.emplace(name, places.size()).second) one_->add_expert(name);
    }
    const std::size_t count = one_->options().levels.size();
    std::vector<double> table(places.size() * count, std::nan(""));
    for (std::size_t i = 0; i < rows.experts.size(); ++i) {
      std::copy_n(rows.values.data() + i * count, count,
                  table.data() + places.at(rows.experts[i]) * count);
    }
    return table;
  }

  template <class Work>
  void at_length(const Work& work) {
    if (one_->experts().size() * one_->options().levels.size() < kLongRound) return work();
    const OthersMayRun others_may_run;
    work();
  }

  std::size_t place_of_series(py::handle series) const {
    const std::string name = name_of(series, "a series");
    if (const auto place = place_of(one_->series(), name)) return *place;
    throw Error(
        fmt::format("there is no series {}; give one of panel.series, to which open() and "
                    "add_series() add",
                    name));
  }
};

constexpr const char* kClass =
    R"(QuantilePanel(levels, *, scale="raw", calibrate=True, certify=False)

Combines the quantile forecasts of several experts online, for one series or for several related ones
(places, horizons, stores), which learn from one another.

>>> import pcgs
>>> panel = pcgs.QuantilePanel(levels=[0.1, 0.5, 0.9])
>>> round = panel.open("north", {"arima": [8, 10, 12], "ets": [9, 12, 15]})
>>> panel.forecast(round)
array([ 8.5       , 10.85714286, 14.15      ])
>>> panel.learn(round, 10.3)
>>> weights = panel.weights("north")
>>> weights["arima"] > weights["ets"]
True

Parameters
----------
levels : of the quantiles, rising, between 0 and 1.
scale : "log1p" combines and scores ln(1 + x), for counts: an error of ten in a hundred weighs as much
    as one of a hundred in a thousand. Forecasts and outcomes are given and published in their own
    units, above -1.
calibrate : stretch central intervals until they hold the share of outcomes that they say. Nothing is
    stretched where levels are not symmetric, as 0.1 and 0.9 are.
certify : prove as it goes what was achieved: see certificate().

Experts may come and go, and give some rounds, some series or some levels only. docs/quantiles.md
says how they are combined. After an Error the panel is as it was before the call. Use it from one
thread at a time; pickle and copy.deepcopy go through the save format.)";

constexpr const char* kOpen = R"(open(series, quantiles)

Opens a round of a series and returns its number. Quantiles are a dict by the names of the experts,
with a number for each level; NaN: that one is not given. Whoever is missing or None is asleep; new
experts and a new series are added. Also an array of shape [K, P] in the order of panel.experts, or a
pandas DataFrame with the names as its index and the levels as its columns.

>>> import numpy as np, pcgs
>>> panel = pcgs.QuantilePanel([0.25, 0.5, 0.75])
>>> monday = panel.open("north", {"arima": [8, 10, 12], "ets": [np.nan, 11, np.nan]})
>>> tuesday = panel.open("north", {"arima": [8, 9, 10]})
>>> panel.experts, panel.open_rounds
(['arima', 'ets'], [1, 2]))";

constexpr const char* kForecast = R"(forecast(round)

[P] the quantiles that an open round publishes, in order; NaN if nobody gave any. They depend on what
was learned before the round was opened, and on nothing else.)";

constexpr const char* kLearn = R"(learn(round, outcome)

Closes an open round and learns from what happened. Outcomes may come late, in any order.)";

constexpr const char* kAbandon = R"(abandon(round)

Forgets an open round whose outcome will never come.)";

constexpr const char* kSeriesOf = R"(series_of(round)

The name of the series that an open round belongs to.)";

constexpr const char* kWeights = R"(weights(series)

{expert: weight} of a coming round of that series in which everybody is awake. They sum to 1.

>>> import pcgs
>>> panel = pcgs.QuantilePanel([0.5])
>>> for name in ("arima", "ets"): panel.add_expert(name)
>>> panel.add_series("north")
>>> panel.weights("north")
{'arima': 0.5, 'ets': 0.5})";

constexpr const char* kCertificate = R"(certificate(series)

What is proved about that series, where the panel was made with certify=True: means over `rounds` rounds, in
units of a middling expert's score in the round. `score` is that of what was published; it is `above_path`
more than that of the best sequence of experts, which cannot be more than `path_bound`, and `above_expert` more than that of
the best expert, which cannot be more than `expert_bound`.

>>> import pcgs
>>> panel = pcgs.QuantilePanel([0.1, 0.5, 0.9], certify=True)
>>> for t in range(20):
...     round = panel.open("north", {"arima": [1, 2, 3], "ets": [0, 2.5, 5]})
...     panel.learn(round, 2.1)
>>> proved = panel.certificate("north")
>>> proved["rounds"], proved["above_expert"] <= proved["expert_bound"]
(20, True))";

constexpr const char* kAddExpert = R"(add_expert(name)

Adds an expert before its first round, with 1/(K+1) of the weight. In rounds that are open it is
asleep. open() adds those that it does not know.)";

constexpr const char* kRemoveExpert = R"(remove_expert(name)

Forgets an expert; the others share its weight in proportion, and in rounds that are open it is not
learned from.)";

constexpr const char* kAddSeries = R"(add_series(name)

Adds a series before its first round. open() adds those that it does not know.)";

constexpr const char* kLoad = R"(load(path)

Goes on from a saved state, also one that `pcgs run --quantiles` wrote with --save.)";

using Class = py::class_<PythonPanel>;

void bind_rounds(Class& panel) {
  panel
      .def(py::init(&PythonPanel::make), py::arg("levels"), py::kw_only(), py::arg("scale") = "raw",
           py::arg("calibrate") = true, py::arg("certify") = false)
      .def("add_expert", &PythonPanel::add_expert, py::arg("name"), kAddExpert)
      .def("remove_expert", &PythonPanel::remove_expert, py::arg("name"), kRemoveExpert)
      .def("add_series", &PythonPanel::add_series, py::arg("name"), kAddSeries)
      .def("open", &PythonPanel::open, py::arg("series"), py::arg("quantiles"), kOpen)
      .def("forecast", &PythonPanel::forecast, py::arg("round"), kForecast)
      .def("learn", &PythonPanel::learn, py::arg("round"), py::arg("outcome"), kLearn)
      .def("abandon", &PythonPanel::abandon, py::arg("round"), kAbandon)
      .def("series_of", &PythonPanel::series_of, py::arg("round"), kSeriesOf)
      .def("weights", &PythonPanel::weights, py::arg("series"), kWeights)
      .def("certificate", &PythonPanel::certificate, py::arg("series"), kCertificate);
}

void bind_properties(Class& panel) {
  const auto property = [&](const char* name, auto read, const char* doc) {
    add_property(panel, name, read, doc);
  };
  const auto option = [&](const char* name, auto read, const char* doc) {
    property(
        name, [=](const QuantilePanel& one) { return std::invoke(read, one.options()); }, doc);
  };
  const auto names = [&](const char* name, auto read, const char* doc) {
    property(
        name,
        [=](const QuantilePanel& one) {
          const auto all = std::invoke(read, one);
          return std::vector<std::string>(all.begin(), all.end());
        },
        doc);
  };
  property("open_rounds", &QuantilePanel::open_rounds,
           "The numbers of the open rounds, in the order of opening.");
  property("rounds", &QuantilePanel::rounds, "How many rounds were learned.");
  option("levels", &QuantileOptions::levels, "[P] of the quantiles.");
  option(
      "scale",
      [](const QuantileOptions& options) {
        return options.scale == QuantileScale::kLog1p ? "log1p" : "raw";
      },
      "\"raw\" or \"log1p\".");
  option("calibrate", &QuantileOptions::calibrate,
         "Whether central intervals are stretched until they hold what they say.");
  option("certify", &QuantileOptions::certify, "Whether it proves what was achieved.");
  names("experts", &QuantilePanel::experts, "Their names, in the order of the rows of an array.");
  names("series", &QuantilePanel::series, "Their names, in the order in which they were added.");
  property("crossed", &QuantilePanel::crossed,
           "How often an expert's quantiles crossed and were put in order.");
  property("wild", &QuantilePanel::outliers,
           "How often an expert was so far from all others that it was left out of a round.");
}

void bind_copies(Class& panel) {
  panel.def_static("load", &PythonPanel::load, py::arg("path"), kLoad)
      .def_static("from_bytes", &PythonPanel::from_state, py::arg("state"),
                  "from_bytes(state)\n\nGoes on from to_bytes().")
      .def(py::pickle(
          [](const py::object& self) {
            return py::make_tuple(self.cast<PythonPanel&>().to_bytes(), attributes_of(self));
          },
          [](const py::tuple& state) {
            if (state.size() != 2 || !py::isinstance<py::bytes>(state[0]) ||
                !py::isinstance<py::dict>(state[1])) {
              throw Error("this is not the pickled state of a QuantilePanel");
            }
            return std::make_pair(PythonPanel::from_state(state[0]), py::dict(state[1]));
          }));
}

}  // namespace

void bind_quantile_panel(py::module_& m) {
  Class panel(m, "QuantilePanel", kClass);
  bind_rounds(panel);
  bind_properties(panel);
  add_states(panel);
  bind_copies(panel);
}

}  // namespace pcgs::python
