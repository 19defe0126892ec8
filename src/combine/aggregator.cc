#include "pcgs/aggregator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine/aggregator_slot.h"
#include "core/kernels.h"
#include "data/invariant.h"
#include "pcgs/certificates.h"

namespace pcgs {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMost = std::numeric_limits<double>::max();

// The median distance of the awake from the combined forecast.
double disagreement(std::span<const double> forecasts, std::span<const std::uint8_t> awake,
                    double combined, std::span<double> scratch) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    if (awake[k] != 0) scratch[count++] = std::abs(forecasts[k] - combined);
  }
  return upper_median(scratch.first(count));
}

void check_forecasts(const TaskLoss& task, std::span<const double> forecasts) {
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    if (std::isnan(forecasts[k])) continue;
    const auto objection = task.objection_to_forecast(forecasts[k]);
    if (!objection.empty()) {
      refuse(ErrorKind::kValue, "forecasts", "the forecast of expert {}, {}, {}", k + 1,
             forecasts[k], objection);
    }
  }
}

void check_unit_losses(const TaskLoss& task, std::span<const double> losses,
                       std::span<const std::uint8_t> awake) {
  for (std::size_t k = 0; k < losses.size(); ++k) {
    if (awake[k] == 0 || losses[k] <= 1) continue;
    refuse(ErrorKind::kValue, "losses",
           "the {} loss of expert {} is {}; give losses in [0, 1], or the aggregator a scale",
           task.name(), k + 1, losses[k]);
  }
}

void check_one_each(std::size_t count, std::size_t experts, const char* field, const char* what,
                    const char* more = "") {
  if (count == experts) return;
  refuse(ErrorKind::kMismatch, field, "{} {} for {} experts; give one for each{}", count, what,
         experts, more);
}

}  // namespace

Aggregator::Aggregator(std::unique_ptr<Method> method, Options options)
    : method_(std::move(method)), options_(std::move(options)) {
  invariant(method_ != nullptr, "an Aggregator has a method");
  if (!options_.names.empty()) check_one_each(options_.names.size(), experts(), "names", "names");
  if (options_.certify) {
    if (method_->share() != nullptr) {
      live_.emplace(experts());
    } else {
      of_forecasts_ = method_->certify_forecasts();
      if (of_forecasts_ == nullptr) {
        refuse(ErrorKind::kRequest, "certify",
               "{} carries no certificate; methods of the share form and blend do",
               method_->name());
      }
    }
  }
  if (options_.intervals) {
    if (options_.task.kind() == TaskLoss::Kind::kLog) {
      refuse(ErrorKind::kRequest, "intervals",
             "outcomes of log loss are 0 and 1, and no interval around a "
             "probability holds them; leave {} out",
             option("intervals"));
    }
    intervals_ = std::make_unique<Intervals>(*options_.intervals);
  }
  needs_forecasts_ = method_->needs_forecasts();
  invariant(options_.first_round >= 1, "rounds are numbered from 1");
  next_round_ = options_.first_round;
  options_.scale.reserve(experts());
  free_.push_back(new_slot());
}

Aggregator::~Aggregator() = default;
Aggregator::Aggregator(Aggregator&&) noexcept = default;
Aggregator& Aggregator::operator=(Aggregator&&) noexcept = default;

std::size_t Aggregator::experts() const { return method_->weights().size(); }

// ---- Opening ------------------------------------------------------------------------------------

void Aggregator::check_side(std::span<const double> side) const {
  if (const std::size_t needed = method_->side_needed(); needed != 0 && side.size() != needed) {
    refuse(ErrorKind::kMismatch, "side",
           "{} needs {} number{} of side information in every round, and here are {}; give "
           "them when the round is opened",
           method_->name(), needed, needed == 1 ? "" : "s", side.size());
  }
  for (const double x : side) {
    if (!std::isfinite(x)) {
      refuse(ErrorKind::kValue, "side", "side information holds {}; give finite numbers", x);
    }
  }
}

std::unique_ptr<Aggregator::Slot> Aggregator::new_slot() const {
  auto slot = std::make_unique<Slot>();
  slot->played.resize(experts());
  slot->forecasts.resize(experts());
  slot->awake.resize(experts(), 1);
  slot->losses.resize(experts());
  if (const Combiner* combiner = method_->combiner()) slot->kept.resize(combiner->kept());
  if (intervals_) {
    slot->expected.around_zero.reserve(options_.intervals->levels.size());
    slot->intervals.reserve(options_.intervals->levels.size());
  }
  return slot;
}

