#include "serve/event_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "combine/hindsight_methods.h"
#include "core/spec.h"
#include "data/json.h"
#include "data/text.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "serve/limits.h"

namespace pcgs::serve {

using namespace stream;
using Json = nlohmann::ordered_json;

namespace {

// The fields of an object, each taken by its name; what nobody asked for is refused.
class Fields {
 public:
  Fields(const Json& json, std::string_view what, std::string_view wanted)
      : json_(json), what_(what), wanted_(wanted) {
    if (!json.is_object()) throw Error(fmt::format("{} is not an object; give {}", what, wanted));
  }

  const Json* find(const char* name) {
    known_.insert(name);
    const auto at = json_.find(name);
    return at == json_.end() ? nullptr : &*at;
  }
  const Json& take(const char* name) {
    const Json* field = find(name);
    if (field == nullptr) fail(fmt::format("has no {}", name));
    return *field;
  }
  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      if (!known_.contains(name)) fail(fmt::format("has a field {}", excerpt(name)));
    }
  }
  [[noreturn]] void fail(std::string_view why) const {
    throw Error(fmt::format("{} {}; give {}", what_, why, wanted_));
  }

 private:
  const Json& json_;
  std::string_view what_, wanted_;
  std::set<std::string> known_;
};

constexpr std::string_view kMakeForm =
    R"({"experts":["a","b"],"loss":"squared","season":[24],"method":"blend"}, all but experts optional)";
constexpr std::string_view kRoundForm = R"({"id":"...","forecasts":{"a":1.5,"b":null}})";
constexpr std::string_view kOutcomeForm = R"({"id":"...","y":1.4})";
constexpr std::string_view kIdForm = R"({"id":"..."})";
constexpr std::string_view kExpertForm = R"({"id":"...","name":"c"})";
constexpr std::string_view kBackupForm = R"({"name":"monday"})";
constexpr std::string_view kLineForm =
    R"({"stream":"NAME"} with one of make, round, outcome, abandon, add_expert, remove_expert)";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

std::string take_text(Fields& fields, const char* name, std::size_t longest) {
  const Json& field = fields.take(name);
  if (!field.is_string()) fields.fail(fmt::format("has a {} that is no text", name));
  std::string text = field.get<std::string>();
  if (text.empty() || text.size() > longest) {
    fields.fail(
        fmt::format("has a {} of {} bytes, where 1 to {} are taken", name, text.size(), longest));
  }
  if (visible(text) != text) fields.fail(fmt::format("has control characters in its {}", name));
  return text;
}

double take_number(Fields& fields, const char* name) {
  const Json& field = fields.take(name);
  if (!field.is_number()) fields.fail(fmt::format("has a {} that is no number", name));
  return field.get<double>();
}

