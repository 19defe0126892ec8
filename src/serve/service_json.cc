#include "serve/service_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <set>
#include <span>

#include "combine/hindsight_methods.h"
#include "core/spec.h"
#include "data/invariant.h"
#include "data/json.h"
#include "data/text.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "run/errors.h"

namespace pcgs::serve {

namespace {

// An object from outside: what it is called in sentences, and how it should have been.
struct Form {
  std::string_view what, wanted;
};
constexpr Form kMake{
    "the stream",
    R"({"experts":["a","b"],"loss":"squared","season":[24],"method":"blend"}, all but experts optional)"};
constexpr Form kRound{"the round", R"({"id":"...","forecasts":{"a":1.5,"b":null}})"};
constexpr Form kOutcome{"the outcome", R"({"id":"...","y":1.4})"};
constexpr Form kAbandon{"the round", R"({"id":"..."})"};
constexpr Form kExpert{"the expert", R"({"id":"...","name":"c"})"};
constexpr Form kBackup{"the backup", R"({"name":"monday"})"};
constexpr Form kLine{
    "the line",
    R"({"stream":"NAME"} with one of make, round, outcome, abandon, add_expert, remove_expert)"};

// The fields of an object, each taken by its name; what nobody asked for is refused.
class Fields {
 public:
  Fields(const Json& json, const Form& form) : json_(json), form_(form) {
    if (!json.is_object()) fail({}, "is not an object", ErrorKind::kFormat);
  }

  const Json* find(const char* name) {
    known_.insert(name);
    const auto at = json_.find(name);
    return at == json_.end() ? nullptr : &*at;
  }
  const Json& take(const char* name) {
    const Json* field = find(name);
    if (field == nullptr) fail(name, fmt::format("has no {}", name), ErrorKind::kMissing);
    return *field;
  }
  std::string text(const char* name, std::size_t longest) {
    const Json& field = take(name);
    if (!field.is_string()) fail(name, fmt::format("has a {} that is not a text", name));
    std::string text = field.get<std::string>();
    if (text.empty() || text.size() > longest) {
      fail(name,
           fmt::format("has a {} of {} bytes, where 1 to {} are taken", name, text.size(), longest),
           ErrorKind::kLimit);
    }
    if (visible(text) != text) fail(name, fmt::format("has control characters in its {}", name));
    return text;
  }
  double number(const char* name) {
    const Json& field = take(name);
    if (!field.is_number()) fail(name, fmt::format("has a {} that is not a number", name));
    return field.get<double>();
  }
  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      if (known_.contains(name)) continue;
      fail(name, fmt::format("has a field {}", excerpt(name)), ErrorKind::kUnknown);
    }
  }
  [[noreturn]] void fail(std::string_view field, std::string_view why,
                         ErrorKind kind = ErrorKind::kValue) const {
    throw Error(kind, {.field = std::string(field)},
                fmt::format("{} {}; give {}", form_.what, why, form_.wanted));
  }

 private:
  const Json& json_;
  const Form& form_;
  std::set<std::string> known_;
};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

std::vector<std::string> take_experts(Fields& fields) {
  const Json& list = fields.take("experts");
  if (!list.is_array() || list.empty() || list.size() > kMostExperts) {
    fields.fail("experts", fmt::format("needs a list of 1 to {} experts", kMostExperts));
  }
  std::vector<std::string> names;
  for (const Json& item : list) {
    const std::string name = item.is_string() ? item.get<std::string>() : "";
    if (name.empty() || name.size() > kLongestName || visible(name) != name) {
      fields.fail("experts", fmt::format("has an expert without a name of 1 to {} visible bytes",
                                         kLongestName));
    }
    if (std::ranges::find(names, name) != names.end()) {
      fields.fail("experts", fmt::format("has the expert {} twice", name), ErrorKind::kDuplicate);
    }
    names.push_back(name);
  }
  return names;
}

std::vector<std::size_t> take_seasons(Fields& fields) {
  std::vector<std::size_t> seasons;
  const Json* list = fields.find("season");
  if (list == nullptr) return seasons;
  const auto wrong = [&] {
    fields.fail("season", fmt::format("needs at most two seasons of 2 to {} rounds, shortest first",
                                      kLongestSeason));
  };
  if (!list->is_array() || list->size() > 2) wrong();
  for (const Json& item : *list) {
    if (!item.is_number_unsigned()) wrong();
    const auto season = item.get<std::uint64_t>();
    if (season < 2 || season > kLongestSeason) wrong();
    if (!seasons.empty() && season <= seasons.back()) wrong();
    seasons.push_back(season);
  }
  return seasons;
}

