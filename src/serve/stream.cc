#include "serve/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "data/text.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "run/errors.h"
#include "serve/limits.h"
#include "serve/state_fields.h"

namespace pcgs::stream {

namespace {

Output refused(Verdict verdict, std::string why) { return {verdict, std::move(why), {}}; }

Output no_round(const std::string& id) {
  return refused(Verdict::kUnknown,
                 fmt::format("there is no round {}; post it before its outcome", excerpt(id)));
}

Output used_before(const std::string& id) {
  return refused(
      Verdict::kConflict,
      fmt::format("the id {} was used with something else; give each round and change an id of its "
                  "own",
                  excerpt(id)));
}

// Version 2 has errors, and means of open rounds.
constexpr std::size_t kSnapshotVersion = 2;

std::uint64_t architecture(std::size_t version) {
  return architecture_hash("snapshot of a stream", version);
}

std::size_t version_of(const StateReader& in) {
  for (std::size_t version = 1; version <= kSnapshotVersion; ++version) {
    if (in.architecture() == architecture(version)) return version;
  }
  in.fail("it is not a snapshot of a stream");
}

// [experts] NaN for sleepers. Throws Error for a name that is nobody's.
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
          fmt::format("there is no expert '{}'; add it first, or leave it out", excerpt(name)));
    }
  }
  throw Error("forecasts have an expert twice; give each once");
}

}  // namespace

Aggregator make_aggregator_of(const StreamSpec& spec) {
  AggregatorOptions options;
  options.task = TaskLoss(spec.loss, spec.tau);
  options.names = spec.experts;
  return make_aggregator(with_seasons(spec.method, spec.seasons), spec.experts.size(),
                         std::move(options));
}

Output Stream::step(const Event& event) {
  if (!made() && !std::holds_alternative<Made>(event)) {
    return refused(Verdict::kUnknown, "there is no such stream; make it with PUT first");
  }
  return std::visit([&](const auto& one) { return apply(one); }, event);
}

void Stream::note_experts() { experts_ = std::make_shared<const Names>(aggregator_->names()); }

Output Stream::apply(const Made& event) {
  if (made()) {
    if (event.spec == spec_) return {Verdict::kRepeated};
    return refused(Verdict::kConflict,
                   "there is a stream of this name that was made otherwise; give another name");
  }
  try {
    aggregator_ = make_aggregator_of(event.spec);
  } catch (const Error& wrong) {
    return refused(Verdict::kInvalid, wrong.what());
  }
  spec_ = event.spec;
  note_experts();
  return {};
}

Output Stream::apply(const RoundOpened& event) {
  const std::uint64_t digest = digest_of(event.forecasts);
  if (const auto known = memory_.find(event.id)) {
    if (known->kind == Remembered::Kind::kExpertChange || known->digest != digest) {
      return used_before(event.id);
    }
    return {Verdict::kRepeated, {}, memory_.answer(event.id)};
  }
  if (aggregator_->open_rounds() >= kMostOpenRounds) {
    return refused(Verdict::kTooMany,
                   fmt::format("{} rounds are open; post outcomes of some, or abandon them",
                               aggregator_->open_rounds()));
  }
  Remembered round;
  try {
    const std::vector<double> forecasts = in_order(event.forecasts, *experts_);
    round.forecast = aggregator_->predict(forecasts);
    round.mean = compare::mean_of_awake(forecasts);
  } catch (const Error& wrong) {
    return refused(Verdict::kInvalid, wrong.what());
  }
  round.digest = digest;
  round.round = aggregator_->last_opened();
  const auto played = aggregator_->played(round.round);
  const Answer answer{round.forecast, {played.begin(), played.end()}, experts_};
  memory_.open(event.id, round, answer);
  return {Verdict::kDone, {}, answer};
}