std::vector<std::string> take_experts(Fields& fields) {
  const Json& list = fields.take("experts");
  if (!list.is_array() || list.empty() || list.size() > kMostExperts) {
    fields.fail(fmt::format("needs a list of 1 to {} experts", kMostExperts));
  }
  std::vector<std::string> names;
  for (const Json& item : list) {
    const std::string name = item.is_string() ? item.get<std::string>() : "";
    if (name.empty() || name.size() > kLongestName || visible(name) != name) {
      fields.fail(
          fmt::format("has an expert without a name of 1 to {} visible bytes", kLongestName));
    }
    if (std::ranges::find(names, name) != names.end()) {
      fields.fail(fmt::format("has the expert {} twice", name));
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
    fields.fail(
        fmt::format("needs at most two seasons of 2 to {} rounds, shortest first", kLongestSeason));
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
  std::string method = take_text(fields, "method", kLongestMethod);
  if (!is_playable(method)) {
    throw Error(fmt::format("{} is chosen in hindsight; give a method that can be played", method));
  }
  const Spec spec = parse_spec("method", method);
  for (const Option& option : method_info(method).options) {
    const bool given = std::ranges::any_of(
        spec.assignments, [&](const Assignment& one) { return one.key == option.name; });
    if (!given) continue;
    if (option.kind == Option::Kind::kText) {
      throw Error(fmt::format("the service takes no {} from a request; leave it out of the method",
                              option.name));
    }
    if (option.name == "season" || option.name == "longer") {
      throw Error(R"(give "season":[24] beside the method, and not in its options)");
    }
  }
  return method;
}

Made made_of(const Json& json) {
  Fields fields(json, "the stream", kMakeForm);
  Made event;
  event.spec.experts = take_experts(fields);
  if (fields.find("loss") != nullptr) event.spec.loss = take_text(fields, "loss", kLongestName);
  const bool pinball = event.spec.loss == "pinball";
  if (fields.find("tau") != nullptr) {
    if (!pinball) throw Error("tau is the level of the pinball loss; give that loss, or leave tau");
    event.spec.tau = take_number(fields, "tau");
  }
  event.spec.seasons = take_seasons(fields);
  event.spec.method = take_method(fields);
  fields.finish();
  return event;
}

RoundOpened round_of(const Json& json) {
  Fields fields(json, "the round", kRoundForm);
  RoundOpened event{take_text(fields, "id", kLongestId), {}};
  const Json& forecasts = fields.take("forecasts");
  fields.finish();
  if (!forecasts.is_object()) fields.fail("has forecasts that are no object");
  for (const auto& [name, forecast] : forecasts.items()) {
    if (forecast.is_null()) continue;
    if (!forecast.is_number()) {
      fields.fail(
          fmt::format("has a forecast of {} that is no number and not null", excerpt(name)));
    }
    event.forecasts.emplace_back(name, forecast.get<double>());
  }
  std::ranges::sort(event.forecasts);
  return event;
}

OutcomeSeen outcome_of(const Json& json) {
  Fields fields(json, "the outcome", kOutcomeForm);
  OutcomeSeen event{take_text(fields, "id", kLongestId), take_number(fields, "y")};
  fields.finish();
  return event;
}

RoundAbandoned abandoned_of(const Json& json) {
  Fields fields(json, "the round", kIdForm);
  RoundAbandoned event{take_text(fields, "id", kLongestId)};
  fields.finish();
  return event;
}

template <class Change>
Change change_of(const Json& json) {
  Fields fields(json, "the expert", kExpertForm);
  Change event{take_text(fields, "id", kLongestId), take_text(fields, "name", kLongestName)};
  fields.finish();
  return event;
}

Json parsed(std::string_view text, std::string_view what, std::string_view wanted) {
  return io::parse_json(text, what, wanted);
}

}  // namespace

Made made_from(std::string_view body) { return made_of(parsed(body, "the stream", kMakeForm)); }
RoundOpened round_from(std::string_view body) {
  return round_of(parsed(body, "the round", kRoundForm));
}
OutcomeSeen outcome_from(std::string_view body) {
  return outcome_of(parsed(body, "the outcome", kOutcomeForm));
}

std::string backup_from(std::string_view body) {
  const Json json = parsed(body, "the backup", kBackupForm);
  Fields fields(json, "the backup", kBackupForm);
  std::string name = take_text(fields, "name", kLongestName);
  fields.finish();
  const auto taken = [](char c) { return is_name_character(c) && c != '.'; };
  if (!std::ranges::all_of(name, taken)) {
    fields.fail("has a name that is not made of letters, digits, dashes and underscores");
  }
  return name;
}

AddressedEvent line_from(std::string_view line) {
  const Json json = parsed(line, "the line", kLineForm);
  Fields fields(json, "the line", kLineForm);
  AddressedEvent out{take_text(fields, "stream", kLongestName), {}};
  check_stream_name(out.stream);
  using Reader = Event (*)(const Json&);
  static constexpr std::array<std::pair<const char*, Reader>, 6> kKinds = {{
      {"make", [](const Json& body) -> Event { return made_of(body); }},
      {"round", [](const Json& body) -> Event { return round_of(body); }},
      {"outcome", [](const Json& body) -> Event { return outcome_of(body); }},
      {"abandon", [](const Json& body) -> Event { return abandoned_of(body); }},
      {"add_expert", [](const Json& body) -> Event { return change_of<ExpertAdded>(body); }},
      {"remove_expert", [](const Json& body) -> Event { return change_of<ExpertRemoved>(body); }},
  }};
  std::size_t found = 0;
  for (const auto& [name, read] : kKinds) {
    const Json* body = fields.find(name);
    if (body == nullptr) continue;
    ++found;
    out.event = read(*body);
  }
  fields.finish();
  if (found != 1) fields.fail(fmt::format("has {} events", found));
  return out;
}

void check_stream_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || !std::ranges::all_of(name, is_name_character)) {
    throw Error(
        fmt::format("'{}' is no name of a stream; give 1 to {} letters, digits, dots, dashes "
                    "and underscores",
                    excerpt(name), kLongestName));
  }
}

}  // namespace pcgs::serve