// A slot for the next round, at the back of free_: the caller leaves it there or moves it to open_.
Aggregator::Slot& Aggregator::next_slot() {
  if (free_.empty()) free_.push_back(new_slot());
  Slot& slot = *free_.back();
  slot.number = next_round_++;
  slot.has_forecasts = false;
  slot.expected.clear();
  slot.intervals.clear();
  slot.side.clear();
  if (!slot.all_awake) std::fill(slot.awake.begin(), slot.awake.end(), std::uint8_t{1});
  slot.all_awake = true;
  slot.awake_count = slot.awake.size();
  return slot;
}

// Fixes what the round plays: the method's weights, renormalised over the awake.
void Aggregator::play(Slot& slot) const {
  const auto weights = method_->weights();
  std::copy(weights.begin(), weights.end(), slot.played.begin());
  if (slot.all_awake) return;
  for (std::size_t k = 0; k < slot.awake.size(); ++k) {
    if (slot.awake[k] == 0) slot.played[k] = 0;
  }
  slot.renormalise();
}

// Where nobody who is awake has anything, they share evenly.
void Aggregator::Slot::renormalise() {
  double total = 0;
  for (const double w : played) total += w;
  const bool normal = total >= std::numeric_limits<double>::min();
  const double even = 1.0 / static_cast<double>(awake_count);
  for (std::size_t k = 0; k < played.size(); ++k) {
    if (awake[k] != 0) played[k] = normal ? played[k] / total : even;
  }
}

void Aggregator::Slot::count_awake() {
  awake_count = static_cast<std::size_t>(std::count(awake.begin(), awake.end(), 1));
  all_awake = awake_count == awake.size();
}

// What the round plays, and the combined forecast.
void Aggregator::combine(Slot& slot) const {
  if (slot.awake_count == 0) {
    play(slot);
    slot.combined = kNaN;
    std::fill(slot.kept.begin(), slot.kept.end(), 0.0);  // nothing, and not what was there before
  } else if (Combiner* combiner = method_->combiner()) {
    slot.combined = combiner->combine({slot.number, slot.forecasts, slot.awake, options_.task},
                                      slot.kept, slot.played);
  } else {
    play(slot);
    slot.combined = combined_forecast(slot.played, slot.forecasts, slot.awake);
  }
}

void Aggregator::put_intervals(Slot& slot) const {
  slot.intervals.clear();
  for (const Interval& one : slot.expected.around_zero) {
    slot.intervals.push_back({one.level, std::clamp(slot.combined + one.low, -kMost, kMost),
                              std::clamp(slot.combined + one.high, -kMost, kMost)});
  }
}

void Aggregator::check_takes_losses() const {
  if (!needs_forecasts_) return;
  refuse(ErrorKind::kCall, "method",
         "{} combines forecasts and has none here; give forecasts to predict(), or, "
         "for losses, {}",
         method_->name(), option("method", "guard"));
}

std::int64_t Aggregator::open(std::span<const std::uint8_t> awake, std::span<const double> side) {
  check_takes_losses();
  if (!awake.empty()) check_one_each(awake.size(), experts(), "awake", "awake flags");
  check_side(side);
  Slot& slot = next_slot();
  slot.side.assign(side.begin(), side.end());
  for (std::size_t k = 0; k < awake.size(); ++k) slot.awake[k] = awake[k] != 0 ? 1 : 0;
  slot.count_awake();
  play(slot);
  open_.push_back(std::move(free_.back()));
  free_.pop_back();
  return slot.number;
}

