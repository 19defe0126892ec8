#include "serve/reply.h"

#include <optional>
#include <span>

#include "run/errors.h"

namespace pcgs::serve {

using namespace stream;

namespace {

int status_of(const Event& event, Verdict verdict) {
  switch (verdict) {
    case Verdict::kDone:
      return std::holds_alternative<Made>(event) ? 201 : 200;
    case Verdict::kRepeated:
      return 200;
    case Verdict::kInvalid:
      return 400;
    case Verdict::kUnknown:
      return 404;
    case Verdict::kConflict:
      return 409;
    case Verdict::kTooMany:
      return 429;
    case Verdict::kDamaged:
      break;
  }
  return 500;
}

Json weights_json(const Names& names, std::span<const double> weights) {
  Json out = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k) out[names[k]] = weights[k];
  return out;
}

template <class Number>
Json or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

// Null before the first round.
Json errors_json(const Stream& stream) {
  const TaskLoss& task = stream.aggregator().task();
  const ErrorRecord& errors = stream.errors();
  if (errors.rounds() == 0) return {};
  return {{"measure", compare::measure_name(task)},
          {"rounds", errors.rounds()},
          {"combination", or_null(errors.combination(task))},
          {"equal_weights", or_null(errors.equal_weights(task))},
          {"ratio", or_null(errors.ratio(task))}};
}

std::string_view state_of(Remembered::Kind kind) {
  using Kind = Remembered::Kind;
  return kind == Kind::kOpen ? "open" : kind == Kind::kLearned ? "learned" : "abandoned";
}

}  // namespace

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
              {"open", stream.open_ids()},
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
                   {"state", state_of(what.kind)},
                   {"forecast", what.forecast},
                   {"y", learned ? Json(what.outcome) : Json()},
                   {"weights", weights_json(*answer.experts, answer.weights)}});
  }
  return out;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pcgs::serve
