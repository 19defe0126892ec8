#include "aggregator.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "arrays.h"
#include "combine/hindsight_methods.h"
#include "module.h"
#include "pcgs/certificates.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"

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
class PythonAggregator::Turn : Held::Turn {
 public:
  explicit Turn(PythonAggregator& one) : Held::Turn(one), one_(one) { one_.check_controller(); }
  ~Turn() {
    if (one_.steered_by_ != nullptr && one_.steered_by_->failed()) one_.reins_.let_go();
  }

 private:
  PythonAggregator& one_;
};

PythonAggregator::PythonAggregator(py::handle experts, py::object method, Judging judging)
    : own_loss_(std::move(judging.own)) {
  ExpertNames names = expert_names(experts);
  experts_ = names.count;
  AggregatorOptions options;
  options.names = std::move(names.names);
  options.task = judging.task;
  options.scale = judging.scale;
  options.intervals = std::move(judging.intervals);
  if (options.intervals && !judging.seasons.empty()) {
    options.intervals->season = judging.seasons.front();
  }
  if (py::isinstance<py::str>(method)) {
    spec_ = with_seasons(method.cast<std::string>(), judging.seasons);
    controller_ = py::none();
  } else {
    take_controller(std::move(method));
  }
  auto made = make_method();
  if (own_loss_.there() && (made->needs_forecasts() || options.intervals)) {
    throw Error(fmt::format(
        "{} the errors of forecasts, and a loss of your own says only what they cost; {}",
        made->needs_forecasts() ? made->name() + " learns from" : "intervals are made from",
        made->needs_forecasts() ? "take a method that learns from losses, such as guard"
                                : "leave intervals out"));
  }
  options.certify = judging.certify && made->share() != nullptr;
  one_ = std::make_unique<Aggregator>(std::move(made), std::move(options));
  measure_rounds();
}

std::unique_ptr<PythonAggregator> PythonAggregator::from_bytes(std::string_view bytes,
                                                               const std::string& origin,
                                                               py::object controller) {
  std::unique_ptr<PythonAggregator> made(new PythonAggregator);
  PythonAggregator& one = *made;
  one.controller_ = py::none();
  if (!controller.is_none()) one.take_controller(std::move(controller));
  const auto method_of = [&](std::string_view name, std::size_t experts) {
    one.spec_ = name;
    one.experts_ = experts;
    return one.make_method();
  };
  one.one_ =
      std::make_unique<Aggregator>(Aggregator::load_bytes(bytes_in(bytes), origin, method_of));
  one.measure_rounds();
  return made;
}

void PythonAggregator::take_controller(py::object controller) {
  PythonController::check_kind(controller);
  controller_ = std::move(controller);
  reins_.take(controller_);
}

std::unique_ptr<Method> PythonAggregator::make_method() {
  if (controller_.is_none()) return pcgs::make_method(spec_, experts_);
  auto controller = std::make_unique<PythonController>(controller_);
  steered_by_ = controller.get();
  return std::make_unique<ShareMethod>(experts_, std::move(controller));
}

void PythonAggregator::measure_rounds() {
  long_rounds_ = controller_.is_none() && has_long_rounds(one_->method().name(), experts_);
}

void PythonAggregator::check_controller() const {
  if (steered_by_ == nullptr || !steered_by_->failed()) return;
  throw Error(fmt::format(
      "this aggregator stopped in the middle of a round, when its controller {} failed; "
      "make a new one, or load a state that was saved before",
      steered_by_->name()));
}

std::string PythonAggregator::description() const {
  check_made();
  return fmt::format("<pcgs.Aggregator: {}, {} expert{}>", one_->method().name(), experts_,
                     experts_ == 1 ? "" : "s");
}

template <class Work>
void PythonAggregator::at_length(const Work& work) {
  if (!long_rounds_) return work();
  const OthersMayRun others_may_run;
  work();
}

double PythonAggregator::predict(py::handle forecasts, py::handle side) {
  const Turn turn(*this);
  const NamedRow given = named_row_of(forecasts, one_->names(), "forecasts");
  const Row with = side.is_none() ? Row{} : row_of(side, "side");
  if (own_loss_.there()) {
    return own_loss_.predict(*one_, given.row.values, with.values);
  }
  return one_->predict(given.row.values, with.values);
}

void PythonAggregator::learn(py::handle y, py::handle losses, py::handle round) {
  const Turn turn(*this);
  const std::int64_t number = round.is_none() ? 0 : round_of(round);
  if (y.is_none() == losses.is_none()) {
    throw Error("give learn() either what happened, learn(y), or the losses, learn(losses=...)");
  }
  if (losses.is_none()) {
    if (has_length(y)) {
      throw Error("learn(y) takes one number, what happened; give losses as learn(losses=...)");
    }
    learn_outcome(number, number_of(y, "y"));
  } else {
    learn_named(named_row_of(losses, one_->names(), "losses"), number);
  }
}

// Round 0: the only open one.
void PythonAggregator::learn_outcome(std::int64_t round, double outcome) {
  if (own_loss_.there()) {
    own_loss_.learn(*one_, round, outcome);
    return;
  }
  at_length([&] { round != 0 ? one_->learn(round, outcome) : one_->learn(outcome); });
}