Output Stream::apply(const OutcomeSeen& event) {
  using Kind = Remembered::Kind;
  const auto round = memory_.find(event.id);
  if (!round) return no_round(event.id);
  switch (round->kind) {
    case Kind::kExpertChange:
      return used_before(event.id);
    case Kind::kAbandoned:
      return refused(
          Verdict::kConflict,
          fmt::format("round {} was abandoned; its outcome comes too late", excerpt(event.id)));
    case Kind::kLearned:
      if (round->outcome == event.y) return {Verdict::kRepeated};
      return refused(Verdict::kConflict,
                     fmt::format("the outcome of round {} was {}; it cannot become {}",
                                 excerpt(event.id), round->outcome, event.y));
    case Kind::kOpen:
      break;
  }
  const std::int64_t learned = aggregator_->rounds();
  try {
    aggregator_->learn(round->round, event.y);
  } catch (const Error& wrong) {
    return refused(Verdict::kInvalid, wrong.what());
  }
  if (aggregator_->rounds() > learned) judge(*round, event.y);
  memory_.close(event.id, Kind::kLearned, event.y);
  return {};
}

// A round that was open in a snapshot of version 1 has no mean.
void Stream::judge(const Remembered& round, double outcome) {
  const TaskLoss& task = aggregator_->task();
  for (const double forecast : {round.forecast, round.mean}) {
    if (!task.objection_to_forecast(forecast).empty()) return;
  }
  errors_.add(task, round.forecast, round.mean, outcome);
}

Output Stream::apply(const RoundAbandoned& event) {
  using Kind = Remembered::Kind;
  const auto round = memory_.find(event.id);
  if (!round) return no_round(event.id);
  switch (round->kind) {
    case Kind::kExpertChange:
      return used_before(event.id);
    case Kind::kAbandoned:
      return {Verdict::kRepeated};
    case Kind::kLearned:
      return refused(Verdict::kConflict,
                     fmt::format("round {} has its outcome; it cannot be abandoned any more",
                                 excerpt(event.id)));
    case Kind::kOpen:
      break;
  }
  aggregator_->abandon(round->round);
  memory_.close(event.id, Kind::kAbandoned);
  return {};
}

// Set if a change of this id was asked for before.
std::optional<Output> Stream::change_answered(const std::string& id, std::uint64_t digest) const {
  const auto known = memory_.find(id);
  if (!known) return {};
  if (known->kind != Remembered::Kind::kExpertChange || known->digest != digest) {
    return used_before(id);
  }
  return Output{Verdict::kRepeated};
}

Output Stream::apply(const ExpertAdded& event) {
  const std::uint64_t digest = digest_of("added ", event.name);
  if (auto answered = change_answered(event.id, digest)) return *answered;
  if (experts_->size() >= kMostExperts) {
    return refused(Verdict::kTooMany,
                   fmt::format("there are {} experts; remove one first", experts_->size()));
  }
  try {
    aggregator_->add_expert(event.name, make_method);
  } catch (const Error& wrong) {
    return refused(Verdict::kConflict, wrong.what());
  }
  note_experts();
  memory_.add_change(event.id, digest);
  return {};
}

Output Stream::apply(const ExpertRemoved& event) {
  const std::uint64_t digest = digest_of("removed ", event.name);
  if (auto answered = change_answered(event.id, digest)) return *answered;
  try {
    aggregator_->remove_expert(event.name, make_method);
  } catch (const Error& wrong) {
    return refused(Verdict::kConflict, wrong.what());
  }
  note_experts();
  memory_.add_change(event.id, digest);
  return {};
}

// Each id that is open has an open round of its own, and no other round is open.
bool Stream::open_rounds_agree() const {
  const std::vector<std::string> ids = open_ids();  // in the order of their rounds
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t round = memory_.find(ids[i])->round;
    if (i > 0 && memory_.find(ids[i - 1])->round == round) return false;
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
  put_spec(out, spec_);
  out.bytes(aggregator_->save_bytes());
  errors_.save(out);
  memory_.save(out);
  return file_text(out, architecture(kSnapshotVersion));
}

Stream Stream::load(std::string_view bytes, const std::string& origin) {
  StateReader in(bytes_of(bytes), origin);
  const std::size_t version = version_of(in);
  Stream stream;
  stream.spec_ = take_spec(in);
  const std::string state = in.text();
  stream.aggregator_ = Aggregator::load_bytes(bytes_of(state), origin, make_method);
  if (version > 1) stream.errors_.load(in);
  stream.memory_.load(in, version);
  in.finish();
  stream.note_experts();
  if (!stream.open_rounds_agree()) in.fail("its open rounds are not those of its aggregator");
  return stream;
}

}  // namespace pcgs::stream
