#include "serve/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/checksums.h"
#include "data/text.h"
#include "pcgs/registry.h"
#include "run/errors.h"

namespace pcgs::serve {

using Kind = Remembered::Kind;

namespace {

constexpr std::string_view kEventFile = "an event of a stream";
constexpr std::string_view kSnapshotFile = "a snapshot of a stream";
constexpr std::size_t kFileVersion = 3;
constexpr double kMost = std::numeric_limits<double>::max();

template <class Archive>
void visit_spec(Archive&& archive, auto& spec) {
  archive(spec.experts);
  archive(spec.loss);
  archive(spec.tau);
  archive(spec.seasons);
  archive(spec.method);
}

template <class Archive>
void visit_event(Archive&& archive, auto& event) {
  if constexpr (requires { event.spec; }) visit_spec(archive, event.spec);
  if constexpr (requires { event.id; }) archive(event.id);
  if constexpr (requires { event.name; }) archive(event.name);
  if constexpr (requires { event.y; }) archive(event.y);
  if constexpr (requires { event.forecasts; }) archive(event.forecasts);
}

template <class Kind>
Event take(StateReader& in) {
  Kind event;
  visit_event(Reading{in}, event);
  return event;
}

template <class... Kinds>
constexpr auto readers_of(const std::variant<Kinds...>*) {
  return std::array{&take<Kinds>...};
}
constexpr auto kReaders = readers_of(static_cast<const Event*>(nullptr));  // by their place in it

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// An infinite loss is one that a double cannot hold, or that ruled out what happened.
void add_loss(double& sum, double loss) { sum = std::min(sum + loss, kMost); }

Output refused(Verdict verdict, std::string why) { return {verdict, std::move(why), {}}; }

Output used_before(const std::string& id) {
  return refused(
      Verdict::kConflict,
      fmt::format("the id {} was used with something else; give each round and change an id of its "
                  "own",
                  excerpt(id)));
}

// [experts] NaN where a forecast is missing. Throws Error for a name that no expert has.
std::vector<double> in_order(const std::vector<std::pair<std::string, double>>& forecasts,
                             const Names& experts) {
  std::vector<double> out(experts.size(), std::numeric_limits<double>::quiet_NaN());
  std::size_t found = 0;
  for (std::size_t k = 0; k < experts.size(); ++k) {
    const auto at = std::ranges::lower_bound(forecasts, experts[k], {},
                                             [](const auto& one) { return one.first; });
    if (at == forecasts.end() || at->first != experts[k]) continue;
    out[k] = at->second;
    ++found;
  }
  if (found == forecasts.size()) return out;
  for (const auto& [name, forecast] : forecasts) {
    if (std::ranges::find(experts, name) == experts.end()) {
      throw Error(
          ErrorKind::kUnknown, {.field = "forecasts"},
          fmt::format("there is no expert '{}'; add it first, or leave it out", excerpt(name)));
    }
  }
  throw Error(ErrorKind::kDuplicate, {.field = "forecasts"},
              "forecasts have an expert twice; give each once");
}

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
  std::visit([&](const auto& one) { visit_event(Writing{out}, one); }, event);
  return file_text(out, kEventFile);
}

Event event_from(std::string_view bytes, const std::string& origin) {
  StateReader in = reader_of(bytes, origin, kEventFile);
  const std::uint64_t kind = in.u64();
  if (kind >= kReaders.size()) in.fail("it is an event of a kind that this program does not know");
  Event event = kReaders[kind](in);
  in.finish();
  return event;
}

std::string file_text(const StateWriter& out, std::string_view something) {
  const auto file = out.file(architecture_hash(something, kFileVersion));
  return {file.begin(), file.end()};
}

StateReader reader_of(std::string_view bytes, const std::string& origin,
                      std::string_view something) {
  StateReader in(bytes_of(bytes), origin);
  if (in.architecture() != architecture_hash(something, kFileVersion)) {
    in.fail(fmt::format("it is not {}", something));
  }
  return in;
}

std::optional<StreamErrors> Stream::errors() const {
  if (judged_ == 0) return {};
  const auto measure = [&](double sum) -> std::optional<double> {
    if (sum == kMost) return {};
    const double mean = sum / static_cast<double>(judged_);
    return aggregator_->task().kind() == TaskLoss::Kind::kSquared ? std::sqrt(mean) : mean;
  };
  StreamErrors out{judged_, measure(losses_), measure(losses_of_mean_), {}};
  if (out.combination && out.equal_weights) {
    const double ratio = *out.combination / *out.equal_weights;
    if (std::isfinite(ratio)) out.ratio = ratio;
  }
  return out;
}

Aggregator make_aggregator_of(const StreamSpec& spec) {
  AggregatorOptions options;
  options.task = TaskLoss(spec.loss, spec.tau);
  options.names = spec.experts;
  return make_aggregator(with_seasons(spec.method, spec.seasons), spec.experts.size(),
                         std::move(options));
}

// What a step throws has changed nothing.
Output Stream::step(const Event& event) {
  if (!made() && !std::holds_alternative<Made>(event)) {
    return refused(Verdict::kUnknown, "there is no such stream; make it with PUT first");
  }
  return std::visit(
      [&](const auto& one) {
        try {
          return apply(one);
        } catch (const Error& wrong) {
          const bool changes_experts = requires { one.name; };
          return refused(changes_experts ? Verdict::kConflict : Verdict::kInvalid,
                         wrong.in_words_of(field_wording()));
        }
      },
      event);
}

void Stream::note_experts() { experts_ = std::make_shared<const Names>(aggregator_->names()); }

Output Stream::apply(const Made& event) {
  if (made()) {
    if (event.spec == spec_) return {Verdict::kRepeated};
    return refused(Verdict::kConflict,
                   "there is a stream of this name that was made otherwise; give another name");
  }
  aggregator_ = make_aggregator_of(event.spec);
  spec_ = event.spec;
  note_experts();
  return {};
}

Output Stream::apply(const RoundOpened& event) {
  const std::uint64_t digest = digest_of(event.forecasts);
  if (const auto known = answered_.find(event.id)) {
    if (known->kind == Kind::kExpertChange || known->digest != digest) {
      return used_before(event.id);
    }
    return {Verdict::kRepeated, {}, answered_.answer(event.id)};
  }
  if (aggregator_->open_rounds() >= kMostOpenRounds) {
    return refused(Verdict::kTooMany,
                   fmt::format("{} rounds are open; post outcomes of some, or abandon them",
                               aggregator_->open_rounds()));
  }
  const std::vector<double> forecasts = in_order(event.forecasts, *experts_);
  Remembered round{.digest = digest, .forecast = aggregator_->predict(forecasts)};
  round.round = aggregator_->last_opened();
  const auto played = aggregator_->played(round.round);
  const Answer answer{round.forecast, {played.begin(), played.end()}, experts_};
  answered_.open(event.id, round, compare::mean_of_awake(forecasts), answer);
  return {Verdict::kDone, {}, answer};
}

// The end of a round: with its outcome, or abandoned.
Output Stream::close(const std::string& id, std::optional<double> outcome) {
  const auto round = answered_.find(id);
  if (!round) {
    return refused(Verdict::kUnknown,
                   fmt::format("there is no round {}; post it before its outcome", excerpt(id)));
  }
  const auto conflict = [&](std::string_view why) {
    return refused(Verdict::kConflict, fmt::format("round {} {}", excerpt(id), why));
  };
  switch (round->kind) {
    case Kind::kExpertChange:
      return used_before(id);
    case Kind::kAbandoned:
      if (!outcome) return {Verdict::kRepeated};
      return conflict("was abandoned; its outcome comes too late");
    case Kind::kLearned:
      if (!outcome) return conflict("has its outcome; it cannot be abandoned any more");
      if (round->outcome == *outcome) return {Verdict::kRepeated};
      return conflict(
          fmt::format("has the outcome {}; it cannot become {}", round->outcome, *outcome));
    case Kind::kOpen:
      break;
  }
  if (!outcome) {
    aggregator_->abandon(round->round);
    answered_.close(id, Kind::kAbandoned);
    return {};
  }
  const std::int64_t learned = aggregator_->rounds();
  aggregator_->learn(round->round, *outcome);
  if (aggregator_->rounds() > learned) judge(round->forecast, answered_.mean(id), *outcome);
  answered_.close(id, Kind::kLearned, *outcome);
  return {};
}

// A round without a forecast has no errors.
void Stream::judge(double published, double mean, double outcome) {
  const TaskLoss& task = aggregator_->task();
  for (const double forecast : {published, mean}) {
    if (!task.objection_to_forecast(forecast).empty()) return;
  }
  ++judged_;
  add_loss(losses_, task(published, outcome));
  add_loss(losses_of_mean_, task(mean, outcome));
}

Output Stream::change_experts(const std::string& id, const std::string& name, bool adds) {
  const std::uint64_t digest =
      fnv1a(name, fnv1a<std::uint64_t>(std::string_view(adds ? "added " : "removed ")));
  if (const auto known = answered_.find(id)) {
    if (known->kind != Kind::kExpertChange || known->digest != digest) return used_before(id);
    return {Verdict::kRepeated};
  }
  if (adds && experts_->size() >= kMostExperts) {
    return refused(Verdict::kTooMany,
                   fmt::format("there are {} experts; remove one first", experts_->size()));
  }
  if (adds) {
    aggregator_->add_expert(name, make_method);
  } else {
    aggregator_->remove_expert(name, make_method);
  }
  note_experts();
  answered_.add_change(id, digest);
  return {};
}

// Each id that is open has an open round of its own, and no other round is open.
bool Stream::open_rounds_agree() const {
  const std::vector<std::string> ids = answered_.open_ids();  // in the order of their rounds
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t round = answered_.find(ids[i])->round;
    if (i > 0 && answered_.find(ids[i - 1])->round == round) return false;
    try {
      aggregator_->played(round);
    } catch (const Error&) {
      return false;
    }
  }
  return ids.size() == aggregator_->open_rounds();
}

std::string Stream::save() const {
  StateWriter out;
  visit_spec(Writing{out}, spec_);
  out.bytes(aggregator_->save_bytes());
  out.u64(judged_);
  out.f64(losses_);
  out.f64(losses_of_mean_);
  answered_.save(out);
  return file_text(out, kSnapshotFile);
}

Stream Stream::load(std::string_view bytes, const std::string& origin) {
  StateReader in = reader_of(bytes, origin, kSnapshotFile);
  Stream stream;
  visit_spec(Reading{in}, stream.spec_);
  const std::string state = in.text();
  stream.aggregator_ = Aggregator::load_bytes(bytes_of(state), origin, make_method);
  stream.judged_ = in.u64();
  stream.losses_ = in.f64_within(0, kMost, "the sum of losses");
  stream.losses_of_mean_ = in.f64_within(0, kMost, "the sum of losses of equal weights");
  stream.answered_.load(in);
  in.finish();
  stream.note_experts();
  if (!stream.open_rounds_agree()) in.fail("its open rounds are not those of its aggregator");
  return stream;
}

}  // namespace pcgs::serve