// Round 0: a new one, of which a dict says who is awake.
void PythonAggregator::learn_named(const NamedRow& losses, std::int64_t round) {
  std::span<const double> values = losses.row.values;
  if (long_rounds_ || steered_by_ != nullptr) {
    // Other threads, or the controller, may write into the caller's array before we are done.
    safe_losses_.assign(values.begin(), values.end());
    values = safe_losses_;
  }
  if (round == 0 && !losses.said.empty()) {
    check_awake_losses(losses);
    round = one_->open(losses.said);
  }
  at_length([&] { round != 0 ? one_->learn(round, values) : one_->learn(values); });
  own_loss_.forget(round);
}

// Before a round is opened for them, so that an Error changes nothing.
void PythonAggregator::check_awake_losses(const NamedRow& losses) const {
  const bool unit = one_->scale().wants_unit(LossSource::kGiven);
  const double highest = unit ? 1 : std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < losses.said.size(); ++k) {
    const double loss = losses.row.values[k];
    if (losses.said[k] == 0 || (loss >= 0 && loss <= highest)) continue;
    throw Error(fmt::format("the loss of expert {} is {}; give {}", one_->names()[k], loss,
                            unit ? "a number in [0, 1], or the aggregator a scale"
                                 : "a finite number that is not negative"));
  }
}

std::int64_t PythonAggregator::open(py::handle awake, py::handle side) {
  const Turn turn(*this);
  const auto flags = awake.is_none() ? std::vector<std::uint8_t>() : flags_of(awake, "awake");
  if (!awake.is_none() && flags.empty()) throw Error("awake is empty; give one flag per expert");
  const Row with = side.is_none() ? Row{} : row_of(side, "side");
  return one_->open(flags, with.values);
}

py::object PythonAggregator::weights() {
  const Turn turn(*this);
  return read_only_array_of(one_->weights());
}

py::object PythonAggregator::played(py::handle round) {
  const Turn turn(*this);
  return read_only_array_of(one_->played(round_of(round)));
}

py::dict PythonAggregator::intervals(py::handle round) {
  const Turn turn(*this);
  const Aggregator& aggregator = *one_;
  const std::int64_t number = round.is_none() ? aggregator.last_opened() : round_of(round);
  py::dict out;
  for (const Interval& one : aggregator.intervals(number)) {
    out[py::float_(one.level)] = py::make_tuple(one.low, one.high);
  }
  return out;
}

void PythonAggregator::abandon(py::handle round) {
  const Turn turn(*this);
  const std::int64_t number = round_of(round);
  one_->abandon(number);
  own_loss_.forget(number);
}

void PythonAggregator::skip(py::handle rounds) {
  const Turn turn(*this);
  one_->skip(count_of(rounds, "rounds", 0, std::int64_t{1} << 62));
}

void PythonAggregator::set_note(std::string note) {
  const Turn turn(*this);
  one_->set_note(std::move(note));
}

template <class Change>
void PythonAggregator::change_experts(const Change& change) {
  const Turn turn(*this);
  if (!controller_.is_none()) {
    throw Error(
        "a pcgs.Controller of your own cannot be told that experts come or go; make a new "
        "aggregator");
  }
  if (own_loss_.there() && one_->open_rounds() > 0) {
    throw Error(fmt::format(
        "{} rounds are open, and what they lost by a loss of your own is about the experts of "
        "before; close them first",
        one_->open_rounds()));
  }
  change(*one_, [](std::string_view name, std::size_t experts) {
    return pcgs::make_method(name, experts);
  });
  experts_ = one_->experts();
  measure_rounds();
}

void PythonAggregator::set_experts(py::handle names) {
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

py::object PythonAggregator::certificate(py::handle switches) {
  const Turn turn(*this);
  const Aggregator& aggregator = *one_;
  const bool share = aggregator.method().share() != nullptr;
  std::size_t most = 0;
  double bound = 0;
  if (!share) {
    most = switches.is_none()
               ? kUsualSwitches
               : static_cast<std::size_t>(count_of(switches, "switches", 0, kMostSwitches));
    bound = aggregator.method().switching_bound(most);
    if (std::isinf(bound)) {
      throw Error(
          fmt::format("{} brings no proof; guard does, and so do {} and every pcgs.Controller",
                      aggregator.method().name(), share_form_names()));
    }
  } else if (!switches.is_none()) {
    throw Error(fmt::format(
        "the certificate of {} is about paths with any number of switches; leave switches out",
        aggregator.method().name()));
  } else if (aggregator.certificate() == nullptr) {
    throw Error("this aggregator was made with certify=False; make it with certify=True");
  }
  // A bound on no rounds would look like one on some.
  if (aggregator.rounds() == 0) {
    throw Error("no round has been learned yet; there is nothing to certify");
  }
  if (!share) return answer("Certificate", bound, py::none(), py::none(), most, false);
  const LiveCertificate& live = *aggregator.certificate();
  const bool weighted = live.constant_eta() == 0;
  return certificate_of(weighted ? live.weighted() : live.certificate(), weighted);
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

py::bytes PythonAggregator::bytes() {
  const Turn turn(*this);
  return py_bytes(one_->save_bytes());
}

py::bytes PythonAggregator::to_bytes() {
  check_saved_whole();
  return bytes();
}

void PythonAggregator::save(const std::string& path) {
  const Turn turn(*this);
  check_saved_whole();
  one_->save(path);
}

}  // namespace pcgs::python
