// The methods of pcgs.Aggregator, with what help() says about them.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "aggregator.h"
#include "data/whole_file.h"
#include "module.h"
#include "pcgs/registry.h"

namespace pcgs::python {

namespace {

constexpr const char* kClass =
    R"(Aggregator(experts, method=None, *, loss="squared", tau=None, scale=None, certify=True, season=(), intervals=())

Combines experts online, one round at a time, when the best one keeps changing.

With forecasts, two verbs; NaN where an expert has none:

>>> import numpy as np, pcgs
>>> agg = pcgs.Aggregator(experts=["lag1", "ewma"], method="fixed-share", scale=4)
>>> agg.predict(np.array([10.0, 12.0]))
11.0
>>> agg.learn(10.5)
>>> round(agg.predict([10.5, np.nan]), 3)      # ewma sleeps this round
10.5
>>> agg.learn(11.0)

With losses in [0, 1]:

>>> agg = pcgs.Aggregator(experts=3, method="fixed-share")
>>> agg.weights()
array([0.33333333, 0.33333333, 0.33333333])
>>> agg.learn(losses=[0.1, 0.9, 0.5])
>>> int(agg.weights().argmax())
0

Parameters
----------
experts : their names (a list, a pandas Index, a DataFrame: its columns), or how many there are.
    With names, a pandas Series is put into their order by its labels.
method : a name with options, as in "fixed-share{eta=8,rho=0.003}" (pcgs.methods() lists them), or
    a pcgs.Controller of your own. The default is "blend", which combines forecasts, and "guard" with a
    loss of your own; for losses give method="guard".
loss, tau : what forecasts are judged by: "squared", "absolute", "pinball" (at level tau) or "log"; or a
    function of a forecast and what happened, or a pcgs.CustomLoss.
scale : losses are divided by this number and capped at 1; "catoni:4" bends them to 1 with Catoni's
    influence function instead, and "catoni:auto" as well. "auto" follows the losses: twenty times
    what a middling expert loses, from the first round on. If nothing is given, losses must be in
    [0, 1] and forecasts get "auto".
certify : keep what certificate() needs, for methods of the share form. Costs a fraction of a
    microsecond a round at 32 experts.
season : rounds in a season whose phase matters, or in two of them, as (24, 168): for blend, and for
    the intervals.
intervals : levels of the intervals around combined forecasts, such as (0.8, 0.95), or none.

Memory does not grow with the rounds. After an Error the aggregator is as it was before the call.
Use it from one thread at a time; pickle and copy.deepcopy go through the save format.)";

constexpr const char* kPredict = R"(predict(forecasts, side=None)

Opens a round and returns the combined forecast. NaN among the forecasts: that expert sleeps; NaN
as the answer: nobody is awake, and closing that round skips it. The round's number is
last_opened. Experts with names may be given by name: in a dict, where a missing key or None means
that the expert sleeps, in a pandas Series, or in a DataFrame of one row.

>>> import pcgs
>>> agg = pcgs.Aggregator(2, "hedge", scale=1)
>>> agg.predict([1.0, 3.0])
2.0
>>> agg.last_opened, agg.open_rounds
(1, 1)
>>> pcgs.Aggregator(["lag", "arima"]).predict({"arima": 4.0})
4.0)";

constexpr const char* kLearn = R"(learn(y=None, *, losses=None, round=None)

Closes a round and learns from it: from what happened, where there were forecasts, or from the
losses of the experts, by position or by name, as forecasts are. Outcomes may come late, in any
order: round says which one this is.

>>> import pcgs
>>> agg = pcgs.Aggregator(2, "hedge", scale=1)
>>> agg.predict([1.0, 3.0]); monday = agg.last_opened
2.0
>>> agg.predict([1.5, 3.5]); tuesday = agg.last_opened
2.5
>>> agg.learn(1.5, round=tuesday)
>>> agg.learn(1.2, round=monday)
>>> agg.rounds
2

An exception that a pcgs.Controller raises passes through learn(). The round is then half learned,
and every later use of the aggregator is refused.)";

constexpr const char* kWeights = R"(weights()

[K] what to play when everybody is awake: an array of its own, which later rounds do not change.
Opens nothing.

>>> import pcgs
>>> pcgs.Aggregator(4).weights()
array([0.25, 0.25, 0.25, 0.25]))";

constexpr const char* kOpen = R"(open(awake=None, side=None)

Opens a round without forecasts and returns its number: for losses that come late, for experts that
sleep (one flag each), for side information.

>>> import pcgs
>>> agg = pcgs.Aggregator(3, "guard")
>>> today = agg.open(awake=[True, False, True])
>>> agg.played(today)
array([0.5, 0. , 0.5])
>>> agg.learn(losses=[0.0, 0.0, 1.0], round=today)      # a sleeper's entry is ignored)";

constexpr const char* kPlayed = R"(played(round)

[K] what that open round plays: zero for sleepers, renormalised over the rest.)";

constexpr const char* kIntervals = R"(intervals(round=None)