// A method that can be played on forecasts, and whose options name no files.
std::string take_method(Fields& fields) {
  if (fields.find("method") == nullptr) return std::string(kDefaultForForecasts);
  std::string method = fields.text("method", kLongestMethod);
  const auto refuse = [](std::string_view why) {
    throw Error(ErrorKind::kRequest, {.field = "method"}, why);
  };
  if (!is_playable(method)) {
    refuse(fmt::format("{} is chosen in hindsight; give a method that can be played", method));
  }
  const Spec spec = parse_spec("method", method);
  for (const Option& option : method_info(method).options) {
    const bool given = std::ranges::any_of(
        spec.assignments, [&](const Assignment& one) { return one.key == option.name; });
    if (!given) continue;
    if (option.kind == Option::Kind::kText) {
      refuse(fmt::format("the service takes no {} from a request; leave it out of the method",
                         option.name));
    }
    if (option.name == "season" || option.name == "longer") {
      refuse(R"(give "season":[24] beside the method, and not in its options)");
    }
  }
  return method;
}

StreamSpec take_spec(Fields& fields) {
  StreamSpec spec;
  spec.experts = take_experts(fields);
  if (fields.find("loss") != nullptr) spec.loss = fields.text("loss", kLongestName);
  if (fields.find("tau") != nullptr) {
    if (spec.loss != "pinball") {
      throw Error(ErrorKind::kRequest, {.field = "tau"},
                  "tau is the level of the pinball loss; give that loss, or leave tau out");
    }
    spec.tau = fields.number("tau");
  }
  spec.seasons = take_seasons(fields);
  spec.method = take_method(fields);
  return spec;
}

std::vector<std::pair<std::string, double>> take_forecasts(Fields& fields) {
  const Json& forecasts = fields.take("forecasts");
  if (!forecasts.is_object()) fields.fail("forecasts", "has forecasts that are not an object");
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [name, forecast] : forecasts.items()) {
    if (forecast.is_null()) continue;
    if (!forecast.is_number()) {
      fields.fail("forecasts", fmt::format("has a forecast of {} that is neither a number nor null",
                                           excerpt(name)));
    }
    out.emplace_back(name, forecast.get<double>());
  }
  std::ranges::sort(out);
  return out;
}

template <class Kind>
Event read(const Json& json, const Form& form) {
  Fields fields(json, form);
  Kind event;
  if constexpr (requires { event.spec; }) event.spec = take_spec(fields);
  if constexpr (requires { event.id; }) event.id = fields.text("id", kLongestId);
  if constexpr (requires { event.name; }) event.name = fields.text("name", kLongestName);
  if constexpr (requires { event.y; }) event.y = fields.number("y");
  if constexpr (requires { event.forecasts; }) event.forecasts = take_forecasts(fields);
  fields.finish();
  return event;
}

Json parsed(std::string_view text, const Form& form) {
  return io::parse_json(text, form.what, form.wanted);
}

// The kinds of events, by the names that they have in lines.
struct EventKind {
  const char* name;
  const Form& form;
  Event (*read)(const Json& json, const Form& form);
};
constexpr std::array kEventKinds = {
    EventKind{"make", kMake, read<Made>},
    EventKind{"round", kRound, read<RoundOpened>},
    EventKind{"outcome", kOutcome, read<OutcomeSeen>},
    EventKind{"abandon", kAbandon, read<RoundAbandoned>},
    EventKind{"add_expert", kExpert, read<ExpertAdded>},
    EventKind{"remove_expert", kExpert, read<ExpertRemoved>},
};

// By their place in Verdict.
constexpr std::array kStatuses = {200, 200, 400, 404, 409, 429, 500};

int status_of(const Event& event, Verdict verdict) {
  const bool made = verdict == Verdict::kDone && std::holds_alternative<Made>(event);
  return made ? 201 : kStatuses.at(static_cast<std::size_t>(verdict));
}

Json weights_json(const Names& names, std::span<const double> weights) {
  Json out = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k) out[names[k]] = weights[k];
  return out;
}

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

// Null before the first round.
Json errors_json(const Stream& stream) {
  const auto errors = stream.errors();
  if (!errors) return {};
  return {{"measure", ErrorMeasure(stream.aggregator().task()).name()},
          {"rounds", errors->rounds},
          {"combination", or_null(errors->combination)},
          {"equal_weights", or_null(errors->equal_weights)},
          {"ratio", or_null(errors->ratio)}};
}

