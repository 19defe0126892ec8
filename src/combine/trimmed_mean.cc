// The mean of the awake without the lowest and the highest share of them, each rounded down; half
// and half leaves the median. Nothing a minority says can make it wild.
#include <algorithm>

#include "combine/averages.h"

namespace pcgs::blend {

namespace {

class TrimmedMean final : public Memoryless {
 public:
  TrimmedMean(std::size_t experts, double share) : share_(share), order_(experts) {}

  double forecast(const Seen& seen, std::span<double>) const override {
    const auto middle = find_middle(seen);
    double sum = 0;
    for (const std::size_t k : middle)
      sum += seen.forecasts[k] / static_cast<double>(middle.size());
    return seen.range.hold(sum);
  }
  Rest add_weights(const Seen& seen, double share, std::span<double> weights) const override {
    const auto middle = find_middle(seen);
    for (const std::size_t k : middle) weights[k] += share / static_cast<double>(middle.size());
    return {};
  }

 private:
  // The experts that are left, at least one, in no order.
  std::span<const std::size_t> find_middle(const Seen& seen) const {
    std::size_t n = 0;
    for (std::size_t k = 0; k < seen.awake.size(); ++k) {
      if (seen.awake[k] != 0) order_[n++] = k;
    }
    const auto cut =
        std::min(static_cast<std::size_t>(share_ * static_cast<double>(n)), (n - 1) / 2);
    const auto lower = [&](std::size_t a, std::size_t b) {
      return seen.forecasts[a] != seen.forecasts[b] ? seen.forecasts[a] < seen.forecasts[b] : a < b;
    };
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(n);
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(cut);
    const auto last = end - static_cast<std::ptrdiff_t>(cut + 1);
    std::nth_element(order_.begin(), first, end, lower);
    if (first < last) std::nth_element(first + 1, last, end, lower);
    return std::span<const std::size_t>(order_).subspan(cut, n - 2 * cut);
  }

  double share_;
  mutable std::vector<std::size_t> order_;  // [K] scratch
};

}  // namespace

std::unique_ptr<Derived> make_trimmed_mean(const Setting& setting, double share) {
  return std::make_unique<TrimmedMean>(setting.experts, share);
}

std::unique_ptr<Derived> make_median(const Setting& setting) {
  return make_trimmed_mean(setting, 0.5);
}

}  // namespace pcgs::blend