{level: (low, high)} around the combined forecast of an open round, the last one unless you say
which. Empty without levels, and where no error is known yet and no two forecasts differ. Over a run
each level holds as many of the outcomes as it says.

>>> import pcgs
>>> agg = pcgs.Aggregator(2, "blend", intervals=(0.8, 0.95))
>>> for y in (1.0, 1.5, 1.2, 1.4):
...     f = agg.predict([y + 0.2, y - 0.1])
...     agg.learn(y)
>>> f = agg.predict([1.5, 1.2])
>>> low, high = agg.intervals()[0.8]
>>> low < f < high
True)";

constexpr const char* kAbandon = R"(abandon(round)

Forgets an open round whose outcome will never come.)";

constexpr const char* kAddExpert = R"(add_expert(name)

From the next round on there is one expert more, the last. It gets 1/K of the weight, taken from all in
proportion, and sleeps in rounds that are open.

>>> import pcgs
>>> agg = pcgs.Aggregator(["arima", "ets"])
>>> f = agg.predict([1.0, 3.0])
>>> agg.learn(2.0)
>>> agg.add_expert("theta")
>>> f = agg.predict([1.0, 3.0, 2.5])
>>> agg.names
['arima', 'ets', 'theta'])";

constexpr const char* kRemoveExpert = R"(remove_expert(name)

From the next round on that expert is gone; those behind it move up. What it had returns to the others
in proportion, in open rounds too, whose forecasts stay as they were published.

>>> import pcgs
>>> agg = pcgs.Aggregator(["arima", "ets", "theta"])
>>> agg.remove_expert("ets")
>>> agg.names
['arima', 'theta'])";

constexpr const char* kSetExperts = R"(set_experts(names)

Whoever is not among these leaves, whoever is new comes: add_expert and remove_expert in one. Those that
stay come first and keep their order, so look at `names`, or give pandas Series, which are put into
order by their labels.

>>> import pcgs
>>> agg = pcgs.Aggregator(["arima", "ets"])
>>> agg.set_experts(["theta", "ets"])
>>> agg.names
['ets', 'theta'])";

constexpr const char* kSkip = R"(skip(rounds)

Rounds pass that nobody forecasts: the next one that is opened has a number that is higher by as
many, so that phases of a season keep to the clock. Nothing is learned.

>>> import pcgs
>>> agg = pcgs.Aggregator(2, "blend", season=24)
>>> f = agg.predict([1.0, 3.0])
>>> agg.learn(2.0)
>>> agg.skip(23)                   # until the same hour of the next day
>>> f = agg.predict([1.0, 3.0])
>>> agg.last_opened
25)";

constexpr const char* kCertificate = R"(certificate(switches=None)

What is proved about the rounds learned so far, whatever the losses were.

For methods of the share form (hedge, fixed-share, genshare, past-posteriors, pcgs-tf, controllers
of your own): regret to the path of experts for which the proof says most, and the bound on it.

>>> import pcgs
>>> agg = pcgs.Aggregator(2, "fixed-share")
>>> for _ in range(50): agg.learn(losses=[0.2, 0.8])
>>> c = agg.certificate()
>>> c.regret <= c.bound, c.holds
(True, True)

For guard: a bound on the regret to every path with at most this many switches (20, as in the
program's certificate). Its regret needs every loss that ever came, which an aggregator does not
keep: regret and holds are None, and pcgs.run, which sees all losses, gives them.

>>> agg = pcgs.Aggregator(2, "guard{learned=0}")
>>> for _ in range(50): agg.learn(losses=[0.2, 0.8])
>>> c = agg.certificate(switches=1)
>>> round(c.bound, 1), c.switches, c.regret
(0.4, 1, None)

Bounds are about the bounded losses of the weights that were played, not about those of the
combined forecast, which are usually smaller. Methods without a proof: an Error.)";

constexpr const char* kLoad = R"(load(path, controller=None)

Goes on from a saved state, also one that the program wrote with --save. A state that was saved
with a controller of your own needs such a controller again.)";

constexpr const char* kFromBytes = R"(from_bytes(state, controller=None)

Goes on from to_bytes().)";

using Class = py::class_<PythonAggregator>;

std::unique_ptr<PythonAggregator> made(py::handle experts, py::object method, py::object loss,
                                       py::handle tau, py::handle scale, bool certify,
                                       py::handle season, py::handle intervals) {
  Judging judging;
  const bool own = CustomLoss::is_one(loss);
  if (method.is_none()) method = py::cast(own ? kDefaultMethod : kDefaultForForecasts);
  judging.scale = scale_of(scale);
  if (own) {
    judging.own = CustomLoss(loss);
    if (scale.is_none()) judging.scale = scale_of(py::str("auto"));
  }
  judging.task = loss_of(own ? py::object(py::str("squared")) : loss, tau);  // of an own one unused
  judging.certify = certify;
  judging.seasons = seasons_of(season);
  judging.intervals = interval_options(intervals);
  return std::make_unique<PythonAggregator>(experts, std::move(method), std::move(judging));
}