double Aggregator::predict(std::span<const double> forecasts, std::span<const double> side) {
  check_one_each(forecasts.size(), experts(), "forecasts", "forecasts",
                 ", NaN where there is none");
  const bool all_awake = kernels::all_within(forecasts, -kMost, kMost);
  if (!all_awake || options_.task.kind() == TaskLoss::Kind::kLog) {
    check_forecasts(options_.task, forecasts);
  }
  check_side(side);
  Slot& slot = next_slot();
  slot.side.assign(side.begin(), side.end());
  slot.has_forecasts = true;
  std::copy(forecasts.begin(), forecasts.end(), slot.forecasts.begin());
  if (!all_awake) {
    for (std::size_t k = 0; k < forecasts.size(); ++k) {
      if (!std::isnan(forecasts[k])) continue;
      slot.awake[k] = 0;
      slot.forecasts[k] = 0;
    }
    slot.count_awake();
  }
  combine(slot);
  if (intervals_ && slot.awake_count > 0) {
    intervals_->open(slot.number,
                     disagreement(slot.forecasts, slot.awake, slot.combined, slot.losses),
                     slot.expected);
    put_intervals(slot);
  }
  open_.push_back(std::move(free_.back()));
  free_.pop_back();
  return slot.combined;
}

// ---- Closing ------------------------------------------------------------------------------------

std::size_t Aggregator::checked_index(std::int64_t round) const {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (open_[i]->number == round) return i;
  }
  refuse(ErrorKind::kCall, "round",
         "round {} is not open; {} rounds have been opened and {} of them are", round,
         last_opened(), open_.size());
}

std::span<const double> Aggregator::played(std::int64_t round) const {
  return open_[checked_index(round)]->played;
}

std::span<const Interval> Aggregator::intervals(std::int64_t round) const {
  return open_[checked_index(round)]->intervals;
}

void Aggregator::learn(std::span<const double> losses) {
  check_takes_losses();
  check_side({});
  check_losses(losses, {});
  if (options_.scale.wants_unit(LossSource::kGiven) && sink_ == nullptr && !live_) {
    // Nothing outlives this call, so nothing is copied.
    Round round;
    round.number = next_round_++;
    round.losses = losses;
    round.mixture_loss = round.learner_loss = kernels::dot(method_->weights(), losses);
    update(round, {}, TraceRow::kNoForecast, {});
    return;
  }
  Slot& slot = next_slot();
  play(slot);
  std::copy(losses.begin(), losses.end(), slot.losses.begin());
  learn_from(slot);
}

void Aggregator::learn(std::int64_t round, std::span<const double> losses) {
  const std::size_t index = checked_index(round);
  Slot& slot = *open_[index];
  if (slot.has_forecasts) {
    refuse(ErrorKind::kCall, "round",
           "round {} was opened with forecasts; close it with its outcome", round);
  }
  check_losses(losses, slot.awake);
  std::copy(losses.begin(), losses.end(), slot.losses.begin());
  close(index);
}

void Aggregator::check_losses(std::span<const double> losses,
                              std::span<const std::uint8_t> awake) const {
  check_one_each(losses.size(), experts(), "losses", "losses");
  const bool unit = options_.scale.wants_unit(LossSource::kGiven);
  const double highest = unit ? 1.0 : kMost;
  if (kernels::all_within(losses, 0, highest)) return;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    const bool sleeps = !awake.empty() && awake[k] == 0;
    if (sleeps || (losses[k] >= 0 && losses[k] <= highest)) continue;
    refuse(ErrorKind::kValue, "losses", "the loss of expert {} is {}; give {}", k + 1, losses[k],
           unit ? "a number in [0, 1], or the aggregator a scale"
                : "a finite number that is not negative");
  }
}

void Aggregator::learn(double outcome) {
  if (open_.size() != 1) {
    refuse(ErrorKind::kCall, "round", "{} rounds are open; {}", open_.size(),
           open_.empty() ? "predict() opens one" : "say which one this closes");
  }
  learn(open_.front()->number, outcome);
}

void Aggregator::learn(std::int64_t round, double outcome) {
  const std::size_t index = checked_index(round);
  Slot& slot = *open_[index];
  if (!slot.has_forecasts) {
    refuse(ErrorKind::kCall, "round", "round {} was opened without forecasts; close it with losses",
           round);
  }
  if (const auto objection = options_.task.objection_to_outcome(outcome); !objection.empty()) {
    refuse(ErrorKind::kValue, "outcome", "the outcome of round {}, {}, {}", round, outcome,
           objection);
  }
  options_.task.each(slot.forecasts, outcome, slot.losses);
  if (options_.scale.wants_unit(LossSource::kForecasts)) {
    check_unit_losses(options_.task, slot.losses, slot.awake);
  }
  slot.outcome = outcome;
  slot.forecast_loss =
      slot.awake_count == 0 ? 0 : std::min(options_.task(slot.combined, outcome), kMost);
  close(index);
}

