#include "pcgs/expert_change.h"

#include <algorithm>
#include <limits>

#include "data/invariant.h"

namespace pcgs {

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

}  // namespace pcgs