// By their place in Remembered::Kind.
constexpr std::array kStates = {"open", "learned", "abandoned"};

}  // namespace

Event posted_event(std::string_view kind, std::string_view body) {
  const auto* const known =
      std::ranges::find_if(kEventKinds, [&](const EventKind& one) { return one.name == kind; });
  invariant(known != kEventKinds.end(), "a route takes events of a kind that there is");
  return known->read(parsed(body, known->form), known->form);
}

std::string backup_from(std::string_view body) {
  const Json json = parsed(body, kBackup);
  Fields fields(json, kBackup);
  std::string name = fields.text("name", kLongestName);
  fields.finish();
  const auto taken = [](char c) { return is_name_character(c) && c != '.'; };
  if (!std::ranges::all_of(name, taken)) {
    fields.fail("name", "has a name that is not made of letters, digits, dashes and underscores");
  }
  return name;
}

void check_stream_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || !std::ranges::all_of(name, is_name_character)) {
    throw Error(ErrorKind::kValue, {.field = "stream"},
                fmt::format("'{}' is not a name of a stream; give 1 to {} letters, digits, dots, "
                            "dashes and underscores",
                            excerpt(name), kLongestName));
  }
}

EventLine read_event_line(std::string_view text) {
  EventLine line;
  try {
    const Json json = parsed(text, kLine);
    Fields fields(json, kLine);
    line.stream = fields.text("stream", kLongestName);
    check_stream_name(line.stream);
    std::size_t found = 0;
    for (const EventKind& kind : kEventKinds) {
      const Json* event = fields.find(kind.name);
      if (event == nullptr) continue;
      ++found;
      line.event = kind.read(*event, kind.form);
    }
    fields.finish();
    if (found != 1) fields.fail({}, fmt::format("has {} events", found), ErrorKind::kRequest);
    return line;
  } catch (const Error& wrong) {
    return {{}, {}, wrong.in_words_of(field_wording())};
  }
}

std::string answer_line(const EventLine& line, const Output& output) {
  const Reply reply = line.event ? reply_to(*line.event, output) : error_reply(400, line.why);
  Json out = {{"status", reply.status}};
  if (line.event) out["stream"] = line.stream;
  out.update(reply.body);
  return io::json_text(out);
}

Reply error_reply(int status, std::string_view why) { return {status, {{"error", why}}}; }

Reply reply_to(const Event& event, const Output& output) {
  const int status = status_of(event, output.verdict);
  if (!output.accepted()) return error_reply(status, output.why);
  Json body = Json::object();
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.id; }) body["id"] = one.id;
      },
      event);
  if (output.answer) {
    body["forecast"] = output.answer->forecast;
    body["weights"] = weights_json(*output.answer->experts, output.answer->weights);
  }
  return {status, std::move(body)};
}

Json stream_json(const std::string& name, const Stream& stream) {
  const Aggregator& aggregator = stream.aggregator();
  const StreamSpec& spec = stream.spec();
  Json out = {{"name", name},
              {"experts", aggregator.names()},
              {"loss", spec.loss},
              {"season", spec.seasons},
              {"method", spec.method},
              {"learned", aggregator.rounds()},
              {"open", stream.answered().open_ids()},
              {"errors", errors_json(stream)},
              {"weights", weights_json(aggregator.names(), aggregator.weights())}};
  if (spec.loss == "pinball") out["tau"] = spec.tau;
  return out;
}

Json summary_json(const std::string& name, const Stream* stream) {
  Json out = {{"name", name}, {"in_memory", stream != nullptr}};
  if (stream == nullptr) return out;
  out["learned"] = stream->aggregator().rounds();
  out["open"] = stream->aggregator().open_rounds();
  out["errors"] = errors_json(*stream);
  return out;
}

Json rounds_json(const std::vector<RecentRound>& rounds) {
  Json out = Json::array();
  for (const auto& [id, what, answer] : rounds) {
    const bool learned = what.kind == Remembered::Kind::kLearned;
    out.push_back({{"id", id},
                   {"number", what.round},
                   {"state", kStates.at(static_cast<std::size_t>(what.kind))},
                   {"forecast", what.forecast},
                   {"y", learned ? Json(what.outcome) : Json()},
                   {"weights", weights_json(*answer.experts, answer.weights)}});
  }
  return out;
}

void log_line(std::string_view level, std::string_view event, const Json& fields) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  Json line = {{"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
               {"level", level},
               {"event", event}};
  line.update(fields);
  // In one call, so that lines of two threads do not mix.
  const std::string text = io::json_text(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace pcgs::serve
