#include "serve/event.h"

#include "serve/state_fields.h"

namespace pcgs::stream {

namespace {

std::uint64_t architecture() {
  static const std::uint64_t kHash = architecture_hash("event of a stream", 1);
  return kHash;
}

struct Writer {
  StateWriter& out;
  void operator()(const Made& event) const { put_spec(out, event.spec); }
  void operator()(const RoundOpened& event) const {
    out.text(event.id);
    out.u64(event.forecasts.size());
    for (const auto& [name, forecast] : event.forecasts) {
      out.text(name);
      out.f64(forecast);
    }
  }
  void operator()(const OutcomeSeen& event) const {
    out.text(event.id);
    out.f64(event.y);
  }
  void operator()(const RoundAbandoned& event) const { out.text(event.id); }
  void operator()(const ExpertAdded& event) const {
    out.text(event.id);
    out.text(event.name);
  }
  void operator()(const ExpertRemoved& event) const {
    out.text(event.id);
    out.text(event.name);
  }
};

RoundOpened take_round(StateReader& in) {
  RoundOpened event{in.text(), {}};
  event.forecasts.resize(in.count(2 * sizeof(std::uint64_t)));
  for (auto& [name, forecast] : event.forecasts) {
    name = in.text();
    forecast = in.f64();
  }
  return event;
}

// Fields are read in the order in which they are written, so each in a statement of its own.
Event take_event(StateReader& in) {
  const std::uint64_t kind = in.u64();
  if (kind == 0) return Made{take_spec(in)};
  if (kind == 1) return take_round(in);
  std::string id = in.text();
  switch (kind) {
    case 2:
      return OutcomeSeen{std::move(id), in.f64()};
    case 3:
      return RoundAbandoned{std::move(id)};
    case 4:
      return ExpertAdded{std::move(id), in.text()};
    case 5:
      return ExpertRemoved{std::move(id), in.text()};
    default:
      in.fail("it is an event of a kind that this program does not know");
  }
}

}  // namespace

std::string event_bytes(const Event& event) {
  StateWriter out;
  out.u64(event.index());
  std::visit(Writer{out}, event);
  return file_text(out, architecture());
}

Event event_from(std::string_view bytes, const std::string& origin) {
  StateReader in(bytes_of(bytes), origin);
  if (in.architecture() != architecture()) in.fail("it is not an event of a stream");
  Event event = take_event(in);
  in.finish();
  return event;
}

}  // namespace pcgs::stream