void Aggregator::abandon(std::int64_t round) {
  const auto at = open_.begin() + static_cast<std::ptrdiff_t>(checked_index(round));
  free_.push_back(std::move(*at));
  open_.erase(at);
}

void Aggregator::skip(std::int64_t rounds) {
  if (rounds < 0 || rounds > kMostRounds - next_round_) {
    refuse(ErrorKind::kValue, "rounds", "{} rounds cannot be skipped; give a number of at least 0",
           rounds);
  }
  next_round_ += rounds;
}

void Aggregator::set_note(std::string note) {
  if (note.size() > kLongestNote) {
    refuse(ErrorKind::kLimit, "note", "a note of {} bytes is too long; give at most {}",
           note.size(), kLongestNote);
  }
  note_ = std::move(note);
}

// ---- Learning -----------------------------------------------------------------------------------

void Aggregator::close(std::size_t index) {
  std::unique_ptr<Slot> slot = std::move(open_[index]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
  if (slot->awake_count == 0) {
    ++skipped_;
  } else {
    learn_from(*slot);
  }
  free_.push_back(std::move(slot));
}

void Aggregator::learn_from(Slot& slot) {
  const auto source = slot.has_forecasts ? LossSource::kForecasts : LossSource::kGiven;
  // Zero first, so that sleepers add nothing to the mixture loss; then that loss is theirs.
  const auto give_sleepers = [&](double loss) {
    if (slot.all_awake) return;
    for (std::size_t k = 0; k < slot.losses.size(); ++k) {
      if (slot.awake[k] == 0) slot.losses[k] = loss;
    }
  };
  give_sleepers(0);
  Round round;
  round.number = slot.number;
  if (!slot.all_awake) round.awake = slot.awake;
  round.scale = options_.scale.advance(slot.losses, round.awake, source);
  if (!options_.scale.wants_unit(source)) {
    const double largest = kernels::range_of(slot.losses).high;
    capped_ += largest > options_.scale.counts_as_one(round.scale) ? 1 : 0;
    for (double& l : slot.losses) l = options_.scale.bounded(l, round.scale);
  }
  round.losses = slot.losses;
  round.mixture_loss = kernels::dot(slot.played, slot.losses);
  round.learner_loss = slot.has_forecasts ? options_.scale.bounded(slot.forecast_loss, round.scale)
                                          : round.mixture_loss;
  round.side = slot.side;
  round.late = last_opened() - slot.number;
  if (slot.has_forecasts) {
    round.forecasts = {&options_.task, slot.forecasts, slot.combined, slot.outcome, slot.kept};
  }
  give_sleepers(round.mixture_loss);
  update(round, slot.played, slot.has_forecasts ? slot.forecast_loss : TraceRow::kNoForecast,
         slot.intervals);
  if (!slot.has_forecasts) return;
  total_forecast_loss_ = std::min(total_forecast_loss_ + slot.forecast_loss, kMost);
  if (intervals_) {
    intervals_->observe(slot.number, slot.expected, slot.outcome - slot.combined);
  }
}

void Aggregator::update(Round& round, std::span<const double> played, double forecast_loss,
                        std::span<const Interval> intervals) {
  round.weights = method_->weights();
  method_->learn(round);
  ++learned_;
  total_loss_ += round.mixture_loss;
  if (sink_ == nullptr && !live_) return;
  round.weights = {};
  const Share* share = method_->share();
  TraceRow row{round, played, share != nullptr ? &share->last() : nullptr, forecast_loss};
  row.intervals = intervals;
  if (const Round* learned = method_->as_learned()) {
    // Linearised losses are those of the combined forecast already.
    row.given = round;
    row.round = *learned;
    row.round.weights = {};
    row.round.mixture_loss = kernels::dot(played, row.round.losses);
    row.forecast_loss = TraceRow::kNoForecast;
  }
  if (sink_ != nullptr) sink_->record(row);
  if (!live_) return;
  live_->observe(row.round.losses, *row.step,
                 {row.round.mixture_loss, row.combined_loss(), row.round.scale});
}

}  // namespace pcgs
