// What an Aggregator writes to a state file, and how it comes back: include/pcgs/state.h has the
// format around it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine/aggregator_slot.h"
#include "core/kernels.h"
#include "data/whole_file.h"
#include "pcgs/certificates.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMost = std::numeric_limits<double>::max();

// What a state holds beside the method.
constexpr std::uint64_t kWithCertificate = 1, kWithIntervals = 2, kWithNote = 4;
// Open rounds with what they published, which their weights no longer say: somebody has left.
constexpr std::uint64_t kWithCombined = 8;

IntervalOptions load_interval_options(StateReader& in, const TaskLoss& task) {
  IntervalOptions options;
  options.season = in.count(2 * sizeof(double));  // of what follows for each phase
  options.levels.resize(in.count(sizeof(double)));
  in.f64s(options.levels);
  if (!Intervals::objection_to(options).empty())
    in.fail("the options of its intervals are damaged");
  if (task.kind() == TaskLoss::Kind::kLog) in.fail("it has intervals for log loss");
  return options;
}

}  // namespace

std::vector<std::uint8_t> Aggregator::save_bytes() const {
  return bytes_after(nullptr, options_.names);
}

std::vector<std::uint8_t> Aggregator::bytes_after(const ExpertChange* change,
                                                  std::span<const std::string> names) const {
  const std::size_t count = change == nullptr ? experts() : change->after();
  std::vector<Slot> changed;  // open rounds
  if (change != nullptr) {
    for (const auto& slot : open_) changed.push_back(slot_after(*change, *slot));
  }
  const auto open = [&](std::size_t i) -> const Slot& {
    return change == nullptr ? *open_[i] : changed[i];
  };
  bool with_combined = false;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    with_combined = with_combined || !open(i).says_what_it_published();
  }
  StateWriter out(change);
  out.text(method_->name());
  out.u64(count);
  out.text(options_.task.name());
  out.f64(options_.task.tau());
  options_.scale.save(out);
  out.u64(names.size());
  for (const auto& name : names) out.text(name);
  out.u64((options_.certify ? kWithCertificate : 0) | (intervals_ ? kWithIntervals : 0) |
          (note_.empty() ? 0 : kWithNote) | (with_combined ? kWithCombined : 0));
  if (intervals_) {
    out.u64(options_.intervals->season);
    out.u64(options_.intervals->levels.size());
    out.f64s(options_.intervals->levels);
  }
  if (!note_.empty()) out.text(note_);
  if (const Combiner* combiner = method_->combiner()) out.u64(combiner->signature(count));
  out.u64(static_cast<std::uint64_t>(next_round_));
  out.u64(static_cast<std::uint64_t>(learned_));
  out.u64(static_cast<std::uint64_t>(skipped_));
  out.u64(static_cast<std::uint64_t>(capped_));
  out.f64(total_loss_);
  out.f64(total_forecast_loss_);
  out.u64(open_.size());
  for (std::size_t i = 0; i < open_.size(); ++i) save_open(out, open(i), with_combined);
  method_->save(out);
  if (live_) live_->save(out);
  if (of_forecasts_ != nullptr && change == nullptr) of_forecasts_->save(out);
  if (of_forecasts_ != nullptr && change != nullptr) {
    const ExpertChange all = method_->change_of_forecasts(*change);
    const StateWriter::Changing changing(out, &all);
    of_forecasts_->save(out, count);
  }
  if (intervals_) intervals_->save(out);
  return out.file(architecture_hash(method_->name(), count));
}

void Aggregator::save_open(StateWriter& out, const Slot& slot, bool with_combined) const {
  out.u64(static_cast<std::uint64_t>(slot.number));
  out.u64(slot.has_forecasts ? 1 : 0);
  out.f64s(slot.played);
  out.f64s(slot.forecasts);
  out.bytes(slot.awake);
  out.u64(slot.side.size());
  out.f64s(slot.side);
  if (with_combined || !slot.kept.empty()) {
    out.f64(slot.has_forecasts && slot.awake_count > 0 ? slot.combined : 0);
  }
  if (!slot.kept.empty()) out.f64s(slot.kept);
  if (intervals_) intervals_->save(out, slot.expected);
}

