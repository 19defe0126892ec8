#include "serve/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/text.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "run/errors.h"
#include "serve/event.h"

namespace pcgs::serve {

using Kind = Remembered::Kind;

namespace {

constexpr double kMost = std::numeric_limits<double>::max();

// An infinite loss is one that a double cannot hold, or that ruled out what happened.
void add_loss(double& sum, double loss) { sum = std::min(sum + loss, kMost); }

Output refused(Verdict verdict, std::string why) { return {verdict, std::move(why), {}}; }
Output refused(Verdict verdict, const Error& wrong) {
  return refused(verdict, wrong.in_words_of(field_wording()));
}

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

std::uint64_t architecture() {
  static const std::uint64_t kHash = architecture_hash("snapshot of a stream", 2);
  return kHash;
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

void ErrorRecord::add(const TaskLoss& task, double published, double mean, double outcome) {
  ++rounds_;
  add_loss(combination_, task(published, outcome));
  add_loss(equal_weights_, task(mean, outcome));
}

std::optional<double> ErrorRecord::measure(const TaskLoss& task, double sum) const {
  if (rounds_ == 0 || sum == kMost) return {};
  const double mean = sum / static_cast<double>(rounds_);
  return task.kind() == TaskLoss::Kind::kSquared ? std::sqrt(mean) : mean;
}

std::optional<double> ErrorRecord::combination(const TaskLoss& task) const {
  return measure(task, combination_);
}

std::optional<double> ErrorRecord::equal_weights(const TaskLoss& task) const {
  return measure(task, equal_weights_);
}

std::optional<double> ErrorRecord::ratio(const TaskLoss& task) const {
  const auto ours = combination(task), theirs = equal_weights(task);
  if (!ours || !theirs) return {};
  const double ratio = *ours / *theirs;
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

void ErrorRecord::save(StateWriter& out) const {
  out.u64(rounds_);
  out.f64(combination_);
  out.f64(equal_weights_);
}

void ErrorRecord::load(StateReader& in) {
  rounds_ = in.u64();
  combination_ = in.f64_within(0, kMost, "the sum of losses");
  equal_weights_ = in.f64_within(0, kMost, "the sum of losses of equal weights");
}

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
    return refused(Verdict::kInvalid, wrong);
  }
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
  Remembered round;
  try {
    const std::vector<double> forecasts = in_order(event.forecasts, *experts_);
    round.forecast = aggregator_->predict(forecasts);
    round.mean = compare::mean_of_awake(forecasts);
  } catch (const Error& wrong) {
    return refused(Verdict::kInvalid, wrong);
  }
  round.digest = digest;
  round.round = aggregator_->last_opened();
  const auto played = aggregator_->played(round.round);
  const Answer answer{round.forecast, {played.begin(), played.end()}, experts_};
  answered_.open(event.id, round, answer);
  return {Verdict::kDone, {}, answer};
}

Output Stream::apply(const OutcomeSeen& event) {
  const auto round = answered_.find(event.id);
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
    return refused(Verdict::kInvalid, wrong);
  }
  if (aggregator_->rounds() > learned) judge(*round, event.y);
  answered_.close(event.id, Kind::kLearned, event.y);
  return {};
}

// A round without a forecast has no errors.
void Stream::judge(const Remembered& round, double outcome) {
  const TaskLoss& task = aggregator_->task();
  for (const double forecast : {round.forecast, round.mean}) {
    if (!task.objection_to_forecast(forecast).empty()) return;
  }
  errors_.add(task, round.forecast, round.mean, outcome);
}

Output Stream::apply(const RoundAbandoned& event) {
  const auto round = answered_.find(event.id);
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
  answered_.close(event.id, Kind::kAbandoned);
  return {};
}

// A change of experts: `digest` is of what is asked, `change` does it.
template <class Change>
Output Stream::change_experts(const std::string& id, std::uint64_t digest, const Change& change) {
  if (const auto known = answered_.find(id)) {
    if (known->kind != Kind::kExpertChange || known->digest != digest) return used_before(id);
    return {Verdict::kRepeated};
  }
  try {
    if (Output out = change(); !out.accepted()) return out;
  } catch (const Error& wrong) {
    return refused(Verdict::kConflict, wrong);
  }
  note_experts();
  answered_.add_change(id, digest);
  return {};
}

Output Stream::apply(const ExpertAdded& event) {
  return change_experts(event.id, digest_of("added ", event.name), [&]() -> Output {
    if (experts_->size() >= kMostExperts) {
      return refused(Verdict::kTooMany,
                     fmt::format("there are {} experts; remove one first", experts_->size()));
    }
    aggregator_->add_expert(event.name, make_method);
    return {};
  });
}

Output Stream::apply(const ExpertRemoved& event) {
  return change_experts(event.id, digest_of("removed ", event.name), [&]() -> Output {
    aggregator_->remove_expert(event.name, make_method);
    return {};
  });
}

// Each id that is open has an open round of its own, and no other round is open.
bool Stream::open_rounds_agree() const {
  const std::vector<std::string> ids = open_ids();  // in the order of their rounds
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
  put_spec(out, spec_);
  out.bytes(aggregator_->save_bytes());
  errors_.save(out);
  answered_.save(out);
  return file_text(out, architecture());
}

Stream Stream::load(std::string_view bytes, const std::string& origin) {
  StateReader in(bytes_of(bytes), origin);
  if (in.architecture() != architecture()) in.fail("it is not a snapshot of a stream");
  Stream stream;
  stream.spec_ = take_spec(in);
  const std::string state = in.text();
  stream.aggregator_ = Aggregator::load_bytes(bytes_of(state), origin, make_method);
  stream.errors_.load(in);
  stream.answered_.load(in);
  in.finish();
  stream.note_experts();
  if (!stream.open_rounds_agree()) in.fail("its open rounds are not those of its aggregator");
  return stream;
}

}  // namespace pcgs::serve