std::unique_ptr<PythonAggregator> loaded(py::handle path, py::object controller) {
  const std::string name = path_of(path);
  const auto bytes = read_whole_file(name);
  return PythonAggregator::from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                      name, std::move(controller));
}

std::unique_ptr<PythonAggregator> from_state(py::handle state, py::object controller) {
  const py::bytes bytes = state_bytes(state);
  return PythonAggregator::from_bytes(static_cast<std::string_view>(bytes), "the state",
                                      std::move(controller));
}

void bind_rounds(Class& aggregator) {
  const py::object none = py::none();
  aggregator
      .def(py::init(&made), py::arg("experts"), py::arg("method") = none, py::kw_only(),
           py::arg("loss") = "squared", py::arg("tau") = none, py::arg("scale") = none,
           py::arg("certify") = true, py::arg("season") = py::tuple(),
           py::arg("intervals") = py::tuple())
      .def("predict", &PythonAggregator::predict, py::arg("forecasts"), py::arg("side") = none,
           kPredict)
      .def("learn", &PythonAggregator::learn, py::arg("y") = none, py::kw_only(),
           py::arg("losses") = none, py::arg("round") = none, kLearn)
      .def("weights", &PythonAggregator::weights, kWeights)
      .def("open", &PythonAggregator::open, py::arg("awake") = none, py::arg("side") = none, kOpen)
      .def("played", &PythonAggregator::played, py::arg("round"), kPlayed)
      .def("intervals", &PythonAggregator::intervals, py::arg("round") = none, kIntervals)
      .def("abandon", &PythonAggregator::abandon, py::arg("round"), kAbandon)
      .def("skip", &PythonAggregator::skip, py::arg("rounds"), kSkip)
      .def("add_expert", &PythonAggregator::add_expert, py::arg("name"), kAddExpert)
      .def("remove_expert", &PythonAggregator::remove_expert, py::arg("name"), kRemoveExpert)
      .def("set_experts", &PythonAggregator::set_experts, py::arg("names"), kSetExperts)
      .def("certificate", &PythonAggregator::certificate, py::arg("switches") = none, kCertificate)
      .def_static("load", &loaded, py::arg("path"), py::arg("controller") = none, kLoad)
      .def_static("from_bytes", &from_state, py::arg("state"), py::arg("controller") = none,
                  kFromBytes);
}

void bind_properties(Class& aggregator) {
  const auto property = [&](const char* name, auto read, const char* doc) {
    add_property(aggregator, name, read, doc);
  };
  property("experts", &Aggregator::experts, "How many experts there are.");
  property(
      "names",
      [](const Aggregator& one) -> py::object {
        return one.names().empty() ? py::none() : py::cast(one.names());
      },
      "Their names, or None.");
  property(
      "method", [](const Aggregator& one) { return one.method().name(); },
      "The method's name with every option.");
  property("rounds", &Aggregator::rounds, "How many rounds were learned.");
  property("skipped", &Aggregator::skipped, "How many rounds were closed with nobody awake.");
  property("last_opened", &Aggregator::last_opened,
           "The number of the round that was opened last; 0 before the first.");
  property("open_rounds", &Aggregator::open_rounds, "How many rounds are open.");
  property("total_loss", &Aggregator::total_loss,
           "What the weights that were played lost, in losses in [0, 1], over the learned rounds.");
  property(
      "scale", [](const Aggregator& one) { return one.scale().value(LossSource::kForecasts); },
      "What losses of forecasts are divided by in the coming round.");
  aggregator
      .def_property_readonly(
          "total_forecast_loss", &PythonAggregator::total_forecast_loss,
          "What the combined forecasts lost over the same rounds, in their own units.")
      .def_property_readonly(
          "controller",
          [](const PythonAggregator& self) {
            self.at_rest();
            return self.controller();
          },
          "The pcgs.Controller that steers it, or None.")
      .def("_repr_html_", [](const py::object& self) {
        return py::module_::import("pcgs._html").attr("aggregator")(self);
      });
}

void bind_copies(Class& aggregator) {
  aggregator
      // A shallow copy would share its controller, which steers one aggregator only.
      .def(
          "__copy__",
          [](const py::object& self) { return py::module_::import("copy").attr("deepcopy")(self); })
      .def(py::pickle(
          [](const py::object& self) {
            auto& one = self.cast<PythonAggregator&>();
            return py::make_tuple(one.bytes(), one.controller(), attributes_of(self),
                                  one.own_loss_state());
          },
          [](const py::tuple& state) {
            if (state.size() != 4 || !py::isinstance<py::bytes>(state[0]) ||
                !py::isinstance<py::dict>(state[2])) {
              throw Error("this is not the pickled state of an Aggregator");
            }
            auto one = from_state(state[0], state[1]);
            one->set_own_loss(CustomLoss::from(state[3]));
            return std::make_pair(std::move(one), py::dict(state[2]));
          }));
}

}  // namespace

void bind_aggregator(py::module_& m) {
  Class aggregator(m, "Aggregator", kClass);
  bind_rounds(aggregator);
  bind_properties(aggregator);
  add_states(aggregator);
  bind_copies(aggregator);
}

}  // namespace pcgs::python
