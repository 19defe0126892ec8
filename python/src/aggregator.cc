#include "aggregator.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "arrays.h"
#include "combine/hindsight_methods.h"
#include "data/whole_file.h"
#include "expert_names.h"
#include "interpreter.h"
#include "pcgs/certificates.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "state_bytes.h"

namespace pcgs::python {

namespace {

// The switches that guard's bound is about when nobody says: those of the program's certificate.
constexpr std::size_t kUsualSwitches = 20;
constexpr std::int64_t kMostSwitches = 1000000;

// A round of these takes tens of microseconds, of the others around one. Handing the interpreter
// over and taking it back costs up to a thread's whole time slice, so it must be worth it.
bool has_long_rounds(std::string_view method, std::size_t experts) {
  constexpr std::size_t kMany = 4096;
  return method_info(method).traits.learned || experts >= kMany;
}

bool has_length(py::handle object) {
  if (PyFloat_CheckExact(object.ptr()) != 0 || PyUnicode_Check(object.ptr()) != 0) return false;
  const bool has = PyObject_Length(object.ptr()) >= 0;
  if (!has) PyErr_Clear();
  return has;
}

}  // namespace

// One call's use of the aggregator.
class PythonAggregator::Turn {
 public:
  explicit Turn(PythonAggregator& one) : one_(one) {
    one_.check_ready();
    one_.busy_ = true;
  }
  ~Turn() {
    one_.busy_ = false;
    const PythonController* controller = one_.made_.steered_by;
    if (controller != nullptr && controller->failed()) one_.reins_.let_go();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  PythonAggregator& one_;
};

PythonAggregator::PythonAggregator(py::object experts, py::object method, const LossOptions& losses,
                                   CustomLoss own, bool certify,
                                   const std::vector<std::size_t>& seasons,
                                   std::optional<IntervalOptions> intervals)
    : own_loss_(std::move(own)) {
  ExpertNames names = expert_names(experts);
  experts_ = names.count;
  options_.names = std::move(names.names);
  options_.task = losses.task;
  options_.scale = losses.scale;
  options_.intervals = std::move(intervals);
  if (options_.intervals && !seasons.empty()) options_.intervals->season = seasons.front();
  if (py::isinstance<py::str>(method)) {
    spec_ = with_seasons(std::string(py::str(method)), seasons);
    controller_ = py::none();
  } else {
    PythonController::check_kind(method);
    controller_ = std::move(method);
    reins_.take(controller_);
  }
  auto made = make_method(made_.steered_by);
  if (own_loss_.there() && (made->needs_forecasts() || options_.intervals)) {
    throw Error(fmt::format(
        "{} the errors of forecasts, and a loss of your own says only what they cost; {}",
        made->needs_forecasts() ? made->name() + " learns from" : "intervals are made from",
        made->needs_forecasts() ? "take a method that learns from losses, such as guard"
                                : "leave intervals out"));
  }
  options_.certify = certify && made->share() != nullptr;
  made_.aggregator = std::make_unique<Aggregator>(std::move(made), options_);
  long_rounds_ =
      controller_.is_none() && has_long_rounds(made_.aggregator->method().name(), experts_);
}

std::unique_ptr<Method> PythonAggregator::make_method(const PythonController*& steered_by) const {
  if (controller_.is_none()) return pcgs::make_method(spec_, experts_);
  auto controller = std::make_unique<PythonController>(controller_);
  steered_by = controller.get();
  return std::make_unique<ShareMethod>(experts_, std::move(controller));
}

std::unique_ptr<PythonAggregator> PythonAggregator::from_bytes(std::string_view bytes,
                                                               const std::string& origin,
                                                               py::object controller) {
  std::unique_ptr<PythonAggregator> one(new PythonAggregator);
  one->controller_ = std::move(controller);
  if (!one->controller_.is_none()) {
    PythonController::check_kind(one->controller_);
    one->reins_.take(one->controller_);
  }
  const auto method_of = [&](std::string_view name, std::size_t experts) {
    one->spec_ = name;
    one->experts_ = experts;
    return one->make_method(one->made_.steered_by);
  };
  one->made_.aggregator = std::make_unique<Aggregator>(Aggregator::load_bytes(
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, origin, method_of));
  const Aggregator& loaded = *one->made_.aggregator;
  one->options_ = {loaded.task(),
                   loaded.scale(),
                   loaded.names(),
                   loaded.certificate() != nullptr,
                   1,
                   loaded.interval_options()};
  one->long_rounds_ =
      one->controller_.is_none() && has_long_rounds(loaded.method().name(), one->experts_);
  return one;
}

void PythonAggregator::check_made() const {
  if (made_.aggregator != nullptr) return;
  throw Error("this aggregator was never made; call Aggregator(experts=...)");
}

void PythonAggregator::check_ready() const {
  at_rest();
  if (made_.steered_by == nullptr || !made_.steered_by->failed()) return;
  throw Error(fmt::format(
      "this aggregator stopped in the middle of a round, when its controller {} failed; "
      "make a new one, or load a state that was saved before",
      made_.steered_by->name()));
}

// A bound on no rounds would look like one on some.
void PythonAggregator::check_learned() const {
  const Aggregator& aggregator = *made_.aggregator;
  if (aggregator.rounds() > 0) return;
  throw Error("no round has been learned yet; there is nothing to certify");
}

const Aggregator& PythonAggregator::at_rest() const {
  check_made();
  if (busy_) {
    throw Error(
        "this aggregator is in the middle of another call; use it from one thread at a time, and "
        "not from the controller that steers it");
  }
  return *made_.aggregator;
}

std::string PythonAggregator::description() const {
  check_made();
  return fmt::format("<pcgs.Aggregator: {}, {} expert{}>", made_.aggregator->method().name(),
                     experts_, experts_ == 1 ? "" : "s");
}

template <class Work>
void PythonAggregator::at_length(const Work& work) {
  if (!long_rounds_) return work();
  const OthersMayRun others_may_run;
  work();
}

double PythonAggregator::predict(py::handle forecasts, py::handle side) {
  const Turn turn(*this);
  const NamedRow given = named_row_of(forecasts, options_.names, "forecasts");
  const Row with = side.is_none() ? Row{} : row_of(side, "side");
  if (own_loss_.there()) {
    return own_loss_.predict(*made_.aggregator, given.row.values, with.values);
  }
  return made_.aggregator->predict(given.row.values, with.values);
}

void PythonAggregator::learn(py::handle y, py::handle losses, py::handle round) {
  const Turn turn(*this);
  const std::int64_t number =
      round.is_none() ? 0 : count_of(round, "round", 1, std::int64_t{1} << 62);
  if (y.is_none() == losses.is_none()) {
    throw Error("give learn() either what happened, learn(y), or the losses, learn(losses=...)");
  }
  if (losses.is_none()) {
    if (has_length(y)) {
      throw Error("learn(y) takes one number, what happened; give losses as learn(losses=...)");
    }
    learn_outcome(number, number_of(y, "y"));
  } else {
    learn_named(named_row_of(losses, options_.names, "losses"), number);
  }
}

// Round 0: the only open one.
void PythonAggregator::learn_outcome(std::int64_t round, double outcome) {
  if (own_loss_.there()) {
    own_loss_.learn(*made_.aggregator, round, outcome);
    return;
  }
  at_length([&] {
    round != 0 ? made_.aggregator->learn(round, outcome) : made_.aggregator->learn(outcome);
  });
}

// Round 0: a new one, of which a dict says who is awake.
void PythonAggregator::learn_named(const NamedRow& losses, std::int64_t round) {
  std::span<const double> values = losses.row.values;
  if (long_rounds_ || made_.steered_by != nullptr) {
    // Other threads, or the controller, may write into the caller's array before we are done.
    safe_losses_.assign(values.begin(), values.end());
    values = safe_losses_;
  }
  if (round == 0 && !losses.said.empty()) {
    check_awake_losses(losses);
    round = made_.aggregator->open(losses.said);
  }
  at_length([&] {
    round != 0 ? made_.aggregator->learn(round, values) : made_.aggregator->learn(values);
  });
  own_loss_.forget(round);
}

// Before a round is opened for them, so that an Error changes nothing.
void PythonAggregator::check_awake_losses(const NamedRow& losses) const {
  const bool unit = made_.aggregator->scale().wants_unit(LossSource::kGiven);
  const double highest = unit ? 1 : std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < losses.said.size(); ++k) {
    const double loss = losses.row.values[k];
    if (losses.said[k] == 0 || (loss >= 0 && loss <= highest)) continue;
    throw Error(fmt::format("the loss of expert {} is {}; give {}", options_.names[k], loss,
                            unit ? "a number in [0, 1], or the aggregator a scale"
                                 : "a finite number that is not negative"));
  }
}

std::int64_t PythonAggregator::open(py::handle awake, py::handle side) {
  const Turn turn(*this);
  const auto flags = awake.is_none() ? std::vector<std::uint8_t>() : flags_of(awake, "awake");
  if (!awake.is_none() && flags.empty()) throw Error("awake is empty; give one flag per expert");
  const Row with = side.is_none() ? Row{} : row_of(side, "side");
  return made_.aggregator->open(flags, with.values);
}

py::object PythonAggregator::weights() {
  const Turn turn(*this);
  return read_only_array_of(made_.aggregator->weights());
}

py::object PythonAggregator::played(py::handle round) {
  const Turn turn(*this);
  return read_only_array_of(
      made_.aggregator->played(count_of(round, "round", 1, std::int64_t{1} << 62)));
}

py::dict PythonAggregator::intervals(py::handle round) {
  const Turn turn(*this);
  const Aggregator& aggregator = *made_.aggregator;
  const std::int64_t number = round.is_none() ? aggregator.last_opened()
                                              : count_of(round, "round", 1, std::int64_t{1} << 62);
  py::dict out;
  for (const Interval& one : aggregator.intervals(number)) {
    out[py::float_(one.level)] = py::make_tuple(one.low, one.high);
  }
  return out;
}

void PythonAggregator::abandon(py::handle round) {
  const Turn turn(*this);
  const std::int64_t number = count_of(round, "round", 1, std::int64_t{1} << 62);
  made_.aggregator->abandon(number);
  own_loss_.forget(number);
}

void PythonAggregator::skip(py::handle rounds) {
  const Turn turn(*this);
  made_.aggregator->skip(count_of(rounds, "rounds", 0, std::int64_t{1} << 62));
}

void PythonAggregator::set_note(py::handle note) {
  const Turn turn(*this);
  made_.aggregator->set_note(note_bytes(note));
}

template <class Change>
void PythonAggregator::change_experts(const Change& change) {
  const Turn turn(*this);
  if (!controller_.is_none()) {
    throw Error(
        "a pcgs.Controller of your own cannot be told that experts come or go; make a new "
        "aggregator");
  }
  if (own_loss_.there() && made_.aggregator->open_rounds() > 0) {
    throw Error(fmt::format(
        "{} rounds are open, and what they lost by a loss of your own is about the experts of "
        "before; close them first",
        made_.aggregator->open_rounds()));
  }
  change(*made_.aggregator, [](std::string_view name, std::size_t experts) {
    return pcgs::make_method(name, experts);
  });
  options_.names = made_.aggregator->names();
  experts_ = made_.aggregator->experts();
  long_rounds_ = has_long_rounds(made_.aggregator->method().name(), experts_);
}

void PythonAggregator::set_experts(py::object names) {
  const ExpertNames given = expert_names(names);
  if (given.names.empty()) throw Error("set_experts takes names; give a list of them");
  change_experts([&](Aggregator& aggregator, const auto& factory) {
    aggregator.set_experts(given.names, factory);
  });
}

void PythonAggregator::add_expert(const std::string& name) {
  change_experts(
      [&](Aggregator& aggregator, const auto& factory) { aggregator.add_expert(name, factory); });
}

void PythonAggregator::remove_expert(const std::string& name) {
  change_experts([&](Aggregator& aggregator, const auto& factory) {
    aggregator.remove_expert(name, factory);
  });
}

LiveProof PythonAggregator::certificate(py::handle switches) {
  const Turn turn(*this);
  const Aggregator& aggregator = *made_.aggregator;
  LiveProof proof;
  if (aggregator.method().share() == nullptr) {
    const auto most =
        switches.is_none()
            ? kUsualSwitches
            : static_cast<std::size_t>(count_of(switches, "switches", 0, kMostSwitches));
    proof.bound = aggregator.method().switching_bound(most);
    proof.switches = most;
    if (std::isinf(proof.bound)) {
      throw Error(
          fmt::format("{} brings no proof; guard does, and so do {} and every pcgs.Controller",
                      aggregator.method().name(), share_form_names()));
    }
    check_learned();
    return proof;
  }
  if (!switches.is_none()) {
    throw Error(fmt::format(
        "the certificate of {} is about paths with any number of switches; leave switches out",
        aggregator.method().name()));
  }
  const LiveCertificate* live = aggregator.certificate();
  if (live == nullptr) {
    throw Error("this aggregator was made with certify=False; make it with certify=True");
  }
  check_learned();
  proof.weighted = live->constant_eta() == 0;
  const Certificate certificate = proof.weighted ? live->weighted() : live->certificate();
  proof.bound = certificate.bound;
  proof.regret = certificate.regret;
  proof.holds = certificate.holds();
  return proof;
}

void PythonAggregator::check_saved_whole() const {
  if (!own_loss_.there()) return;
  throw Error(
      "a state cannot hold a loss of your own, which is a function; pickle the aggregator, which "
      "keeps a function that can be imported");
}

double PythonAggregator::total_forecast_loss() const {
  const Aggregator& aggregator = at_rest();
  return own_loss_.there() ? own_loss_.total() : aggregator.total_forecast_loss();
}

py::bytes PythonAggregator::bytes_for_pickle() {
  const Turn turn(*this);
  const auto bytes = made_.aggregator->save_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

py::bytes PythonAggregator::to_bytes() {
  check_saved_whole();
  return bytes_for_pickle();
}

void PythonAggregator::save(const std::string& path) {
  const Turn turn(*this);
  check_saved_whole();
  made_.aggregator->save(path);
}

}  // namespace pcgs::python
