#include "pcgs/expert_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "combine/aggregator_slot.h"
#include "core/kernels.h"
#include "data/invariant.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

// What is left of the weights that a round plays, as if nobody else had been awake.
void play_alone(std::span<double> played, std::span<const std::uint8_t> awake, std::size_t count) {
  double total = 0;
  for (const double w : played) total += w;
  const bool normal = total >= std::numeric_limits<double>::min();
  for (std::size_t k = 0; k < played.size(); ++k) {
    if (awake[k] != 0) played[k] = normal ? played[k] / total : 1 / static_cast<double>(count);
  }
}

}  // namespace

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

// ---- Experts of an Aggregator -------------------------------------------------------------------
//
// Its state is written as it will be and loaded again, so that there is one way to change, and a living
// aggregator changes exactly as a saved one.

bool Aggregator::Slot::says_what_it_published() const {
  return !has_forecasts || !kept.empty() || awake_count == 0 ||
         combined == combined_forecast(played, forecasts, awake);
}

Aggregator::Slot Aggregator::slot_after(const ExpertChange& change, const Slot& slot) const {
  Slot out = slot;
  out.awake = change.moved<std::uint8_t>(slot.awake, 0);
  out.forecasts = change.moved<double>(slot.forecasts, 0);
  out.played = change.moved<double>(slot.played, 0);
  out.count_awake();
  play_alone(out.played, out.awake, out.awake_count);
  if (slot.kept.empty()) return out;
  out.kept = method_->combiner()->kept_after(change, slot.kept, out.awake);
  // Nobody of those that were awake is left: nothing will be learned from it.
  if (out.awake_count == 0) std::fill(out.kept.begin(), out.kept.end(), 0.0);
  return out;
}

void Aggregator::set_experts(std::span<const std::string> names, const MethodFactory& factory) {
  if (sink_ != nullptr) {
    throw Error(
        ErrorKind::kCall, {.field = "experts"},
        "experts cannot come or go while rounds are traced; a trace has the same throughout");
  }
  if (options_.names.empty()) {
    throw Error(ErrorKind::kCall, {.field = "names"},
                "experts without names cannot come or go; give names when the aggregator is made");
  }
  if (names.empty())
    throw Error(ErrorKind::kMissing, {.field = "experts"},
                "nobody would be left; give at least one expert");
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
    throw Error(ErrorKind::kDuplicate, {.field = "experts"},
                fmt::format("there would be two experts {}; give each a name of its own", *twice));
  }
  if (after == options_.names) return;
  const ExpertChange change(experts(), std::move(from));
  *this = load_bytes(bytes_after(&change, after), "the changed experts", factory);
}

void Aggregator::add_expert(std::string_view name, const MethodFactory& factory) {
  std::vector<std::string> names = options_.names;
  if (std::ranges::find(names, name) != names.end()) {
    throw Error(ErrorKind::kDuplicate, {.field = "experts"},
                fmt::format("there is an expert {} already; give each a name of its own", name));
  }
  names.emplace_back(name);
  set_experts(names, factory);
}

void Aggregator::remove_expert(std::string_view name, const MethodFactory& factory) {
  std::vector<std::string> names = options_.names;
  if (!names.empty() && std::erase(names, name) == 0) {
    throw Error(ErrorKind::kUnknown, {.field = "experts"},
                fmt::format("there is no expert {}; there are {}", name, fmt::join(names, ", ")));
  }
  set_experts(names, factory);
}

}  // namespace pcgs
