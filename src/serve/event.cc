#include "serve/event.h"

#include <fmt/format.h>

#include <array>

namespace pcgs::serve {

namespace {

std::uint64_t architecture() {
  static const std::uint64_t kHash = architecture_hash("event of a stream", 1);
  return kHash;
}

// The order of the fields is the same in both.
template <class Kind>
void put(StateWriter& out, const Kind& event) {
  if constexpr (requires { event.spec; }) put_spec(out, event.spec);
  if constexpr (requires { event.id; }) out.text(event.id);
  if constexpr (requires { event.name; }) out.text(event.name);
  if constexpr (requires { event.y; }) out.f64(event.y);
  if constexpr (requires { event.forecasts; }) {
    out.u64(event.forecasts.size());
    for (const auto& [name, forecast] : event.forecasts) {
      out.text(name);
      out.f64(forecast);
    }
  }
}

template <class Kind>
Event take(StateReader& in) {
  Kind event;
  if constexpr (requires { event.spec; }) event.spec = take_spec(in);
  if constexpr (requires { event.id; }) event.id = in.text();
  if constexpr (requires { event.name; }) event.name = in.text();
  if constexpr (requires { event.y; }) event.y = in.f64();
  if constexpr (requires { event.forecasts; }) {
    event.forecasts.resize(in.count(2 * sizeof(std::uint64_t)));
    for (auto& [name, forecast] : event.forecasts) {
      name = in.text();
      forecast = in.f64();
    }
  }
  return event;
}

template <class... Kinds>
constexpr auto readers_of(const std::variant<Kinds...>*) {
  return std::array{&take<Kinds>...};
}
constexpr auto kReaders = readers_of(static_cast<const Event*>(nullptr));  // by their place in it

}  // namespace

const Wording& field_wording() {
  static const Wording kWording{[](std::string_view name) { return std::string(name); },
                                [](std::string_view name, std::string_view value) {
                                  return value.empty() ? fmt::format(R"("{}":true)", name)
                                                       : fmt::format(R"("{}":{})", name, value);
                                }};
  return kWording;
}

std::string event_bytes(const Event& event) {
  StateWriter out;
  out.u64(event.index());
  std::visit([&](const auto& one) { put(out, one); }, event);
  return file_text(out, architecture());
}

Event event_from(std::string_view bytes, const std::string& origin) {
  StateReader in(bytes_of(bytes), origin);
  if (in.architecture() != architecture()) in.fail("it is not an event of a stream");
  const std::uint64_t kind = in.u64();
  if (kind >= kReaders.size()) in.fail("it is an event of a kind that this program does not know");
  Event event = kReaders[kind](in);
  in.finish();
  return event;
}

void put_texts(StateWriter& out, std::span<const std::string> texts) {
  out.u64(texts.size());
  for (const std::string& text : texts) out.text(text);
}

std::vector<std::string> take_texts(StateReader& in) {
  std::vector<std::string> texts(in.count(sizeof(std::uint64_t)));
  for (std::string& text : texts) text = in.text();
  return texts;
}

void put_spec(StateWriter& out, const StreamSpec& spec) {
  put_texts(out, spec.experts);
  out.text(spec.loss);
  out.f64(spec.tau);
  out.u64(spec.seasons.size());
  for (const std::size_t season : spec.seasons) out.u64(season);
  out.text(spec.method);
}

StreamSpec take_spec(StateReader& in) {
  StreamSpec spec;
  spec.experts = take_texts(in);
  spec.loss = in.text();
  spec.tau = in.f64();
  spec.seasons.resize(in.count(sizeof(std::uint64_t)));
  for (std::size_t& season : spec.seasons) season = in.u64();
  spec.method = in.text();
  return spec;
}

std::string file_text(const StateWriter& out, std::uint64_t architecture) {
  const auto file = out.file(architecture);
  return {file.begin(), file.end()};
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace pcgs::serve
