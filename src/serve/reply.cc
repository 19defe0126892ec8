#include "serve/reply.h"

#include <span>

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
              {"weights", weights_json(aggregator.names(), aggregator.weights())}};
  if (spec.loss == "pinball") out["tau"] = spec.tau;
  return out;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pcgs::serve
