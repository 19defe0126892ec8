// Any bytes as a state file: loaded, or refused with an Error. Whatever loads must play a
// distribution, learn, also when experts have come and gone, and save a state that loads again.
//
// A checksum stops almost every mutation before the code that matters, so the input comes in three
// modes:
//
//     byte 0   mode: 0 file, 1 payload, 2 edits
//     byte 1   method, as an index into the registry      (modes 1 and 2)
//     byte 2   experts - 1, modulo 8                      (modes 1 and 2); 128 more: with intervals
//     rest     file:    the whole file
//              payload: the payload; frame and checksum are put around it
//              edits:   4 bytes each, made on the payload of a state that was really saved, which
//                       is then framed: what, offset (u16), value
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/invariant.h"
#include "edited_state.h"
#include "pcgs/aggregator.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "pcgs/state.h"

namespace pcgs {
namespace {

using namespace fuzz;

std::vector<double> some_losses(std::size_t experts) {
  std::vector<double> losses(experts);
  for (std::size_t i = 0; i < experts; ++i) losses[i] = static_cast<double>(i % 3) / 2;
  return losses;
}

// Losses, or an outcome where forecasts are needed.
void learn_something(Aggregator& aggregator) {
  const std::vector<double> numbers = some_losses(aggregator.experts());
  if (method_info(aggregator.method().name()).traits.needs_forecasts ||
      aggregator.interval_options()) {
    invariant(std::isfinite(aggregator.predict(numbers)), "a combined forecast is finite");
    for (const Interval& one : aggregator.intervals(aggregator.last_opened())) {
      invariant(std::isfinite(one.low) && std::isfinite(one.high) && one.low <= one.high,
                "an interval has two finite ends");
    }
    aggregator.learn(aggregator.last_opened(), 0.4);
  } else {
    aggregator.learn(numbers);
  }
}

// The payload of a state with a past: rounds learned, and one open.
Bytes real_payload(std::string_view method, std::size_t experts, bool intervals) {
  Aggregator::Options options;
  for (std::size_t k = 0; k < experts; ++k) options.names.push_back(std::to_string(k));
  if (intervals) options.intervals = IntervalOptions{{0.8, 0.95}, 2};
  Aggregator aggregator = make_aggregator(method, experts, options);
  for (int round = 0; round < 3; ++round) learn_something(aggregator);
  aggregator.predict(some_losses(experts));
  return payload_of(aggregator.save_bytes());
}

Bytes file_from(Input input) {
  if (input.empty()) return {};
  const unsigned mode = input[0] % 3;
  if (mode == 0) return {input.begin() + 1, input.end()};
  if (input.size() < 3) return {};
  const auto methods = registered_methods();
  const std::string_view spec = methods[input[1] % methods.size()].name;
  const std::size_t experts = 1 + input[2] % 8;
  const std::uint64_t architecture = architecture_hash(make_method(spec, experts)->name(), experts);
  const Input rest = input.subspan(3);
  if (mode == 1) return framed(rest, architecture);
  Bytes payload = real_payload(spec, experts, input[2] >= 128);
  edit(payload, rest);
  return framed(payload, architecture);
}

std::optional<Aggregator> loaded(Input file) {
  const auto factory = [](std::string_view name, std::size_t experts) {
    return make_method(name, experts);
  };
  try {
    return Aggregator::load_bytes(file, "fuzz", factory);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The first leaves, if there is another, and two come. A forged state may be refused then.
void change_experts(Aggregator& aggregator) {
  std::vector<std::string> names = aggregator.names();
  if (names.empty()) return;
  if (names.size() > 1) names.erase(names.begin());
  for (const char* newcomer : {"one newcomer", "another newcomer"}) {
    if (std::find(names.begin(), names.end(), newcomer) == names.end()) names.push_back(newcomer);
  }
  try {
    aggregator.set_experts(names, make_method);
  } catch (const Error&) {
  }
}

void check_weights(const Aggregator& aggregator) {
  double sum = 0;
  for (const double weight : aggregator.weights()) {
    invariant(std::isfinite(weight) && weight >= 0, "weights are finite and not negative");
    sum += weight;
  }
  invariant(std::abs(sum - 1) <= 1e-9, "weights sum to 1");
}

// Even an Error is a bug here: these are losses that every bound takes.
void check(Aggregator& aggregator) {
  check_weights(aggregator);
  learn_something(aggregator);
  check_weights(aggregator);
  change_experts(aggregator);
  check_weights(aggregator);
  learn_something(aggregator);
  const Bytes saved = aggregator.save_bytes();
  const std::optional<Aggregator> again = loaded(saved);
  invariant(again && again->save_bytes() == saved, "what was saved loads to the same state");
}

}  // namespace
}  // namespace pcgs

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (auto aggregator = pcgs::loaded(pcgs::file_from({data, size}))) pcgs::check(*aggregator);
  return 0;
}
