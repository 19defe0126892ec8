// What an Aggregator writes to a state file, and how it comes back: include/pcgs/state.h has the
// format around it. And how its experts change: its state is written as it will be and loaded again, so
// that there is one way to change, and a living aggregator changes exactly as a saved one.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine/aggregator_slot.h"
#include "core/kernels.h"
#include "data/invariant.h"
#include "data/whole_file.h"
#include "pcgs/certificates.h"
#include "pcgs/expert_change.h"

namespace pcgs {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMost = std::numeric_limits<double>::max();

// What a state holds beside the method.
constexpr std::uint64_t kWithCertificate = 1, kWithIntervals = 2;

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
  StateWriter out(change);
  out.text(method_->name());
  out.u64(count);
  out.text(options_.task.name());
  out.f64(options_.task.tau());
  options_.scale.save(out);
  out.u64(names.size());
  for (const auto& name : names) out.text(name);
  out.u64((options_.certify ? kWithCertificate : 0) | (intervals_ ? kWithIntervals : 0));
  if (intervals_) {
    out.u64(options_.intervals->season);
    out.u64(options_.intervals->levels.size());
    out.f64s(options_.intervals->levels);
  }
  out.text(note_);
  if (const Combiner* combiner = method_->combiner()) out.u64(combiner->signature(count));
  for (const std::int64_t n : {next_round_, learned_, skipped_, capped_}) {
    out.u64(static_cast<std::uint64_t>(n));
  }
  out.f64(total_loss_);
  out.f64(total_forecast_loss_);
  out.u64(open_.size());
  for (const auto& slot : open_) {
    if (change == nullptr) save_open(out, *slot);
    if (change != nullptr) save_open(out, slot_after(*change, *slot));
  }
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

void Aggregator::save_open(StateWriter& out, const Slot& slot) const {
  out.u64(static_cast<std::uint64_t>(slot.number));
  out.u64(slot.has_forecasts ? 1 : 0);
  out.f64s(slot.played);
  out.f64s(slot.forecasts);
  out.bytes(slot.awake);
  out.u64(slot.side.size());
  out.f64s(slot.side);
  // What was published, which the weights no longer say where somebody has left.
  out.f64(slot.has_forecasts && slot.awake_count > 0 ? slot.combined : 0);
  out.f64s(slot.kept);
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
  const std::uint64_t with = in.u64_below(2 * kWithIntervals, "a list of what it holds");
  options.certify = (with & kWithCertificate) != 0;
  if (options.certify && method->share() == nullptr && method->certify_forecasts() == nullptr) {
    in.fail("it has a certificate for a method that carries none");
  }
  if ((with & kWithIntervals) != 0) options.intervals = load_interval_options(in, options.task);
  std::string note = in.text();
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
  const auto counter = [&](std::int64_t below) {
    return static_cast<std::int64_t>(
        in.u64_below(static_cast<std::uint64_t>(below), "a count of rounds"));
  };
  loaded.next_round_ = counter(kMostRounds);
  if (loaded.next_round_ < 1) in.fail("its rounds do not start at 1");
  for (auto* count : {&loaded.learned_, &loaded.skipped_, &loaded.capped_}) {
    *count = counter(loaded.next_round_);
  }
  loaded.total_loss_ = in.f64_within(0, 1e18, "the total loss");
  loaded.total_forecast_loss_ = in.f64_within(0, kMost, "the total loss of forecasts");
  const std::size_t open = in.count(experts);
  for (std::size_t i = 0; i < open; ++i) {
    loaded.open_.push_back(loaded.new_slot());
    loaded.load_open(in, *loaded.open_.back());
  }
  loaded.method_->load(in);
  if (loaded.live_) loaded.live_->load(in);
  if (loaded.of_forecasts_ != nullptr) loaded.of_forecasts_->load(in);
  if (loaded.intervals_) loaded.intervals_->load(in);
  in.finish();
  return loaded;
}

void Aggregator::load_open(StateReader& in, Slot& slot) const {
  slot.number = static_cast<std::int64_t>(
      in.u64_below(static_cast<std::uint64_t>(next_round_), "the number of a round"));
  slot.has_forecasts = in.u64() != 0;
  in.f64s(slot.played);
  in.f64s(slot.forecasts);
  in.bytes(slot.awake);
  slot.side.resize(in.count(sizeof(double)));
  in.f64s_within(slot.side, -kMost, kMost, "side information");
  slot.count_awake();
  slot.combined = in.f64();
  if (!options_.task.objection_to_forecast(slot.combined).empty()) {
    in.fail("a combined forecast in it is damaged");
  }
  if (slot.awake_count == 0) slot.combined = kNaN;
  in.f64s(slot.kept);
  if (!slot.kept.empty() && slot.awake_count > 0 &&
      !method_->combiner()->could_have_kept(slot.kept)) {
    in.fail("an open round in it is damaged");
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
  if (const std::size_t n = method_->side_needed(); n != 0 && slot.side.size() != n) {
    in.fail("it has side information of another length");
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

// ---- Experts that come and go -------------------------------------------------------------------

ExpertChange::ExpertChange(std::size_t before, std::vector<std::size_t> from,
                           std::vector<double> entry)
    : before_(before), from_(std::move(from)), entry_(std::move(entry)) {
  invariant(before > 0 && !from_.empty(), "there are experts before and after a change");
  invariant(entry_.empty() || entry_.size() == from_.size(), "an entry for each expert");
  std::size_t next = 0;  // the first that may come
  for (const std::size_t k : from_) {
    if (k == kNew) continue;
    invariant(k >= next && k < before, "those that stay keep their order");
    next = k + 1;
    ++stayers_;
  }
  const double each = 1 / static_cast<double>(from_.size());
  if (entry_.empty()) {
    for (const std::size_t k : from_) entry_.push_back(k == kNew ? each : 0);
    staying_ = static_cast<double>(stayers_) * each;
    return;
  }
  for (const double x : entry_) staying_ -= x;
  if (stayers_ == 0) staying_ = 0;
  invariant(staying_ >= 0, "entries sum to 1 at most");
}

std::size_t ExpertChange::place_of(std::size_t expert) const {
  const auto at = std::find(from_.begin(), from_.end(), expert);
  return at == from_.end() ? kNew : static_cast<std::size_t>(at - from_.begin());
}

template <class T>
std::vector<T> ExpertChange::shared_out(std::span<const T> weights) const {
  std::vector<T> out = moved(weights, T{0});
  const auto even = 1 / static_cast<double>(std::max<std::size_t>(stayers_, 1));
  for (std::size_t row = 0; row * after() < out.size(); ++row) {
    const auto old = weights.subspan(row * before_, before_);
    const std::span<T> now(out.data() + row * after(), after());
    double total = 0, left = 0;
    for (const T w : old) total += static_cast<double>(w);
    for (const T w : now) left += static_cast<double>(w);
    const bool normal = left >= std::numeric_limits<double>::min();
    for (std::size_t k = 0; k < after(); ++k) {
      const double part =
          is_new(k) ? entry_[k] : staying_ * (normal ? static_cast<double>(now[k]) / left : even);
      now[k] = static_cast<T>(total * part);
    }
  }
  return out;
}

template std::vector<double> ExpertChange::shared_out(std::span<const double>) const;
template std::vector<float> ExpertChange::shared_out(std::span<const float>) const;

Aggregator::Slot Aggregator::slot_after(const ExpertChange& change, const Slot& slot) const {
  Slot out = slot;
  out.awake = change.moved<std::uint8_t>(slot.awake, 0);
  out.forecasts = change.moved<double>(slot.forecasts, 0);
  out.played = change.moved<double>(slot.played, 0);
  out.count_awake();
  out.renormalise();  // as if nobody else had been awake
  if (slot.kept.empty()) return out;
  out.kept = method_->combiner()->kept_after(change, slot.kept, out.awake);
  // Nobody of those that were awake is left: nothing will be learned from it.
  if (out.awake_count == 0) std::fill(out.kept.begin(), out.kept.end(), 0.0);
  return out;
}

void Aggregator::set_experts(std::span<const std::string> names, const MethodFactory& factory) {
  if (sink_ != nullptr) {
    refuse(ErrorKind::kCall, "experts",
           "experts cannot come or go while rounds are traced; a trace has the same throughout");
  }
  if (options_.names.empty()) {
    refuse(ErrorKind::kCall, "names",
           "experts without names cannot come or go; give names when the aggregator is made");
  }
  if (names.empty())
    refuse(ErrorKind::kMissing, "experts", "nobody would be left; give at least one expert");
  std::vector<std::string> after;
  std::vector<std::size_t> from;
  const auto wanted = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (std::size_t k = 0; k < experts(); ++k) {
    if (!wanted(options_.names[k])) continue;
    after.push_back(options_.names[k]);
    from.push_back(k);
  }
  for (const std::string& name : names) {
    if (std::ranges::find(options_.names, name) != options_.names.end()) continue;
    after.push_back(name);
    from.push_back(ExpertChange::kNew);
  }
  std::vector<std::string> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    refuse(ErrorKind::kDuplicate, "experts",
           "there would be two experts {}; give each a name of its own", *twice);
  }
  if (after == options_.names) return;
  const ExpertChange change(experts(), std::move(from));
  *this = load_bytes(bytes_after(&change, after), "the changed experts", factory);
}

void Aggregator::add_expert(std::string_view name, const MethodFactory& factory) {
  std::vector<std::string> names = options_.names;
  if (std::ranges::find(names, name) != names.end()) {
    refuse(ErrorKind::kDuplicate, "experts",
           "there is an expert {} already; give each a name of its own", name);
  }
  names.emplace_back(name);
  set_experts(names, factory);
}

void Aggregator::remove_expert(std::string_view name, const MethodFactory& factory) {
  std::vector<std::string> names = options_.names;
  if (!names.empty() && std::erase(names, name) == 0) {
    refuse(ErrorKind::kUnknown, "experts", "there is no expert {}; there are {}", name,
           fmt::join(names, ", "));
  }
  set_experts(names, factory);
}

}  // namespace pcgs