Aggregator Aggregator::load_bytes(std::span<const std::uint8_t> file, const std::string& origin,
                                  const MethodFactory& factory) {
  StateReader in(file, origin);
  const std::string name = in.text();
  if (name == kStatesOfSeries) {
    in.mismatch(fmt::format("holds the states of several series; resume it with pcgs run and {}",
                            option("by")));
  }
  if (name == kQuantilePanel) {
    in.mismatch(fmt::format("holds a panel of quantile forecasts; resume it with pcgs run and {}",
                            option("quantiles")));
  }
  const std::size_t experts = in.count(1);  // each expert takes more than a byte
  if (experts == 0) in.fail("it has no experts");
  if (in.architecture() != architecture_hash(name, experts)) {
    in.fail("its header belongs to another method or number of experts");
  }
  std::unique_ptr<Method> method = factory(name, experts);
  if (method->name() != name) {
    in.fail(fmt::format("it was saved by {}, which this version calls {}", name, method->name()));
  }
  Options options;
  const std::string task = in.text();
  options.task = TaskLoss(task, in.f64_within(0, 1, "tau"));
  options.scale.load(in);
  const std::size_t names = in.count(sizeof(std::uint64_t));
  if (names != 0 && names != experts) in.fail("it has names for another number of experts");
  for (std::size_t k = 0; k < names; ++k) options.names.push_back(in.text());
  const std::uint64_t with = in.u64();
  if (with > (kWithCertificate | kWithIntervals | kWithNote | kWithCombined))
    in.fail("it holds something unknown");
  options.certify = (with & kWithCertificate) != 0;
  if (options.certify && method->share() == nullptr && method->certify_forecasts() == nullptr) {
    in.fail("it has a certificate for a method that carries none");
  }
  if ((with & kWithIntervals) != 0) options.intervals = load_interval_options(in, options.task);
  std::string note;
  if ((with & kWithNote) != 0) note = in.text();
  if (note.size() > kLongestNote) in.fail("its note is too long");
  if (const Combiner* combiner = method->combiner();
      combiner != nullptr && in.u64() != combiner->signature(experts)) {
    in.mismatch(
        fmt::format("was saved by a {} of other derived experts or filters than this version's; "
                    "learn its rounds again from the data",
                    name));
  }

  Aggregator loaded(std::move(method), std::move(options));
  loaded.note_ = std::move(note);
  // A file with a valid checksum may still have been forged: nothing in it may overflow a counter
  // or bring a NaN to the method.
  const auto counter = [&](std::uint64_t below) {
    const std::uint64_t n = in.u64();
    if (n >= below) in.fail("a count of rounds in it is out of range");
    return static_cast<std::int64_t>(n);
  };
  loaded.next_round_ = counter(static_cast<std::uint64_t>(kMostRounds));
  if (loaded.next_round_ < 1) in.fail("its rounds do not start at 1");
  const auto opened = static_cast<std::uint64_t>(loaded.next_round_);
  loaded.learned_ = counter(opened);
  loaded.skipped_ = counter(opened);
  loaded.capped_ = counter(opened);
  loaded.total_loss_ = in.f64_within(0, 1e18, "the total loss");
  loaded.total_forecast_loss_ = in.f64_within(0, kMost, "the total loss of forecasts");
  const std::size_t open = in.count(experts);
  for (std::size_t i = 0; i < open; ++i) {
    loaded.open_.push_back(loaded.new_slot());
    loaded.load_open(in, *loaded.open_.back(), (with & kWithCombined) != 0);
  }
  loaded.method_->load(in);
  if (loaded.live_) loaded.live_->load(in);
  if (loaded.of_forecasts_ != nullptr) loaded.of_forecasts_->load(in);
  if (loaded.intervals_) loaded.intervals_->load(in);
  in.finish();
  return loaded;
}

void Aggregator::load_open(StateReader& in, Slot& slot, bool with_combined) const {
  const std::uint64_t number = in.u64();
  if (number >= static_cast<std::uint64_t>(next_round_)) {
    in.fail("a count of rounds in it is out of range");
  }
  slot.number = static_cast<std::int64_t>(number);
  slot.has_forecasts = in.u64() != 0;
  in.f64s(slot.played);
  in.f64s(slot.forecasts);
  in.bytes(slot.awake);
  slot.side.resize(in.count(sizeof(double)));
  in.f64s(slot.side);
  slot.count_awake();
  if (with_combined || !slot.kept.empty()) {
    slot.combined = in.f64();
    if (!options_.task.objection_to_forecast(slot.combined).empty()) {
      in.fail("a combined forecast in it is damaged");
    }
  } else if (slot.awake_count > 0) {
    slot.combined = combined_forecast(slot.played, slot.forecasts, slot.awake);
  }
  if (slot.awake_count == 0) slot.combined = kNaN;
  if (!slot.kept.empty()) {
    in.f64s(slot.kept);
    if (slot.awake_count > 0 && !method_->combiner()->could_have_kept(slot.kept)) {
      in.fail("an open round in it is damaged");
    }
  }
  double total = 0;
  for (std::size_t k = 0; k < experts(); ++k) {
    total += slot.played[k];
    const bool sane = slot.awake[k] <= 1 && slot.played[k] >= 0 &&
                      options_.task.objection_to_forecast(slot.forecasts[k]).empty();
    if (!sane) in.fail("an open round in it is damaged");
  }
  if (!(total <= 1 + 1e-9)) in.fail("the weights of an open round in it sum to more than 1");
  if (intervals_) {
    intervals_->load(in, slot.expected);
    if (slot.has_forecasts && slot.awake_count > 0) put_intervals(slot);
  }
  const std::size_t needed = method_->side_needed();
  if ((needed != 0 && slot.side.size() != needed) ||
      !std::all_of(slot.side.begin(), slot.side.end(), [](double x) { return std::isfinite(x); })) {
    in.fail("side information in it is damaged");
  }
}

void Aggregator::save(const std::string& path) const {
  WholeFile file(path);
  const auto bytes = save_bytes();
  file.write(bytes.data(), bytes.size());
  file.commit();
}

Aggregator Aggregator::load(const std::string& path, const MethodFactory& factory) {
  const auto bytes = read_whole_file(path);
  return load_bytes(bytes, path, factory);
}

}  // namespace pcgs
