// Any bytes as the state of a panel of quantile forecasts: loaded, or refused with an Error. Whatever
// loads must publish quantiles in order, learn, take and lose experts, and save a state that loads again.
//
//     byte 0   mode: 0 file, 1 payload, 2 edits, 3 payload of the first version
//     rest     file:    the whole file
//              payload: the payload for three levels; frame and checksum are put around it
//              edits:   4 bytes each, made on the payload of a panel with a past (edited_state.h)
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "data/invariant.h"
#include "edited_state.h"
#include "pcgs/error.h"
#include "pcgs/quantiles.h"

namespace pcgs {
namespace {

using namespace fuzz;

constexpr std::size_t kLevels = 3;

std::vector<double> some_quantiles(const QuantilePanel& panel) {
  const std::size_t levels = panel.options().levels.size();
  std::vector<double> out(panel.experts().size() * levels);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = i % 5 == 4 ? std::nan("") : static_cast<double>(i % levels + i / levels);
  }
  return out;
}

// Learned, open, with an expert that has come and one that has gone.
QuantilePanel with_a_past() {
  QuantilePanel panel({{0.1, 0.5, 0.9}});
  for (const char* name : {"a", "b", "c"}) panel.add_expert(name);
  panel.add_series("north");
  panel.add_series("south");
  for (std::size_t round = 0; round < 4; ++round) {
    panel.learn(panel.open(round % 2, some_quantiles(panel)), 1.5);
  }
  panel.open(0, some_quantiles(panel));
  panel.remove_expert("b");
  panel.add_expert("d");
  panel.open(1, some_quantiles(panel));
  panel.set_note("a note");
  return panel;
}

Bytes file_from(Input input) {
  if (input.empty()) return {};
  const unsigned mode = input[0] % 4;
  const Input rest = input.subspan(1);
  if (mode == 0) return {rest.begin(), rest.end()};
  const std::uint64_t architecture = architecture_hash(kQuantilePanel, kLevels);
  if (mode == 1) return framed(rest, architecture);
  static const Bytes real = payload_of(with_a_past().save_bytes());
  Bytes payload = real;
  edit(payload, rest);
  return framed(payload, architecture);
}

std::optional<QuantilePanel> loaded(Input file) {
  try {
    return QuantilePanel::load_bytes(file, "fuzz");
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_forecast(std::span<const double> quantiles) {
  if (std::isnan(quantiles[0])) return;  // nobody gave anything
  double before = -std::numeric_limits<double>::infinity();
  for (const double x : quantiles) {
    invariant(std::isfinite(x) && x >= before, "quantiles are finite and in order");
    before = x;
  }
}

}  // namespace
}  // namespace pcgs

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pcgs;
  std::optional<QuantilePanel> panel = loaded(file_from({data, size}));
  if (!panel) return 0;

  // From here on even an Error is a bug, but for names that are taken.
  for (const std::int64_t round : panel->open_rounds()) check_forecast(panel->forecast(round));
  try {
    panel->add_expert("new");
    panel->add_series("new");
  } catch (const Error&) {
  }
  for (std::size_t s = 0; s < panel->series().size() && s < 3; ++s) {
    const std::int64_t round = panel->open(s, some_quantiles(*panel));
    check_forecast(panel->forecast(round));
    panel->learn(round, 1.5);
  }
  for (const std::int64_t round : panel->open_rounds()) panel->learn(round, 0.5);
  panel->remove_expert(panel->experts().front());
  const Bytes saved = panel->save_bytes();
  const std::optional<QuantilePanel> again = loaded(saved);
  invariant(again && again->save_bytes() == saved, "what was saved loads to the same state");
  return 0;
}
